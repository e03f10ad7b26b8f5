"""One statement of a policy."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.services.aws import iam


@dataclass(frozen=True, slots=True)
class Statement:
    """Actions on resources under a condition, which is kept as text: values are compared."""

    sid: str
    actions: tuple[str, ...]
    resources: tuple[str, ...] = ("*",)
    condition: str = ""
    effect: str = "Allow"

    @property
    def document(self) -> Json:
        condition = json.loads(self.condition) if self.condition else None
        made = iam.allow(self.sid, self.actions, self.resources, condition)
        return {**made, "Effect": self.effect}


def statement(
    sid: str,
    actions: Iterable[str],
    resources: Iterable[str] = ("*",),
    condition: Mapping[str, Any] | None = None,
    effect: str = "Allow",
) -> Statement:
    text = json.dumps(condition, sort_keys=True) if condition else ""
    return Statement(sid, tuple(sorted(set(actions))), tuple(resources), text, effect)


def merged(statements: Iterable[Statement]) -> list[Statement]:
    """The statements, with one for all actions on the same resources under the same condition."""
    found: dict[tuple[object, ...], Statement] = {}
    for each in statements:
        key = (each.sid, each.resources, each.condition, each.effect)
        known = found.setdefault(key, each)
        found[key] = replace(known, actions=tuple(sorted({*known.actions, *each.actions})))
    return list(found.values())
