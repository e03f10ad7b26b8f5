"""How the aws command reads its words and prints what a service answers."""

import functools
import json
from dataclasses import dataclass
from typing import Any

import jmespath  # type: ignore[import-untyped]
from botocore import xform_name

from tests.support import service_models

_GLOBAL = frozenset(
    {"region", "query", "output", "no-paginate", "cli-input-json", "cli-connect-timeout"}
)


_FLAGS = ("only-show-errors", "recursive", "include-property-values")
"""Options without a value."""


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
        """``--parameters ParameterKey=a,ParameterValue=b ...``, or JSON where values need it."""
        found = {}
        for word in self.options.get(name, []):
            parts = (part.split("=", 1) for part in word.split(",", 1))
            fields = json.loads(word) if word.startswith("{") else dict(parts)
            kept = fields.get("UsePreviousValue") == "true"
            found[fields[key]] = PREVIOUS if kept else fields[value].replace("\\,", ",")
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
        elif name and (name not in ("region", *_FLAGS) or not options[name]):
            if name in _FLAGS:
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
    model = _model(service)
    names = {xform_name(name, "-"): name for name in model.operation_names}
    shape = model.operation_model(names[operation]).input_shape
    return {xform_name(name, "-") for name in shape.members} if shape else set()


def _model(service: str) -> Any:
    return service_models.model("s3" if service == "s3api" else service)


@functools.cache
def _paginators(service: str) -> Any:
    return service_models.session().get_paginator_model("s3" if service == "s3api" else service)


class Pages(list[Any]):
    """An answer in several pages."""


@functools.cache
def paginator(service: str, operation: str) -> dict[str, Any]:
    """What botocore's paginator of an operation says; nothing for one without pages."""
    if service == "s3" or (service, operation) in _CUSTOM:
        return {}
    names = {xform_name(name, "-"): name for name in _model(service).operation_names}
    try:
        known: dict[str, Any] = _paginators(service).get_paginator(names[operation])
    except ValueError:
        return {}
    return known


def halves(request: Request, answer: Any) -> tuple[Any, Any]:
    """An answer as two pages, the first with an empty list, as a filter may leave it.

    The CLI shows only the result of a later page, not the members around it.
    """
    said = paginator(request.service, request.operation)
    key = said["result_key"]
    pages = answer if isinstance(answer, Pages) else [answer]
    found = [each for page in pages for each in page.get(key, ())]
    around = {
        name: pages[0][name] for name in said.get("non_aggregate_keys", ()) if name in pages[0]
    }
    return {**around, key: []}, {key: found}


def printed(request: Request, answer: Any) -> str:
    """What stands on stdout; with text, the query is evaluated on each page, else on all together.

    https://docs.aws.amazon.com/cli/latest/userguide/cli-usage-output-format.html
    """
    if isinstance(answer, Pages):
        shown = answer[:1] if "no-paginate" in request.options else answer
        if request.one("output") not in ("text", "table"):
            return printed(request, _merged(shown))
        return "".join(printed(request, page) for page in shown)
    if (request.service, request.operation) in _CUSTOM:
        return f"{answer}\n" if isinstance(answer, str) else ""
    query = request.one("query")
    found = jmespath.search(query, answer) if query else answer
    if request.one("output") in ("text", "table"):
        return "".join(f"{line}\n" for line in _lines(found))
    return "" if found is None else json.dumps(found, indent=4) + "\n"


def _merged(pages: list[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for page in pages:
        for key, value in page.items():
            found[key] = [*found.get(key, ()), *value] if isinstance(value, list) else value
    return found


def _lines(value: Any) -> list[str]:
    if isinstance(value, list):
        if any(isinstance(item, list) for item in value):
            return [line for item in value for line in _lines(item)]
        return ["\t".join(_word(item) for item in value)] if value else []
    return [_word(value)]


def _word(value: Any) -> str:
    return "None" if value is None else str(value)
