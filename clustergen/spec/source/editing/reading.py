"""The data of a text, without positions: many edits are checked against it."""

import functools
from collections.abc import Iterator
from typing import Any

import yaml

from clustergen.base.yaml_files import LOADER
from clustergen.spec.source.scalars import resolve


@functools.lru_cache(maxsize=4)
def read(source: str) -> Any:
    """The data of a text, which is not to be changed; aliases are not resolved.

    The whole text must be valid, not only its first document. The first of two equal keys wins.

    :raises yaml.YAMLError: if it is not.
    """
    events = iter(yaml.parse(source, Loader=LOADER))
    next(events)  # the stream begins
    if isinstance(next(events), yaml.StreamEndEvent):
        return None
    found = _read(next(events), events)
    for _ in events:
        pass
    return found


def _read(event: Any, events: Iterator[Any]) -> Any:
    if isinstance(event, yaml.ScalarEvent):
        return event.value if event.style else resolve(event.value)
    if isinstance(event, yaml.AliasEvent):
        return f"*{event.anchor}"
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Any] = []
        while not isinstance(item := next(events), yaml.SequenceEndEvent):
            items.append(_read(item, events))
        return items
    entries: dict[str, Any] = {}
    while not isinstance(key := next(events), yaml.MappingEndEvent):
        if not isinstance(key, yaml.ScalarEvent):
            _read(key, events)
        entries.setdefault(getattr(key, "value", ""), _read(next(events), events))
    return entries
