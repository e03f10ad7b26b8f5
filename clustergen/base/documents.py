"""Documents of JSON or YAML as values."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from clustergen.base.findings import Path


def change_texts(value: Any, change: Callable[[str], Any]) -> Any:
    """A document with ``change`` made to each of its texts; its keys stay."""
    if isinstance(value, Mapping):
        return {key: change_texts(each, change) for key, each in value.items()}
    if isinstance(value, list):
        return [change_texts(each, change) for each in value]
    return change(value) if isinstance(value, str) else value


def without_nothing(node: Any) -> Any:
    """``node`` without keys that have no value, at any depth."""
    if isinstance(node, Mapping):
        return {key: without_nothing(each) for key, each in node.items() if each is not None}
    return [without_nothing(each) for each in node] if isinstance(node, list) else node


def picked(item: object, names: Iterable[str]) -> dict[str, Any]:
    """The attributes ``names`` of an object."""
    return {name: getattr(item, name) for name in names}


def value_at(data: Any, path: Path) -> Any:
    """The value at ``path`` of dicts and lists; None if there is none."""
    for step in path:
        if isinstance(data, dict):
            data = data.get(step)
        elif isinstance(data, list) and isinstance(step, int) and step < len(data):
            data = data[step]
        else:
            return None
    return data


def leaves(value: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    """The values of a document that have no others within, with their places."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(value, Mapping):
        inner = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    if not inner:
        return [(path, value)] if path else []
    return [leaf for step, each in inner for leaf in leaves(each, (*path, step))]
