"""The decided values of an expanded spec, for a terminal."""

from collections.abc import Iterator
from itertools import groupby

from clustergen.analysis.plan.model import PLAIN, ExpandedSpec
from clustergen.analysis.plan.yaml import flow
from clustergen.base.terminal import wrapped
from clustergen.plan.timetable import events, iso
from clustergen.spec.source.nodes import dotted


def as_text(expanded: ExpandedSpec) -> str:
    """A heading, and a line for each value that the spec leaves open."""
    return "\n".join(_lines(expanded)) + "\n"


def _lines(expanded: ExpandedSpec) -> Iterator[str]:
    plan = expanded.plan
    found = {dotted(path): default for path, default in expanded.defaults.items()}
    yield f"{plan.name} for {plan.limits.title}: {len(found)} values that the spec leaves open"
    # By section, or by entry of a list.
    for _, entries in groupby(found.items(), key=lambda entry: entry[0].partition(".")[0]):
        yield ""
        for name, (value, reason) in entries:
            why = "" if reason == PLAIN else f"  ({reason})"
            yield from wrapped(f"{name}: {flow(value)}{why}", "  ", "      ")
    if times := events(plan):
        yield ""
    for at, group, what in times:
        yield from wrapped(f"{iso(at)}  {group}: {what}", "  ", "      ")
