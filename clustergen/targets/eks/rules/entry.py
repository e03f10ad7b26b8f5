"""How people reach the nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import Plan

SSH = Rule(
    code="NET506",
    title="SSH to the nodes of an EKS cluster",
    why="Nodes have no public address, and their security groups let nobody in by SSH. People "
    "reach the cluster through its API; Session Manager opens a shell on a node.",
    source="https://docs.aws.amazon.com/eks/latest/best-practices/protecting-the-infrastructure.html",
    severity=Severity.WARNING,
    target="eks",
    bad="network: {ssh_from: [203.0.113.0/24]}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
RULES = (SSH,)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    if plan.network.ssh_from:
        yield SSH.at(
            ("network", "ssh_from"),
            "no node lets SSH in",
            help="leave it out and use Session Manager; for kubectl from these addresses, write "
            "kubernetes.public_endpoint_from",
        )
