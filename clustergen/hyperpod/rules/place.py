"""Regions and the network."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import services
from clustergen.findings import Finding, Rule, Severity
from clustergen.hyperpod import limits
from clustergen.plan.model import Plan

REGION = Rule(
    code="NET300",
    title="Region without HyperPod",
    why="CloudFormation has no AWS::SageMaker::Cluster there, nor has the foundation the managed "
    "policy of its nodes.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod.html",
    target="hyperpod-slurm",
    bad="""region: eu-west-3
network: {zone: euw3-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]""",
    good="""region: eu-west-1
network: {zone: euw1-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]""",
)
SSH = Rule(
    code="NET301",
    title="SSH from outside the VPC",
    why="HyperPod's instances have no public address. SSH reaches them through a VPN or a peered "
    "network; Session Manager always does.",
    source=limits.PREREQUISITES,
    severity=Severity.WARNING,
    target="hyperpod-slurm",
    bad="network: {ssh_from: [203.0.113.0/24]}\nlogin: {}",
    good="login: {}",
)
RULES = (REGION, SSH)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    service = services.SERVICES["hyperpod"]
    if services.available("hyperpod", plan.region) is not True:
        near = ", ".join(service.nearest(plan.region))
        yield REGION.at(
            ("region",),
            f"HyperPod was not in {plan.region} on {service.date}",
            help=f"regions that have it: {near}" if near else "take the parallelcluster target",
        )
    if plan.network.ssh_from:
        yield SSH.at(
            ("network", "ssh_from"),
            "no node has a public address that SSH could reach",
            help="write the addresses of your VPN, or leave it out and use Session Manager",
        )
