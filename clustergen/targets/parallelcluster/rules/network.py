"""Regions, subnets, who may connect, and the form of network interfaces."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from clustergen.aws import references
from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.homes import homes
from clustergen.targets.parallelcluster.scheduling import subnets

_TARGET = "parallelcluster"
_SSH = "https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#HeadNode-v3-Ssh"

REGION = Rule(
    code="NET101",
    title="ParallelCluster is not in this region",
    why="It has neither images nor its own artifacts there.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/supported-regions-v3.html",
    target=_TARGET,
    bad="""region: ap-south-2
network: {zone: aps2-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]""",
    good="""region: ap-south-1
network: {zone: aps1-az1}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]""",
)
ONE_SOURCE = Rule(
    code="NET102",
    title="ParallelCluster takes one source of SSH",
    why="Ssh.AllowedIps is one IPv4 block. Several are let in by the foundation's login group, "
    "which is not made where existing security groups are given.",
    source=_SSH,
    target=_TARGET,
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  security_groups: [sg-0a1b2c3d4e5f67890]
  ssh_from: [10.1.0.0/16, 10.2.0.0/16]""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  security_groups: [sg-0a1b2c3d4e5f67890]
  ssh_from: [10.1.0.0/16]""",
)
UNUSED_SUBNETS = Rule(
    code="NET103",
    title="Private subnets that no node uses",
    why="ParallelCluster spreads only groups of several instance types over zones, never those "
    "with EFA, a placement group or a reservation; and one subnet a zone.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-Networking-SubnetIds",
    severity=Severity.NOTE,
    target=_TARGET,
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890, {id: subnet-0a1b2c3d4e5f67891, zone: use1-az2}]
node_groups: [{name: h200, instance_type: m7i.4xlarge}]""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
node_groups: [{name: h200, instance_type: m7i.4xlarge}]""",
)
EFA_LAYOUT = Rule(
    code="NIC101",
    title="ParallelCluster makes EFA interfaces efa-only",
    why="Since 3.15 the primary interface is a plain one and every EFA interface is efa-only, "
    "which takes one address a node. The other form is a developer's setting of the whole cluster.",
    source="https://github.com/aws/aws-parallelcluster/releases/tag/v3.15.0",
    target=_TARGET,
    bad="node_groups: [{name: h200, efa_layout: efa}]",
    good="node_groups: [{name: h200, efa_layout: efa-only}]",
)
RULES = (REGION, ONE_SOURCE, UNUSED_SUBNETS, EFA_LAYOUT)


def check(plan: Plan) -> Iterator[Finding]:
    """Findings on the network."""
    if plan.region not in limits.REGIONS:
        near = sorted(r for r in limits.REGIONS if r.split("-")[0] == plan.region.split("-")[0])
        yield REGION.at(
            ("region",),
            f"ParallelCluster {limits.VERSION} does not support {plan.region}",
            help=f"take another target there (pcs, hyperpod, eks), or one of {', '.join(near)}",
        )
    yield from _ssh(plan)
    yield from _unused(plan)
    for group in plan.node_groups:
        if group.efa and group.efa_layout == "efa":
            yield EFA_LAYOUT.at(
                group.at("efa_layout"),
                f"{group.name}: interfaces of the form efa are not made",
                help="write efa-only; or set DevSettings.EfaInterfaceType: efa in an overlay",
            )


def _ssh(plan: Plan) -> Iterator[Finding]:
    network, at = plan.network, ("network", "ssh_from")
    sixes = [block for block in network.ssh_from if ipaddress.ip_network(block).version == 6]
    own = bool(network.login_security_groups)
    if not own and (len(network.ssh_from) > 1 or sixes):
        yield ONE_SOURCE.at(
            at,
            f"of {', '.join(network.ssh_from)} one IPv4 block can be allowed",
            help="keep one, and let the others in by a rule of your own security group",
        )


def _unused(plan: Plan) -> Iterator[Finding]:
    used = {id for queue in homes(plan).queues for id in subnets(plan, queue)}
    for index, subnet in enumerate(plan.network.private):
        if index and used and references.text(subnet.id) not in used:
            yield UNUSED_SUBNETS.at(
                ("network", "private_subnets", index),
                f"no node goes to {references.text(subnet.id)}",
                help="leave it out, or list several instance types in a group without EFA",
            )
