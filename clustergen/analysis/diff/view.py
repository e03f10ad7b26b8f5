"""A difference as a table of effects, the steps to take, drift and cost."""

from collections.abc import Iterator, Sequence

from clustergen.analysis.diff.changes import SpecChange
from clustergen.analysis.diff.drift import Drifted
from clustergen.analysis.diff.model import Caused, Cost, Diff
from clustergen.bundle.effects.model import MEANINGS
from clustergen.facts.catalog.prices import MONTH_HOURS
from clustergen.output.blocks import Block, Code, Heading, Items, Paragraph, listed, table
from clustergen.services.cost import Change
from clustergen.services.cost.formatting import usd

QUIET = ("none", "in-place")
"""Kinds that are only counted."""


def blocks(difference: Diff, everything: bool = False) -> Iterator[Block]:
    """What a change does; ``everything`` includes changes in place."""
    kind = difference.kind
    yield Heading((Code(difference.target), f": {kind} ({MEANINGS[kind]})"), 3)
    effects = shown(difference, everything)
    rows = ((each.effect.kind, each.effect.text, causes(each)) for each in effects)
    yield from table(("effect", "deploying", "because of"), rows)
    if left := rest(difference, everything):
        yield Paragraph(left)
    if difference.steps:
        yield from (Paragraph("In this order:"), Items(difference.steps, first=1))
    yield from listed(DRIFT, drifted(difference))
    if lines := costs(difference):
        yield from listed(f"{lines[0]}:", lines[1:])
    if gap := unknown(difference):
        yield Paragraph(f"{gap[0].upper()}{gap[1:]}.")


def shown(difference: Diff, everything: bool) -> Sequence[Caused]:
    return [each for each in difference.effects if everything or each.effect.kind not in QUIET]


def rest(difference: Diff, everything: bool) -> str:
    """How many effects are not shown."""
    number = len(difference.effects) - len(shown(difference, everything))
    noun = "change" if number == 1 else "changes"
    return f"{number} {noun} in place; --all lists them." if number else ""


def causes(caused: Caused) -> str:
    """The fields of the spec, with their positions."""
    return ", ".join(map(_place, caused.causes))


def _place(change: SpecChange) -> str:
    span = change.span
    return f"{change.dotted} ({span.file}:{span.line})" if span else change.dotted


def costs(difference: Diff) -> Sequence[str]:
    """The cost of a month before and after, then the parts that differ; empty if none does."""
    bills = difference.cost
    parts = list(filter(_is_told, bills.changes)) if bills else []
    if bills is None or not (parts or any(bills.kept)):
        return []
    old, new = bills.old.usd(MONTH_HOURS), bills.new.usd(MONTH_HOURS)
    lacking = "; without parts whose price is unknown" if bills.new.unknown else ""
    whole = f"USD a month: {usd(old)} -> {usd(new)} ({_more(old, new)}){lacking}"
    return [whole, *map(_part, parts), *_staying(bills)]


def _is_told(change: Change) -> bool:
    """Whether a part costs more or less, or it is not known: a version has a price as well."""
    counted = any(line and line.counted for line in (change.old, change.new))
    return not (change.comparable and counted) or any(change.usd(MONTH_HOURS))


def _staying(bills: Cost) -> Sequence[str]:
    """What is paid besides the new bill."""
    if not any(bills.kept):
        return []
    names = ", ".join(line.name for line in bills.staying if line.counted)
    return [f"not in it, until you delete what stays ({names}): {usd(bills.kept)}"]


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


_LONGEST = 60
"""Characters of a value; whole documents are shortened."""
DRIFT = (
    "Changed outside the stacks, by hand or by deploy.sh --pause; a deployment changes it back "
    "only together with other properties of the same resource:"
)


def drifted(difference: Diff) -> Sequence[str]:
    """A line for each change that CloudFormation did not make."""
    return [_drifted(each) for each in difference.drift.found] if difference.drift else []


def _drifted(each: Drifted) -> str:
    if not each.property:
        return f"{each.resource} was deleted"
    values = each.actual or "gone", each.expected or "absent"
    actual, expected = (
        value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..." for value in values
    )
    return f"{each.resource}: {each.property} is {actual}, and {expected} in the template"


def unknown(difference: Diff) -> str:
    """What the comparison cannot know; of changes, empty where nothing is at stake."""
    drift, facts = difference.drift, []
    if any(each.effect.kind not in QUIET for each in difference.effects):
        facts = ["whether nodes run, and what jobs they have"]
        facts += [] if drift else ["changes that were made by hand"]
    facts += [f"drift of {each}" for each in drift.unread] if drift else []
    if not facts:
        return ""
    return f"not known{'' if drift else ' without AWS'}: {'; '.join(facts)}"
