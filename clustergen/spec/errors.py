"""Pydantic's errors as findings: one for each place."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic_core import ValidationError

from clustergen.base.documents import value_at
from clustergen.base.findings import LIMIT, Finding, Fix, Path, drop, put, rename, safe, unsafe
from clustergen.spec import misplaced, misspelt, sections, values
from clustergen.spec.rules import form
from clustergen.spec.values import Error

_OF_KEYS = ("missing", "extra_forbidden")


def findings(error: ValidationError, data: Any) -> list[Finding]:
    """The findings for ``error`` of ``data``, in the order of the sections."""
    return [finding for _, finding in by_place(error, data)]


def by_place(error: ValidationError, data: Any) -> Iterator[tuple[Path, Finding]]:
    """The findings, each with the invalid place; for a missing key, the place where it belongs."""
    places: dict[Path, list[Error]] = {}
    for detail in error.errors(include_url=False):
        places.setdefault(_written(detail, data), []).append(detail)
    inner = {path[:end] for path in places for end in range(len(path))}
    unknown = itertools.count(1)
    read_as = misspelt.keys(data, unknown_keys(error, data))
    meant = set(read_as.values())
    for path, details in places.items():
        of_keys = [detail for detail in details if detail["type"] in _OF_KEYS]
        of_value = [detail for detail in details if detail["type"] not in _OF_KEYS]
        for detail in of_keys:
            missing = (detail["loc"][-1],) if detail["type"] == "missing" else ()
            if (*path, *missing) in meant:
                continue
            if missing or next(unknown) <= LIMIT:
                yield (*path, *missing), _of_key(path, detail, data, read_as)
            else:  # to look for what each one means would take minutes
                yield path, _unknown(path)
        # A mapping is probably the section that the field accepts; its errors suffice.
        if of_value and not of_keys and not (path in inner and _takes_words(of_value)):
            yield path, values.finding(path, of_value, data)


def unknown_keys(error: ValidationError, data: Any) -> list[Path]:
    """The keys that the language does not have."""
    details = error.errors(include_url=False)
    return [_written(each, data) for each in details if each["type"] == "extra_forbidden"]


def _takes_words(details: Sequence[Error]) -> bool:
    return any(detail["type"] == "literal_error" for detail in details)


def _written(detail: Error, data: Any) -> Path:
    """The part of pydantic's location that is in the text, without tags of unions.

    The location of a missing key is the mapping that lacks it.
    """
    loc: tuple[str | int, ...] = detail["loc"]
    path: list[str | int] = []
    for step in loc[:-1] if detail["type"] == "missing" else loc:
        entry = isinstance(data, dict) and step in data
        item = isinstance(data, list) and isinstance(step, int) and step < len(data)
        if entry or item:
            data = data[step]
            path.append(step)
    if detail["type"] == "union_tag_invalid":
        path.append("type")
    return tuple(path)


def _of_key(path: Path, detail: Error, data: Any, read_as: Mapping[Path, Path]) -> Finding:
    if detail["type"] == "missing":
        key = str(detail["loc"][-1])
        value = sections.only_value((*path, key), data)
        about = sections.description((*path, key), data)
        help = f"add `{key}: {value or '...'}`: {about}"
        fix = safe(put((*path, key), value)) if value else None
        return form.MISSING.at(path, f"`{key}` is missing", help=help, fix=fix)
    key = str(path[-1])
    known = sections.keys(path[:-1], data)
    near, owner = _near(key, known, path, data), _owner(path, data)
    elsewhere = misplaced.of_section(path) or misplaced.of_target(path)
    help = elsewhere or _known(near, owner, known)
    fix = None if elsewhere else _fix(path, near, owner, data, sure=path in read_as)
    return _unknown(path, help, fix)


def _unknown(path: Path, help: str = "", fix: Fix | None = None) -> Finding:
    message = f"unknown key `{path[-1]}`"
    return form.UNKNOWN_KEY.at(path, message, help=help, on_key=True, fix=fix)


def _near(key: str, known: Sequence[str], path: Path, data: Any) -> list[str]:
    longer = [name for name in known if name.startswith(f"{key.lower()}-")]
    return longer or values.nearest(key, known, cutoff=0.75 if _owner(path, data) else 0.5)


def _owner(path: Path, data: Any) -> Path:
    """The section that has the key at ``path``: one beside it, or one of the spec, if any."""
    # `type` is a key of many sections, and more often means the type of the instances.
    beside = [] if path[-1] == "type" else [path[:-1]]
    for section in (*beside, ()):
        if name := sections.owner(str(path[-1]), section, data):
            return (*section, name)
    return ()


def _known(near: Sequence[str], owner: Path, known: Sequence[str]) -> str:
    if near:
        return f"did you mean {' or '.join(f'`{name}`' for name in near)}?"
    if owner:
        return f"write it in `{owner[-1]}`"
    return f"known here: {', '.join(known)}" if known else ""


def _fix(path: Path, near: Sequence[str], owner: Path, data: Any, *, sure: bool) -> Fix | None:
    """The key that was probably meant, or its place in another section."""
    section, key = value_at(data, path[:-1]), path[-1]
    if len(near) == 1 and near[0] in section:
        return unsafe(drop(path)) if misspelt.is_similar(str(key), near[0]) else None
    if len(near) == 1:
        sure |= near[0].startswith(f"{str(key).lower()}-")
        return safe(rename(path, near[0])) if sure else None
    elsewhere = value_at(data, owner)
    if not near and owner and (elsewhere is None or isinstance(elsewhere, dict)):
        if isinstance(elsewhere, dict) and key in elsewhere:
            return None
        return safe(drop(path), put((*owner, key), section[key]))
    return None
