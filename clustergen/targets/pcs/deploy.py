"""``deploy.sh`` of a PCS bundle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clustergen import foundation, shell
from clustergen.artifacts import Artifact
from clustergen.plan.model import Plan
from clustergen.targets.pcs import images
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
        images=list(images.newest(plan).items()),
        timed=[g.name for g in plan.node_groups if g.capacity.kind == "capacity-block"],
    )
    return Artifact("deploy.sh", text, executable=True)
