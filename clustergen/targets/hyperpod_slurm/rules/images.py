"""Operating systems and images."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.hyperpod import limits
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm.rules import rule


@rule(
    "IMG350",
    "Operating system that HyperPod has no image for",
    why="Slurm nodes of HyperPod run Ubuntu, unless you bring an image of your own.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-release-ami-slurm.html",
    bad="software: {os: rhel9}",
    good="software: {os: ubuntu2204}",
)
def operating_system(plan: Plan) -> Iterator[Problem]:
    if not plan.software.os.startswith("ubuntu") and _uses_default_image(plan):
        yield Problem(
            ("software", "os"),
            f"HyperPod's image does not run {plan.software.os}",
            help="leave os out, or give every group an image of your own: image: ami-...",
        )


def _uses_default_image(plan: Plan) -> bool:
    images = [machine.image for machine in (plan.head, plan.login) if machine]
    return not all((*images, *(group.image for group in plan.node_groups)))
