"""``deploy.sh`` of a PCS bundle."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Bundle
from clustergen.deployment import resource_types
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.slurm import tables
from clustergen.targets.pcs import images, limits, names, schedule, settings
from clustergen.targets.pcs.scripts import Script


def script(
    plan: Plan,
    *,
    scripts: Iterable[Script],
    followed: Bundle,
    parameters: Sequence[str],
    adopted: Sequence[str],
) -> Artifact:
    """The script that deploys the bundle.

    ``parameters`` are those of the template that are outputs of the foundation; ``adopted`` is what
    it has of an adopted stack; ``followed`` are the tables that nodes read regularly.
    """
    text = shell.render(
        "pcs/deploy.sh.j2",
        **{**foundation.frame(plan), "adopted": list(adopted)},
        uploads=[script.key for script in scripts],
        parameters=list(parameters),
        existing=plan.existing.named.get("cluster"),
        version=settings.version(plan),
        ending=limits.ending_version(settings.version(plan)),
        lasting=limits.DEFAULT_SLURM_VERSION,
        images=list(images.newest(plan).items()),
        blocks=[word for pair in _blocks(plan) for word in pair],
        **resource_types.of_nodes(
            "AWS::PCS::ComputeNodeGroup",
            most={names.node_group(group.name): group.max for group in plan.node_groups},
        ),
        **tables.values(plan, followed),
        **schedule.values(plan),
    )
    return Artifact("deploy.sh", text, executable=True)


def _blocks(plan: Plan) -> Iterator[tuple[str, str]]:
    """Node groups on Capacity Blocks, each with the id of its block, which may be an ARN."""
    for group in plan.node_groups:
        if group.capacity.kind == "capacity-block" and group.capacity.id:
            yield group.name, group.capacity.id.rpartition("/")[2]
