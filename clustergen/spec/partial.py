"""What is left of a spec without the places that are wrong in form.

One run tells everything: a slip in one section must not hide what is to say about the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic_core import ValidationError

from clustergen.findings import Finding, Path
from clustergen.spec import core_schema, errors
from clustergen.spec.model import Spec

# What every spec has and no other finding depends on.
_NEEDED = {"version": 1, "name": "unnamed"}


@dataclass(frozen=True, slots=True)
class Remainder:
    """A spec made of what is right in ``data``; ``cuts`` are the paths left out."""

    spec: Spec
    written: frozenset[Path]
    """The paths that are left, as :meth:`clustergen.source.Document.written` gives them."""
    data: Any
    cuts: tuple[Path, ...]

    def restored(self, finding: Finding) -> Finding | None:
        """The finding as one on the whole; None when it is about what was left out."""
        path = _original(finding.path, self.data, self.cuts)
        if any(path[: len(cut)] == cut[: len(path)] for cut in self.cuts):
            return None
        return replace(finding, path=path)


def remainder(data: Any, findings: Sequence[Finding]) -> Remainder | None:
    """What can be planned of ``data`` in spite of ``findings``.

    Where what is left lacks something it needs, the section around it is left out too; there is
    none when that is the whole.
    """
    cuts: tuple[Path, ...] = ()
    while new := _new_cuts(data, findings, cuts):
        cuts += new
        left = _without(data, (), frozenset(cuts))
        try:
            spec = core_schema.read({**_NEEDED, **left})
            return Remainder(spec, frozenset(_paths(left, ())), data, cuts)
        except ValidationError as error:
            findings = errors.findings(error, left)
    return None


def _new_cuts(data: Any, findings: Sequence[Finding], cuts: tuple[Path, ...]) -> tuple[Path, ...]:
    paths = dict.fromkeys(_original(finding.path, data, cuts) for finding in findings)
    return tuple(path for path in paths if path and path not in cuts)


def _without(data: Any, here: Path, cuts: frozenset[Path]) -> Any:
    if isinstance(data, dict):
        kept = ((key, (*here, key)) for key in data)
        return {key: _without(data[key], path, cuts) for key, path in kept if path not in cuts}
    if isinstance(data, list):
        items = (((*here, index), item) for index, item in enumerate(data))
        return [_without(item, path, cuts) for path, item in items if path not in cuts]
    return data


def _paths(data: Any, here: Path) -> Iterator[Path]:
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for step, value in entries:
        yield (*here, step)
        if isinstance(value, dict | list):
            yield from _paths(value, (*here, step))


def _original(path: Path, data: Any, cuts: Sequence[Path]) -> Path:
    """``path`` with the indexes that list items had before others were cut from before them."""
    restored: Path = ()
    for step in path:
        if isinstance(step, int) and isinstance(data, list):
            there = [i for i in range(len(data)) if (*restored, i) not in cuts]
            restored = (*restored, there[step])
        else:
            restored = (*restored, step)
        data = data[restored[-1]] if isinstance(data, list) or _has(data, step) else None
    return restored


def _has(data: Any, step: str | int) -> bool:
    return isinstance(data, dict) and step in data
