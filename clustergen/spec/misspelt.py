"""Keys that the language does not have, and that are probably misspelt."""

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from clustergen.base.documents import value_at
from clustergen.base.findings import LIMIT, Path
from clustergen.spec import misplaced, sections, values

_SIMILAR = 0.7
"""A key this similar is read as the one that was meant, so that nothing follows from the error."""


def keys(data: Any, places: Iterable[Path]) -> dict[Path, Path]:
    """The misspelt keys at ``places`` of ``data``, each with the key that was meant.

    That key is not in the mapping yet, and no other misspelt key means it.
    """
    found: dict[Path, Path] = {}
    taken: set[Path] = set()
    for path in itertools.islice(places, LIMIT):
        near = _near(data, path)
        meant = (*path[:-1], near)
        if near and meant not in taken:
            taken.add(meant)
            found[path] = meant
    return found


def is_similar(key: str, known: str) -> bool:
    """Whether a key is probably another one, misspelt."""
    return bool(values.nearest(key, [known], cutoff=_SIMILAR))


def _near(data: Any, path: Path) -> str:
    mapping = value_at(data, path[:-1])
    if not path or not isinstance(mapping, dict) or path[-1] not in mapping:
        return ""
    key, known = str(path[-1]), sections.keys(path[:-1], data)
    if key in known or misplaced.of_target(path):
        return ""
    near = values.nearest(key, known, cutoff=_SIMILAR)
    return near[0] if near and near[0] not in mapping else ""


def corrected(data: Any, meant: Mapping[Path, Path], here: Path = ()) -> Any:
    """``data`` with the keys that were meant."""
    if isinstance(data, dict):
        return {
            meant.get((*here, key), (key,))[-1]: corrected(value, meant, (*here, key))
            for key, value in data.items()
        }
    if isinstance(data, list):
        return [corrected(item, meant, (*here, index)) for index, item in enumerate(data)]
    return data


def moved(path: Path, places: Mapping[Path, Path]) -> Path:
    """``path``, where one of ``places`` that contains it has another name."""
    for end in range(len(path) + 1):
        if new := places.get(path[:end]):
            return (*new, *path[end:])
    return path
