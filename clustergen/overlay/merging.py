"""Merging an overlay into a document."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clustergen.base.documents import value_at
from clustergen.base.findings import Path

PATCH: Final = "$patch"
"""Says what becomes of a map or a list item, as in Kubernetes' strategic merge patches: ``delete``
removes the item of that name; ``replace`` replaces what was there. An item of its own,
``{$patch: replace}``, replaces the whole list by the others."""
RENAME: Final = "$rename"
"""The new name of a list item, which the overlay finds by its old one."""
_REPLACE: Final = {PATCH: "replace"}


def apply(document: Any, overlay: Any, *, keys: Sequence[str]) -> Any:
    """``document`` with ``overlay`` applied; neither argument is changed.

    ``keys`` names the items of a list: the first key that every item of both lists has, with
    unique values; ``A+B`` are two keys that name an item together, and an item may lack ``B`` in
    ``A+B?``. Items of the same name merge, others are added; lists whose items have no such name
    are replaced.
    """
    if isinstance(overlay, Mapping):
        if overlay.get(PATCH) == "replace":
            document, overlay = {}, {key: v for key, v in overlay.items() if key != PATCH}
        base = document if isinstance(document, Mapping) else {}
        changed = {
            key: apply(base.get(key), value, keys=keys)
            for key, value in overlay.items()
            if value is not None
        }
        deleted = overlay.keys() - changed.keys()
        return {key: value for key, value in {**base, **changed}.items() if key not in deleted}
    if isinstance(overlay, list):
        if _REPLACE in overlay:
            document, overlay = None, [item for item in overlay if item != _REPLACE]
        if name := naming(document, overlay, keys):
            return _merge_items(document, overlay, name, keys)
        return [apply(None, item, keys=keys) for item in overlay if not needs_item(item)]
    return overlay


def naming(base: Any, over: Any, keys: Sequence[str]) -> str | None:
    """The first of ``keys`` that names the items of both lists; None if there is none."""
    if not isinstance(base, list) or not base or not over:
        return None
    return next((name for name in keys if _names_all(base, name) and _names_all(over, name)), None)


def called(item: Any, name: str) -> str | None:
    """The name of ``item``: the values of the keys in ``name``; None if one is missing."""
    if not isinstance(item, Mapping):
        return None
    values = [item.get(key.rstrip("?"), "" if key[-1] == "?" else None) for key in name.split("+")]
    if not all(isinstance(value, str | int) for value in values):
        return None
    return ".".join(map(str, values)).rstrip(".")


def likely_name(item: Any, keys: Sequence[str]) -> str | None:
    """The first name that ``item`` has by one of ``keys``; None if it has none."""
    return next(filter(None, (called(item, key) for key in keys)), None)


def _names_all(items: Sequence[Any], name: str) -> bool:
    found = [called(item, name) for item in items]
    return None not in found and len(set(found)) == len(found)


def _merge_items(base: list[Any], over: list[Any], name: str, keys: Sequence[str]) -> list[Any]:
    by_name = {called(item, name): item for item in over}
    known = {called(item, name) for item in base}
    deleted = {called(item, name) for item in over if deletes(item)}
    kept = [item for item in base if called(item, name) not in deleted]
    new = [i for i in over if called(i, name) not in known | deleted and not needs_item(i)]
    return [
        *(_merge_item(item, by_name.get(called(item, name), {}), name, keys) for item in kept),
        *(apply(None, item, keys=keys) for item in new),
    ]


def _merge_item(item: Any, over: Mapping[str, Any], name: str, keys: Sequence[str]) -> Any:
    merged = apply(item, {key: v for key, v in over.items() if key != RENAME}, keys=keys)
    return {**merged, name.partition("+")[0]: over[RENAME]} if RENAME in over else merged


def needs_item(item: Any) -> bool:
    """Whether an item of an overlay's list only says what becomes of the item of its name."""
    return deletes(item) or (isinstance(item, Mapping) and RENAME in item)


def deletes(item: Any) -> bool:
    """Whether an item of an overlay's list removes the item of its name."""
    return isinstance(item, Mapping) and item.get(PATCH) == "delete"


def difference(document: Any, wanted: Any, *, keys: Sequence[str]) -> Any:
    """The overlay with which :func:`clustergen.overlay.apply` makes ``wanted`` of ``document``."""
    if isinstance(document, Mapping) and isinstance(wanted, Mapping):
        changed = {
            key: difference(document[key], value, keys=keys) if key in document else value
            for key, value in wanted.items()
            if key not in document or document[key] != value
        }
        return changed | {key: None for key in document if key not in wanted}
    if isinstance(document, list) and isinstance(wanted, list) and document:
        return _of_lists(document, wanted, keys)
    return wanted


def _of_lists(document: list[Any], wanted: list[Any], keys: Sequence[str]) -> list[Any]:
    name = naming(document, wanted, keys)
    if name is None:
        return wanted
    before = {called(item, name): item for item in document}
    after = {called(item, name) for item in wanted}
    overlay = [
        {**_name_of(item, name), **difference(before.get(called(item, name)), item, keys=keys)}
        for item in wanted
        if before.get(called(item, name)) != item
    ]
    gone = [item for item in document if called(item, name) not in after]
    overlay += [{**_name_of(item, name), PATCH: "delete"} for item in gone]
    if overlay and apply(document, overlay, keys=keys) == wanted:
        return overlay
    return [{PATCH: "replace"}, *wanted]


def _name_of(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: item[key] for key in (part.rstrip("?") for part in name.split("+")) if key in item}


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
