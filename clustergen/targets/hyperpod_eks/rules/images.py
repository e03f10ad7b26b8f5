"""Operating system of the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem, Severity
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import limits
from clustergen.targets.hyperpod_eks.rules import EXISTING, rule


@rule(
    "IMG400",
    "Operating system that HyperPod's EKS nodes do not have",
    why="Nodes of an EKS cluster run Amazon Linux, in HyperPod's image or one made from it.",
    source=limits.EKS_PREREQUISITES,
    severity=Severity.WARNING,
    bad=f"{EXISTING}\nsoftware: {{os: ubuntu2404}}",
    good=f"{EXISTING}\nsoftware: {{os: alinux2023}}",
)
def operating_system(plan: Plan) -> Iterator[Problem]:
    if plan.software.os != limits.OS and plan.wrote("software", "os"):
        yield Problem(
            ("software", "os"),
            f"the nodes run Amazon Linux 2023, not {plan.software.os}",
            help=f"write os: {limits.OS}",
        )
