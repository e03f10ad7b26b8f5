"""Locating parts of the merged document in an overlay."""

from collections.abc import Mapping, Sequence
from typing import Any

from clustergen.base.documents import value_at
from clustergen.base.findings import Path
from clustergen.overlay.merging import called, naming


def place(path: Path, merged: Any, overlay: Any, keys: Sequence[str]) -> Path:
    """The deepest path in ``overlay`` that leads to ``path`` of the merged document.

    ``keys`` names list items, as in :func:`clustergen.overlay.apply`.
    """
    place: Path = ()
    for step in path:
        if isinstance(overlay, Mapping) and step in overlay:
            place, overlay = (*place, step), overlay[step]
        elif (index := _index(step, merged, overlay, keys)) is not None:
            place, overlay = (*place, index), overlay[index]
        else:
            break
        merged = merged.get(step) if isinstance(merged, Mapping) else merged[step]
    return place


def in_document(path: Path, overlay: Any, document: Any, keys: Sequence[str]) -> Path:
    """The path in ``document`` of what is at ``path`` in ``overlay``: items have other indices."""
    found: Path = ()
    for step in path:
        name = naming(document, overlay, keys)
        here = step
        if name and isinstance(step, int):
            wanted = called(value_at(overlay, (step,)), name)
            same = (i for i, item in enumerate(document) if called(item, name) == wanted)
            here = next(same, step)
        found = (*found, here)
        overlay, document = value_at(overlay, (step,)), value_at(document, (here,))
    return found


def _index(step: str | int, merged: Any, overlay: Any, keys: Sequence[str]) -> int | None:
    """The index in the overlay's list of item ``step`` in the merged list."""
    if not isinstance(overlay, list) or not isinstance(step, int) or not merged:
        return None
    name = naming(merged, overlay, keys)
    if name is None:
        return step if len(merged) == len(overlay) else None
    wanted = called(merged[step], name)
    return next((i for i, item in enumerate(overlay) if called(item, name) == wanted), None)
