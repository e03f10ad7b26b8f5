"""Secrets in data: specs, configurations of other tools, answers of AWS."""

import base64
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from clustergen.base.findings import Path
from clustergen.base.patterns import pattern
from clustergen.base.secrets.forms import USER_OPTIONS, public
from clustergen.base.secrets.names import VALUES, is_secret, is_structure
from clustergen.base.secrets.texts import may_hold, parts

STAND_IN: Final = "FILL-IN-"
"""How what an import writes begins where it does not know a value, or does not copy it."""
_OTHER: Final = pattern(r"[^A-Za-z0-9_]+")
_VALUE: Final = pattern(r"[=:\s]")
_PAIRS: Final = (
    ("name", "value"),
    ("key", "value"),
    ("parameterkey", "parametervalue"),
    ("parametername", "parametervalue"),
)
_SHORTEST: Final = len("pass=abc")
_USER_DATA: Final = "userdata"
_OF_SECRETS: Final = ("data", "stringData")


class Secret(NamedTuple):
    """A secret: a value, or a part of one."""

    path: Path
    text: str
    name: str
    """What names it; empty if only its form tells."""


def found(data: Any, path: Path = (), name: str = "") -> Iterator[Secret]:
    """The secrets in ``data``, which is one itself if ``name`` says so."""
    if isinstance(data, Mapping):
        yield from _in_mapping(data, path, name)
    elif isinstance(data, list):
        before: Any = ""
        for index, item in enumerate(data):
            of_user = isinstance(item, str) and isinstance(before, str) and before in USER_OPTIONS
            value = f"{before} {item}" if of_user else item
            yield from found(value, (*path, index), _option(before) or name)
            before = item
    elif name and data is not None and not isinstance(data, bool):
        text = str(getattr(data, "text", data)).strip()
        yield from _in_text(text, path) if public(text, name) else (Secret(path, text, name),)
    elif isinstance(data, str) and len(data) >= _SHORTEST:
        of_node = path and str(path[-1]).casefold() == _USER_DATA
        yield from _in_text((of_node and decoded(data)) or data, path)


def _option(item: Any) -> str:
    """The name of an option whose value is the next item; ``--x=value`` has its own."""
    named = isinstance(item, str) and item.startswith("-") and "=" not in item and is_secret(item)
    return item.strip("-") if named else ""


def stand_in(name: str) -> str:
    """What is in the place of a secret: ``FILL-IN-DB_PASSWORD``; a value in its name stays out."""
    bare = _VALUE.split(name, maxsplit=1)[0]
    return f"{STAND_IN}{_OTHER.sub('-', bare).strip('-') or 'secret'}"


def replaced(data: Any) -> Any:
    """``data`` with stand-ins in place of the secrets in it."""
    known: dict[Path, dict[str, str]] = {}
    for path, text, name in found(data):
        known.setdefault(path, {})[text] = stand_in(name)
    return _replaced(data, (), known) if known else data


def _replaced(data: Any, path: Path, known: Mapping[Path, Mapping[str, str]]) -> Any:
    if isinstance(data, Mapping):
        return {key: _replaced(each, (*path, str(key)), known) for key, each in data.items()}
    if isinstance(data, list):
        return [_replaced(each, (*path, index), known) for index, each in enumerate(data)]
    for text, word in known.get(path, {}).items():
        data = str(getattr(data, "text", data)).replace(text, word)
    return data


def decoded(text: str) -> str:
    """What ``text`` says in base64; empty if it is another text."""
    try:
        return base64.b64decode(text, validate=True).decode()
    except ValueError:
        return ""


def _in_text(text: str, path: Path) -> Iterator[Secret]:
    for start, end, name in parts(text) if may_hold(text) else ():
        yield Secret(path, text[start:end], name.lstrip("-."))


def _pairs(data: Mapping[Any, Any]) -> dict[Any, str]:
    """What names the values in ``{name: ..., value: ...}``, by their keys."""
    keys = {str(key).casefold(): key for key in data}
    pairs = [(keys[v], keys[n]) for n, v in _PAIRS if n in keys and v in keys]
    return {value: str(data[name]) for value, name in pairs}


def _is_of_arn(name: str) -> bool:
    """Whether what has this name is the ARN of a secret, and in its place may stand the secret."""
    return name.casefold().endswith("arn") and is_secret(name[:-3].rstrip("_-"))


def _in_mapping(data: Mapping[Any, Any], path: Path, name: str) -> Iterator[Secret]:
    named = _pairs(data)
    no_echo = str(data.get("NoEcho", "")).casefold() == "true"
    structure = bool(name) and any(is_structure(str(key)) for key in data)
    for key, value in data.items():
        step, inner = str(key), name
        if (key in named and is_secret(named[key])) or (no_echo and key == "Default"):
            inner = named.get(key, str(path[-1]) if path else "parameter")
        elif is_secret(step) or _is_of_arn(step):
            inner = step
        elif structure and step.casefold() not in VALUES:
            inner = ""
        elif data.get("kind") == "Secret" and key in _OF_SECRETS:
            inner = "Secret"
        if name and value is None and not structure:
            yield Secret((*path, step), step, name)  # `password: {value}`, by a template's braces
        yield from found(value, (*path, step), inner)
