"""Region and SSH access."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import services
from clustergen.findings import Problem, Severity
from clustergen.hyperpod import limits
from clustergen.hyperpod.rules import rule
from clustergen.plan.model import Plan


@rule(
    "NET300",
    "Region without HyperPod",
    why="In this region, CloudFormation does not have AWS::SageMaker::Cluster, or AWS does not "
    "publish the managed policy of HyperPod's nodes.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod.html",
    bad="""region: eu-west-3
network: {zone: euw3-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]""",
    good="""region: eu-west-1
network: {zone: euw1-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]""",
)
def region(plan: Plan) -> Iterator[Problem]:
    service = services.SERVICES["hyperpod"]
    if services.available("hyperpod", plan.region) is not True:
        near = ", ".join(service.nearest(plan.region))
        yield Problem(
            ("region",),
            f"HyperPod was not available in {plan.region} on {service.date}",
            help=f"regions that have it: {near}" if near else "take the parallelcluster target",
        )


@rule(
    "NET301",
    "SSH from outside the VPC",
    why="HyperPod's instances have no public address. SSH reaches them only through a VPN or a "
    "peered network; Session Manager always works.",
    source=limits.PREREQUISITES,
    severity=Severity.WARNING,
    bad="network: {ssh_from: [203.0.113.0/24]}\nlogin: {}",
    good="login: {}",
)
def ssh(plan: Plan) -> Iterator[Problem]:
    if plan.network.ssh_from:
        yield Problem(
            ("network", "ssh_from"),
            "the nodes have no public address for SSH",
            help="write the addresses of your VPN, or leave it out and use Session Manager",
        )
