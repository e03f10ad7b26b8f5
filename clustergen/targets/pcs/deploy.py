"""``deploy.sh`` of a PCS bundle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from clustergen import shell
from clustergen.artifacts import Artifact
from clustergen.plan.model import Plan
from clustergen.targets.pcs.scripts import Script


def script(
    plan: Plan, *, foundation: bool, scripts: Iterable[Script], parameters: Sequence[str]
) -> Artifact:
    """The script that deploys the bundle.

    ``parameters`` are those of the template whose values the foundation gives.
    """
    text = shell.render(
        "pcs/deploy.sh.j2",
        plan=plan,
        foundation=foundation,
        uploads=[script.key for script in scripts],
        parameters=list(parameters),
    )
    return Artifact("deploy.sh", text, executable=True)
