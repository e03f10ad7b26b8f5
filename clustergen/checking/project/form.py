"""The form of a project file: its keys, their values, and where they stand."""

import difflib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from clustergen.base.findings import Finding
from clustergen.base.patterns import pattern
from clustergen.checking.project.rules.file import UNKNOWN, WRONG
from clustergen.spec.source.nodes import Place, Text

Path = tuple[str, ...]


def check(data: Any, text: Text, table: Path) -> Iterator[Finding]:
    """Findings about the settings ``data``, which stand in ``table`` of ``text``."""
    for path, found, expected in _problems(data):
        at = place(text, (*table, *path)).span()
        if expected:
            help = f"write {expected}"
            yield WRONG.at((), f"{_dotted(path)} is {found}", help=help).placed(at)
        else:
            near = difflib.get_close_matches(path[-1], _known(path), n=1)
            help = f"did you mean {near[0]}?" if near else f"use {', '.join(_known(path))}"
            written = place(text, (*table, *path))
            fix = written.replaced(near[0]) if near and is_alone(written, path[-1]) else None
            message = f"there is no setting {_dotted(path)}"
            yield UNKNOWN.at((), message, help=help, fix=fix).placed(at)


def is_alone(written: Place, key: str) -> bool:
    """Whether a place has only this key, not a dotted name, nor the table around it."""
    return written.text.lines[written.line][written.column : written.end_column] == key


_TRUTH = "true or false"
_TEXT = "a text"
_TEXTS = 'a list of texts, such as ["a", "b"]'
_NAMED = "a table of clusters, such as [clusters.prod]"
_REASON = 'the reason, such as "our jobs end on their own"'
_TABLE = "a table"

_SETTINGS: Mapping[str, str] = {
    "strict": _TRUTH,
    "out": _TEXT,
    "ignore": _TABLE,
    "clusters": _NAMED,
    "rules": _TABLE,
    "catalog": _TABLE,
}
_INSIDE: Mapping[str, Mapping[str, str]] = {
    "clusters": {"files": _TEXTS, "set": _TEXTS, "targets": _TEXTS},
    "rules": {"files": _TEXTS, "entry_points": _TEXTS},
    "catalog": {"files": _TEXTS},
}
"""The settings of tables; of ``clusters``, those of each of its tables."""
_HOLDS: Mapping[str, Callable[[Any], bool]] = {
    _TRUTH: lambda value: isinstance(value, bool),
    _TEXT: lambda value: isinstance(value, str) and bool(value),
    _TEXTS: lambda value: (
        isinstance(value, list) and bool(value) and all(isinstance(v, str) and v for v in value)
    ),
    _NAMED: lambda value: isinstance(value, dict),
    _REASON: lambda value: isinstance(value, str) and bool(value.strip()),
    _TABLE: lambda value: isinstance(value, dict),
}


def _known(path: Path) -> list[str]:
    return list(_INSIDE[path[0]] if len(path) > 1 else _SETTINGS)


def _problems(data: Any) -> Iterator[tuple[Path, str, str]]:
    """Path, kind of value, and the expected value, which is empty for an unknown key."""
    yield from _wrong((), data, _SETTINGS)
    if not isinstance(data, dict):
        return
    ignored, clusters = data.get("ignore"), data.get("clusters")
    for code, reason in ignored.items() if isinstance(ignored, dict) else ():
        if not _HOLDS[_REASON](reason):
            yield ("ignore", code), _kind(reason), _REASON
    for name, cluster in clusters.items() if isinstance(clusters, dict) else ():
        yield from _wrong(("clusters", name), cluster, _INSIDE["clusters"])
        if isinstance(cluster, dict) and "files" not in cluster:
            yield ("clusters", name), "without files", 'files = ["specs/cluster.yaml"]'
    for name in ("rules", "catalog"):
        if isinstance(data.get(name), dict):
            yield from _wrong((name,), data[name], _INSIDE[name])


def _wrong(path: Path, data: Any, known: Mapping[str, str]) -> Iterator[tuple[Path, str, str]]:
    if not isinstance(data, dict):
        yield path, _kind(data), _TABLE
        return
    for key, value in data.items():
        if key not in known:
            yield (*path, key), _kind(value), ""
        elif not _HOLDS[known[key]](value):
            yield (*path, key), _kind(value), known[key]


def _dotted(path: Path) -> str:
    return ".".join(path) or "the project"


def _kind(value: Any) -> str:
    """The kind of a value, which itself may be a secret in the wrong place."""
    kinds = {bool: "true or false", str: "a text", list: "a list", dict: "a table"}
    return kinds.get(type(value), "a number or a date") + ("" if value else ", and empty")


_HEADER = pattern(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?")
_KEY = pattern(r"\s*([A-Za-z0-9_.\"'-]+?)\s*=")


def place(text: Text, path: Path) -> Place:
    """Where ``path`` is written, or the nearest table around it; else the first line."""
    found: dict[Path, tuple[int, int, int]] = {(): (0, 0, 1)}
    table: Path = ()
    for index, line in enumerate(text.lines):
        if match := _HEADER.fullmatch(line):
            table = _names(match[1])
            found.setdefault(table, (index, match.start(1), match.end(1)))
        elif match := _KEY.match(line):
            found.setdefault((*table, *_names(match[1])), (index, match.start(1), match.end(1)))
    nearest = next(path[:size] for size in range(len(path), -1, -1) if path[:size] in found)
    row, start, end = found[nearest]
    return Place(text, row, start, row, end)


def _names(dotted: str) -> Path:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
