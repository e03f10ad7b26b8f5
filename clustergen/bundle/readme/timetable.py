"""When reserved capacity starts and ends, and what happens then."""

from __future__ import annotations

from clustergen.output import markdown_text
from clustergen.plan.model import Plan
from clustergen.plan.timetable import events, iso


def values(plan: Plan) -> dict[str, str]:
    """The times in order, as a table, and as words for `date`; both are empty without dates."""
    found = events(plan)
    rows = [(f"{at:%a %Y-%m-%d %H:%M}", group, what) for at, group, what in found]
    return {
        "table": markdown_text.table(("UTC", "Nodes", "What happens"), rows),
        "times": " ".join(dict.fromkeys(iso(event.at) for event in found)),
    }
