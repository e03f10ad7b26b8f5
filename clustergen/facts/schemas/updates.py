"""What ParallelCluster does with a change of each key of its configuration."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from clustergen.base.patterns import pattern

_FILE = Path(__file__).with_name("parallelcluster-updates-3.16.1.json")
_STEP = pattern(r"(\w+)(?:\[(\w+)\])?")


@dataclass(slots=True)
class Key:
    """A key, with those below it; ``items`` is the key that identifies items of a list."""

    policy: str = ""
    items: str = ""
    below: dict[str, Key] = field(default_factory=dict)


@functools.cache
def root() -> Mapping[str, Key]:
    """The top-level keys."""
    top = Key()
    for path, policy in json.loads(_FILE.read_text(encoding="utf-8"))["$defs"].items():
        at = top
        for step in _STEP.finditer(path):
            at = at.below.setdefault(step[1], Key())
            at.items = step[2] or ""
        at.policy = policy
    return top.below


def wholly(key: Key, policy: str, at: str = "") -> Iterator[str]:
    """The paths below ``key`` that have a policy with all that is below them; not what is below."""
    for name, below in key.below.items():
        if _is(below, policy):
            yield f"{at}{name}"
        else:
            yield from wholly(below, policy, f"{at}{name}.")


def _is(key: Key, policy: str) -> bool:
    return key.policy == policy and all(_is(below, policy) for below in key.below.values())
