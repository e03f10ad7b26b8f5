"""When reserved capacity starts and ends, and what happens then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.plan.model import Plan
from clustergen.plan.timetable import events, iso
from clustergen.readme import markdown

_LIMITS: Final[Mapping[str, str]] = {
    # Its validators read each reservation of a configuration, also of one without changes.
    "parallelcluster": ", as long as EC2 still shows the reservation. After that, ParallelCluster\n"
    "rejects the configuration: write the id of other capacity into the spec, or remove the node\n"
    "group",
}


def paragraphs(plan: Plan) -> Iterator[str]:
    """The times in order, and how to read them in another time zone."""
    found = events(plan)
    if not found:
        return
    rows = [(f"{at:%a %Y-%m-%d %H:%M}", group, what) for at, group, what in found]
    yield markdown.table(("UTC", "Nodes", "What happens"), rows)
    each = " ".join(dict.fromkeys(iso(event.at) for event in found))
    yield (
        "The same in your time zone, with GNU date:\n\n"
        f"```sh\nfor at in {each}; do date -d $at; done\n```"
    )
    yield (
        "If the capacity is extended, or its dates change, write them into the spec, render and\n"
        "deploy: nothing else knows of it. `deploy.sh` can run at any time, also before the start\n"
        f"and after the end{_LIMITS.get(plan.target, '')}."
    )
