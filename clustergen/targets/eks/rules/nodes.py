"""Root volumes, pods per node, and system nodes."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.facts.catalog import regions
from clustergen.plan.model import Interface, Plan
from clustergen.services.eks.launch_templates import METADATA_HOPS
from clustergen.services.kubernetes import capacity
from clustergen.targets.eks import limits, pods
from clustergen.targets.eks.rules import note, warning

_DALLAS = """node_groups:
  - name: h200
    instance_type: p6e-gb200.36xlarge
    count: 18
    capacity: {capacity_block: cr-0a1b2c3d4e5f67890}
network:
  vpc: vpc-0a1b2c3d4e5f67890
  zone: use1-dfw2-az1
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-dfw2-az1}"""
_CONTROL_PLANE = """
  control_plane_subnets:
    - {id: subnet-0a1b2c3d4e5f67891, zone: use1-az6}
    - {id: subnet-0a1b2c3d4e5f67892, zone: use1-az2}"""
_SYSTEM_VCPUS, _SYSTEM_GIB = 2, 8
"""Requests of the default bundle's software, with two nodes of which one may fail."""


@warning(
    "LIM503",
    "Nodes that can run only a few pods",
    why="A pod needs an address of the node's interfaces. The agents of network, storage, devices "
    "and metrics are pods on every node, before any job.",
    source=limits.TYPES,
    bad="node_groups: [{name: h200, instance_type: t3.micro}]",
    good="node_groups: [{name: h200, instance_type: m7i.xlarge}]",
)
def few_pods(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        for type in group.types:
            room = pods.most(type, group.interfaces)
            if room < capacity.FEWEST_PODS:
                message = f"{type.name} has room for {room} pods"
                yield Problem(group.at("instance_type"), message, help="use a larger size")


@note(
    "K8S554",
    "Permissions of nodes that pods do not get",
    why="The metadata service answers the node alone, so that jobs cannot use what the agents of a "
    "node may do. Pods get permissions from the role of their service account.",
    source="https://docs.aws.amazon.com/eks/latest/best-practices/identity-and-access-management.html",
    bad="node_groups: [{name: h200, iam: {s3: [s3://research-data]}}]",
    good="""node_groups: [{name: h200, iam: {s3: [s3://research-data]}}]
targets: {eks: {imds_hops: 2}}""",
)
def only_nodes(plan: Plan) -> Iterator[Problem]:
    if (getattr(plan.options, "imds_hops", None) or METADATA_HOPS) > METADATA_HOPS:
        return
    for group in plan.node_groups:
        if group.iam.adds:
            yield Problem(
                group.at("iam"),
                f"nodes of {group.name} have these permissions, and pods on them do not",
                help="give a service account of the jobs a role (`aws eks "
                "create-pod-identity-association`); or write `imds_hops: 2` under targets.eks: "
                "all pods then have the permissions of their node",
            )


@warning(
    "K8S540",
    "System nodes too small for the cluster software",
    why="DNS, controllers, webhooks and metrics run there, and jobs wait while they do not.",
    source="https://docs.aws.amazon.com/eks/latest/best-practices/scale-cluster-services.html",
    bad="kubernetes: {system_nodes: {instance_type: t3.small}}",
)
def small_system_nodes(plan: Plan) -> Iterator[Problem]:
    system = plan.kubernetes.system_nodes
    type = system.type
    if plan.system is None:
        return
    small = type.vcpus < _SYSTEM_VCPUS or type.memory_gib < _SYSTEM_GIB
    if small or pods.most(type, (Interface(0, 0, "interface"),)) < 2 * capacity.FEWEST_PODS:
        yield Problem(
            (*system.path, "instance_type"),
            f"{type.name} has {type.vcpus} vCPUs and {type.memory_gib:g} GiB",
            help=f"use a type with {_SYSTEM_VCPUS} vCPUs and {_SYSTEM_GIB} GiB or more, such as "
            "m7i.large",
            fix=unsafe(put((*system.path, "instance_type"), "m7i.large")),
        )


@warning(
    "K8S543",
    "System nodes in a Local Zone",
    why="A Local Zone has a few instance types, and general ones are rarely among them. In a new "
    "VPC, system nodes are in zones of the region.",
    source="https://docs.aws.amazon.com/local-zones/latest/ug/available-local-zones.html",
    bad=f"{_DALLAS}]{_CONTROL_PLANE}",
    good=f"{_DALLAS}, {{id: subnet-0a1b2c3d4e5f67893, zone: use1-az6}}]{_CONTROL_PLANE}",
)
def local_zone(plan: Plan) -> Iterator[Problem]:
    zones = [subnet.zone or "" for subnet in plan.network.system]
    type = plan.kubernetes.system_nodes.type
    local = plan.system is not None and all(map(regions.is_local_zone, zones))
    if local and not any(type.offered_in_zone(zone) for zone in zones):
        yield Problem(
            ("network", "cidr" if plan.network.new else "private_subnets"),
            f"the system nodes would be in {zones[0]}, which is not known to offer {type.name}",
            help="widen the block to a /24 or more, which has room for subnets in the region"
            if plan.network.new
            else "add a second of the private_subnets, in a zone of the region, for them",
        )


@warning(
    "K8S541",
    "A single system node",
    why="While it is replaced or updated there is no DNS, and no webhook admits pods.",
    source="https://docs.aws.amazon.com/eks/latest/best-practices/scale-cluster-services.html",
    bad="kubernetes: {system_nodes: {count: 1}}",
)
def one_system_node(plan: Plan) -> Iterator[Problem]:
    system = plan.kubernetes.system_nodes
    if plan.system and system.count < 2:
        path, message = (*system.path, "count"), "one system node, and none when it fails"
        yield Problem(path, message, help="write 2", fix=unsafe(put(path, 2)))


@warning(
    "K8S542",
    "System nodes with accelerators",
    why="The cluster software does not use accelerators, and jobs do not run there.",
    source="https://docs.aws.amazon.com/eks/latest/best-practices/scale-cluster-services.html",
    bad="kubernetes: {system_nodes: {instance_type: g6.2xlarge}}",
)
def accelerated_system_nodes(plan: Plan) -> Iterator[Problem]:
    system = plan.kubernetes.system_nodes
    if plan.system and system.type.accelerator:
        path = (*system.path, "instance_type")
        message = f"{system.type.name} has accelerators that nothing there uses"
        help = "use a general type, such as m7i.large; for jobs, add a node group"
        yield Problem(path, message, help=help, fix=unsafe(put(path, "m7i.large")))
