"""How many groups, nodes and pods; and the nodes of the cluster's own software."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.kubernetes import karpenter
from clustergen.plan.model import Interface, NodeGroup, Plan
from clustergen.targets.eks import limits, pods

_30 = ", ".join(
    f"{{name: g{number}, instance_type: m7i.4xlarge, count: 1}}" for number in range(29)
)

GROUPS = Rule(
    code="LIM501",
    title="More node groups than the default quota",
    why="A cluster has at most 30 managed node groups, the system nodes' included; Service Quotas "
    "raises it, before the deployment.",
    source=limits.QUOTAS,
    severity=Severity.WARNING,
    target="eks",
    bad=f"node_groups: [{_30}]",
    good=f"node_groups: [{_30.partition(', {')[0]}]",
)
NODES = Rule(
    code="LIM502",
    title="More nodes in a group than the default quota",
    why="A managed node group has at most 450 nodes; Service Quotas raises it.",
    source=limits.QUOTAS,
    severity=Severity.WARNING,
    target="eks",
    bad="node_groups: [{name: h200, instance_type: m7i.4xlarge, count: 451}]",
    good="node_groups: [{name: h200, instance_type: m7i.4xlarge, count: 450}]",
)
FEW_PODS = Rule(
    code="LIM503",
    title="Nodes with room for few pods",
    why="A pod takes an address of the node's interfaces. The agents of network, storage, devices "
    "and metrics are pods on every node, before any job.",
    source=limits.TYPES,
    severity=Severity.WARNING,
    target="eks",
    bad="node_groups: [{name: h200, instance_type: t3.micro}]",
    good="node_groups: [{name: h200, instance_type: m7i.xlarge}]",
)
SMALL_SYSTEM = Rule(
    code="K8S540",
    title="System nodes too small for the cluster's software",
    why="DNS, controllers, webhooks and metrics run there, and jobs wait while they do not.",
    source="https://docs.aws.amazon.com/eks/latest/best-practices/scale-cluster-services.html",
    severity=Severity.WARNING,
    target="eks",
    bad="kubernetes: {system_nodes: {instance_type: t3.small}}",
    good="kubernetes: {system_nodes: {instance_type: m7i.large}}",
)
LONG_USER_DATA = Rule(
    code="LIM504",
    title="More user data than EC2 takes",
    why="The user data of a node, of 16 KiB at the most, names every script with its arguments.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
    target="eks",
    bad='software: {scripts: [{run: "s3://my-bucket/setup.sh", args: ['
    + ", ".join(["a" * 500] * 33)
    + "]}]}",
    good='software: {scripts: [{run: "s3://my-bucket/setup.sh", args: [--fast]}]}',
)
NOWHERE = Rule(
    code="LIM505",
    title="Script that runs nowhere",
    why="EKS runs the control plane, and there are no login nodes: scripts run on compute nodes.",
    source=limits.LAUNCH_TEMPLATES,
    severity=Severity.WARNING,
    target="eks",
    bad='software: {scripts: [{run: "s3://my-bucket/setup.sh", on: [head]}]}',
    good='software: {scripts: [{run: "s3://my-bucket/setup.sh", on: [head, compute]}]}',
)
ONE_SYSTEM = Rule(
    code="K8S541",
    title="A single system node",
    why="While it is replaced or updated there is no DNS, and no webhook lets pods in.",
    source="https://docs.aws.amazon.com/eks/latest/best-practices/scale-cluster-services.html",
    severity=Severity.WARNING,
    target="eks",
    bad="kubernetes: {system_nodes: {count: 1}}",
    good="kubernetes: {system_nodes: {count: 2}}",
)
ACCELERATED_SYSTEM = Rule(
    code="K8S542",
    title="System nodes with accelerators",
    why="Nothing of the cluster's own software uses an accelerator; jobs do not run there.",
    source="https://docs.aws.amazon.com/eks/latest/best-practices/scale-cluster-services.html",
    severity=Severity.WARNING,
    target="eks",
    bad="kubernetes: {system_nodes: {instance_type: g6.2xlarge}}",
    good="kubernetes: {system_nodes: {instance_type: m7i.large}}",
)
RULES = (
    *(GROUPS, NODES, FEW_PODS, LONG_USER_DATA, NOWHERE),
    *(SMALL_SYSTEM, ONE_SYSTEM, ACCELERATED_SYSTEM),
)

_OWN_USER_DATA, _QUOTES = 2048, 4
"""What is in the user data beside the scripts, at the most, and around each word of them."""

_FEWEST_PODS = 12
"""Agents of a node with all that a bundle can bring, and a few jobs."""
_SYSTEM_VCPUS, _SYSTEM_GIB = 2, 8
"""What the default bundle's software asks for, over two nodes, with room for one to fail."""


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    yield from _groups(plan)
    for group in managed(plan):
        yield from _nodes(group)
    for group in plan.node_groups:
        yield from _pods(group)
    yield from _user_data(plan)
    yield from _system(plan)


def managed(plan: Plan) -> tuple[NodeGroup, ...]:
    """The groups that are managed node groups: all but those that Karpenter scales."""
    return tuple(g for g in plan.node_groups if not karpenter.is_karpenter(plan, g))


def _groups(plan: Plan) -> Iterator[Finding]:
    count = len(managed(plan)) + 1
    if count > limits.MAX_NODE_GROUPS:
        yield GROUPS.at(
            ("node_groups",),
            f"{count} node groups, the system nodes' included; the quota is "
            f"{limits.MAX_NODE_GROUPS}",
            help="ask Service Quotas for more first",
        )


def _nodes(group: NodeGroup) -> Iterator[Finding]:
    if group.max > limits.MAX_NODES:
        yield NODES.at(
            group.at("count"),
            f"{group.max} nodes in {group.name}; the quota is {limits.MAX_NODES}",
            help="ask Service Quotas for more first, or make two groups of it",
        )


def _pods(group: NodeGroup) -> Iterator[Finding]:
    for type in group.types:
        room = pods.most(type, group.interfaces)
        if room < _FEWEST_PODS:
            yield FEW_PODS.at(
                group.at("instance_type"),
                f"{type.name} has room for {room} pods",
                help="take a larger size",
            )


def _user_data(plan: Plan) -> Iterator[Finding]:
    scripts = plan.software.scripts
    for script in scripts:
        if "compute" not in script.on:
            yield NOWHERE.at(
                (*script.path, "on"),
                f"no node of this cluster is a {' or '.join(script.on)} node",
                help="add compute",
            )
    text = sum(len(part) + _QUOTES for s in scripts for part in (s.url, s.sha256 or "", *s.args))
    if text + _OWN_USER_DATA > limits.MAX_USER_DATA:
        yield LONG_USER_DATA.at(
            ("software", "scripts"),
            f"scripts and arguments of {text:,} characters, of "
            f"{limits.MAX_USER_DATA - _OWN_USER_DATA:,} at the most",
            help="keep arguments in a file that the script fetches",
        )


def _system(plan: Plan) -> Iterator[Finding]:
    nodes = plan.kubernetes.system_nodes
    path = (*nodes.path, "instance_type")
    small = nodes.type.vcpus < _SYSTEM_VCPUS or nodes.type.memory_gib < _SYSTEM_GIB
    if small or pods.most(nodes.type, (Interface(0, 0, "interface"),)) < 2 * _FEWEST_PODS:
        yield SMALL_SYSTEM.at(
            path,
            f"{nodes.type.name} has {nodes.type.vcpus} vCPUs and {nodes.type.memory_gib:g} GiB",
            help=f"take {_SYSTEM_VCPUS} vCPUs and {_SYSTEM_GIB} GiB or more, such as m7i.large",
        )
    if nodes.type.accelerator:
        yield ACCELERATED_SYSTEM.at(
            path,
            f"{nodes.type.name} has accelerators that nothing there uses",
            help="take a general type, such as m7i.large; for jobs make a node group",
        )
    if nodes.count < 2:
        yield ONE_SYSTEM.at(
            (*nodes.path, "count"), "one system node, and none when it fails", help="write 2"
        )
