"""What a feature is, and how a target supports it."""

from __future__ import annotations

import json
import pathlib
from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from clustergen.base.findings import Path
from clustergen.plan.model import Plan

Level = Literal["full", "managed", "partial", "none"]
Row = Level | Literal["ignored"]
"""The level of a row; an ignored feature is a kind of partial support."""


class Support(NamedTuple):
    """How a target supports a feature.

    ``how`` is a clause: the field that is set (full), what the service does (managed), the
    difference (partial), or the reason and an alternative (none).
    """

    level: Level
    how: str
    source: str
    """URL, or package and field, that proves it."""
    checked: str = "2026-11-20"
    always: bool = True
    """Managed: the service always does it, independent of the spec."""
    ignored: bool = False
    """Partial: the target renders without the feature."""
    unless: Callable[[Plan], object] | None = None
    """Partial: whether a plan gets the feature in full."""

    def of(self, plan: Plan) -> Support:
        """How the target supports the feature for this plan."""
        return self._replace(level="full") if self.unless and self.unless(plan) else self


def support(  # noqa: PLR0913 the columns of a table
    level: Row,
    how: str,
    source: str,
    *,
    checked: str = "2026-11-20",
    always: bool = True,
    ignored: bool = False,
) -> Support:
    """A row of a target's table; ``how`` of an ignored feature is the reason."""
    if level == "ignored":
        return Support("partial", f"ignored: {how}", source, checked, ignored=True)
    return Support(level, how, source, checked, always, ignored)


def rows(module: pathlib.Path) -> dict[str, Support]:
    """The rows of the JSON file beside a module, by feature: the arguments of :func:`support`."""
    table = json.loads(module.with_suffix(".json").read_text(encoding="ascii"))
    return {feature: support(**row) for feature, row in table.items()}


Uses = Callable[[Plan], Iterable[Path]]


class Feature(NamedTuple):
    """A feature; ``uses`` gives the places where a plan uses it."""

    id: str
    title: str
    uses: Uses
