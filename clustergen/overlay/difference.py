"""The overlay that turns one document into another."""

from collections.abc import Mapping, Sequence
from typing import Any

from clustergen.overlay.merging import PATCH, apply, called, naming


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
