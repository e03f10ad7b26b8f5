"""Calls of AWS as commands of the AWS CLI, for people who read or repeat them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

_SERVICES: Final = {"s3": "s3api"}
_GLOBAL: Final = ("iam",)
"""Services without regions."""
# The end of a word, as in Change|Set and VPC|Config.
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


_NAME: Final = re.compile(r"\$\{\w+\}")
_AMBIGUOUS: Final = re.compile(r"[\s,='\"\[\]{}]")


class FileText(str):
    """The text of a file. Commands show the path."""

    __slots__ = ("path",)
    path: str

    def __new__(cls, text: str, path: str) -> FileText:
        made = super().__new__(cls, text)
        made.path = path
        return made


class FileBytes(bytes):
    """The content of a file. Commands show the path."""

    path: str

    def __new__(cls, content: bytes, path: str) -> FileBytes:
        made = super().__new__(cls, content)
        made.path = path
        return made


class FileRequest(dict[str, Any]):
    """A request that is in a file, but for members ``beside`` it. Commands show the path."""

    def __init__(
        self, request: Mapping[str, Any], path: str, beside: Mapping[str, Any] = {}
    ) -> None:
        super().__init__({**request, **beside})
        self.path, self.beside = path, beside


def line(words: Iterable[str]) -> str:
    """A command as one line, quoted for the shell."""
    return " ".join(_quoted(word) for word in words)


def _quoted(word: str) -> str:
    # `${Name}` stands for a value that is not known yet, and has to be replaced.
    return word if re.fullmatch(r"[\w@%+=:,./${}-]+", word) else shlex.quote(word)


def aws(call: str, arguments: Mapping[str, Any], region: str) -> list[str]:
    """The words of the command for a call, such as ``cloudformation:DescribeStacks``."""
    service, _, operation = call.partition(":")
    place = [] if service in _GLOBAL else ["--region", region]
    if isinstance(arguments, FileRequest):
        arguments = {**arguments.beside, "cli-input-json": FileText("", arguments.path)}
    options = (word for name, value in arguments.items() for word in _option(name, value))
    return ["aws", *place, _SERVICES.get(service, service), _kebab(operation), *options]


def _kebab(name: str) -> str:
    return _WORDS.sub("-", name).lower()


def _option(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, bool):
        yield f"--{'' if value else 'no-'}{_kebab(name)}"
    else:
        yield f"--{_kebab(name)}"
        yield from _values(value)


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, FileText):
        yield f"file://{value.path}"
    elif isinstance(value, FileBytes):
        yield value.path
    elif isinstance(value, list | tuple):
        yield from (_one(each) for each in value)
    else:
        yield _one(value)


def _one(value: Any) -> str:
    """A value as one word: structures in the CLI's shorthand where it has no ambiguity."""
    if not isinstance(value, Mapping):
        return str(value)
    words = {
        key: [_bare(e) for e in (given if isinstance(given, list) else [given])]
        for key, given in value.items()
    }
    if any(_AMBIGUOUS.search(_NAME.sub("", word)) for each in words.values() for word in each):
        return json.dumps(value, ensure_ascii=False)
    return ",".join(f"{key}={','.join(each)}" for key, each in words.items())


def _bare(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
