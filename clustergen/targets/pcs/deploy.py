"""``deploy.sh`` of a PCS bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from clustergen import foundation, shell
from clustergen.artifacts import Artifact
from clustergen.plan.model import Plan
from clustergen.slurm import timetable
from clustergen.targets.pcs import images, schedule, settings
from clustergen.targets.pcs.scripts import Script


def script(plan: Plan, *, scripts: Iterable[Script], parameters: Sequence[str]) -> Artifact:
    """The script that deploys the bundle.

    ``parameters`` are those of the template that are outputs of the foundation.
    """
    text = shell.render(
        "pcs/deploy.sh.j2",
        **foundation.frame(plan),
        uploads=[script.key for script in scripts],
        parameters=list(parameters),
        existing=plan.options.existing.get("cluster"),
        version=settings.version(plan),
        groups=_names(plan),
        images=list(images.newest(plan).items()),
        blocks=[word for pair in _blocks(plan) for word in pair],
        **timetable.values(plan),
        **schedule.values(plan),
    )
    return Artifact("deploy.sh", text, executable=True)


def _names(plan: Plan) -> list[str]:
    """The compute node groups of the bundle."""
    return [group.name for group in plan.node_groups]


def _blocks(plan: Plan) -> Iterator[tuple[str, str]]:
    """Node groups on Capacity Blocks, each with the id of its block, which may be an ARN."""
    for group in plan.node_groups:
        if group.capacity.kind == "capacity-block" and group.capacity.id:
            yield group.name, group.capacity.id.rpartition("/")[2]
