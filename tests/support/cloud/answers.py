"""How the aws command reads its words and prints what a service answers."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from typing import Any

import botocore.session
import jmespath  # type: ignore[import-untyped]
from botocore import xform_name

_GLOBAL = frozenset(
    {"region", "query", "output", "no-paginate", "cli-input-json", "cli-connect-timeout"}
)


class Refused(Exception):
    """What a service answers in place of a result."""

    def __init__(self, code: str, message: str, operation: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.operation = code, message, operation


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended."""

    status: int = 0
    out: str = ""
    err: str = ""


@dataclass(frozen=True, slots=True)
class Request:
    """One call: ``aws SERVICE OPERATION --name value...``."""

    service: str
    operation: str
    options: dict[str, list[str]]
    words: list[str]
    """What stands after the operation without an option before it."""

    def one(self, name: str, default: str = "") -> str:
        return (self.options.get(name) or [default])[0]

    def pairs(self, name: str, key: str, value: str) -> dict[str, str]:
        """``--parameters ParameterKey=a,ParameterValue=b ...``"""
        found = {}
        for word in self.options.get(name, []):
            fields = dict(part.split("=", 1) for part in word.split(",", 1))
            kept = fields.get("UsePreviousValue") == "true"
            found[fields[key]] = PREVIOUS if kept else fields[value]
        return found


PREVIOUS = "the value that it has"


def read(words: list[str]) -> Request:
    """The request of a command line without its first word."""
    options: dict[str, list[str]] = {}
    plain: list[str] = []
    name = None
    for word in words:
        if word.startswith("--"):
            name = word[2:]
            options[name] = []
        elif name and (
            name not in ("region", "only-show-errors", "recursive") or not options[name]
        ):
            if name in ("only-show-errors", "recursive"):
                plain.append(word)
            else:
                options[name].append(word)
        else:
            plain.append(word)
    service, operation, *rest = plain
    request = Request(service, operation, options, rest)
    _check(request)
    return request


def _check(request: Request) -> None:
    """The aws command knows no other options than the members of the request."""
    if request.service == "s3" or (request.service, request.operation) in _CUSTOM:
        return
    known = _members(request.service, request.operation)
    unknown = set(request.options) - known - _GLOBAL
    if unknown:
        raise AssertionError(f"aws {request.service} {request.operation} has no {unknown}")


_CUSTOM = {("eks", "update-kubeconfig"), ("ecr", "get-login-password")}


@functools.cache
def _members(service: str, operation: str) -> set[str]:
    model = _session().get_service_model("s3" if service == "s3api" else service)
    names = {xform_name(name, "-"): name for name in model.operation_names}
    shape = model.operation_model(names[operation]).input_shape
    return {xform_name(name, "-") for name in shape.members} if shape else set()


@functools.cache
def _session() -> Any:
    return botocore.session.get_session()


class Pages(list[Any]):
    """An answer in several pages."""


def printed(request: Request, answer: Any) -> str:
    """What stands on stdout; with text, the query is evaluated on each page.

    https://docs.aws.amazon.com/cli/latest/userguide/cli-usage-output-format.html
    """
    if isinstance(answer, Pages):
        return "".join(printed(request, page) for page in answer)
    query = request.one("query")
    found = jmespath.search(query, answer) if query else answer
    if request.one("output") in ("text", "table"):
        return "".join(f"{line}\n" for line in _lines(found))
    return "" if found is None else json.dumps(found, indent=4) + "\n"


def _lines(value: Any) -> list[str]:
    if isinstance(value, list):
        if any(isinstance(item, list) for item in value):
            return [line for item in value for line in _lines(item)]
        return ["\t".join(_word(item) for item in value)] if value else []
    return [_word(value)]


def _word(value: Any) -> str:
    return "None" if value is None else str(value)
