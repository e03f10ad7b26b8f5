"""Words that the formats share."""

from __future__ import annotations

from collections.abc import Sequence

from clustergen.catalog.prices import MONTH_HOURS
from clustergen.cost import Change
from clustergen.cost.words import usd
from clustergen.difference.changes import SpecChange
from clustergen.difference.model import Caused, Difference
from clustergen.effects.model import MEANINGS

QUIET = ("none", "in-place")
"""Kinds that are only counted."""


def headline(difference: Difference) -> str:
    kind = difference.kind
    return f"{kind} ({MEANINGS[kind]})"


def shown(difference: Difference, everything: bool) -> Sequence[Caused]:
    return [each for each in difference.effects if everything or each.effect.kind not in QUIET]


def rest(difference: Difference, everything: bool) -> str:
    """How many effects are not shown."""
    number = len(difference.effects) - len(shown(difference, everything))
    noun = "change" if number == 1 else "changes"
    return f"{number} {noun} in place; --all lists them" if number else ""


def causes(caused: Caused) -> str:
    """The fields of the spec, with their positions."""
    return ", ".join(map(_place, caused.causes))


def _place(change: SpecChange) -> str:
    span = change.span
    return f"{change.dotted} ({span.file}:{span.line})" if span else change.dotted


def costs(difference: Difference) -> Sequence[str]:
    """The cost of a month before and after, then the parts that differ; empty if none does."""
    bills = difference.cost
    if bills is None or not bills.changes:
        return []
    old, new = bills.old.usd(MONTH_HOURS), bills.new.usd(MONTH_HOURS)
    lacking = "; without parts whose price is unknown" if bills.new.unknown else ""
    whole = f"USD a month: {usd(old)} -> {usd(new)} ({_more(old, new)}){lacking}"
    return [whole, *map(_part, bills.changes)]


def _part(change: Change) -> str:
    name = change.line.name
    if not change.comparable:
        reasons = (line.unknown for line in (change.old, change.new) if line)
        return f"{name}: not comparable, {next(filter(None, reasons))}"
    if not any(line and line.counted for line in (change.old, change.new)):
        return f"{name}: {change.line.what}; {change.line.outside or 'depends on use'}"
    old, new = (line.usd(MONTH_HOURS) if line else (0.0, 0.0) for line in (change.old, change.new))
    once = ", paid in advance for the time bought" if change.line.upfront else ""
    return f"{name}: {usd(old)} -> {usd(new)} ({_more(old, new)}{once})"


def _more(old: tuple[float, float], new: tuple[float, float]) -> str:
    """``+589``, or ``+0 to +589`` for the minimum and the maximum of node groups."""
    low, high = (f"{after - before:+,.2f}" for before, after in zip(old, new, strict=True))
    return low if low == high else f"{low} to {high}"


_NODES = "whether nodes run, and what jobs they have"
_DRIFT = "changes that were made by hand"
_IMAGES = "whether AWS has a newer default AMI, with which any update of the stack replaces nodes"


def unknown(difference: Difference) -> str:
    """What a comparison of files cannot know; empty where nothing is at stake."""
    if all(each.effect.kind in QUIET for each in difference.effects):
        return ""
    facts = [_NODES, _DRIFT, *([_IMAGES] if difference.target == "pcs" else [])]
    return f"not known without AWS: {'; '.join(facts)}"
