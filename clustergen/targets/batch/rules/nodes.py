"""Instance types, EFA and images of nodes."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.plan.model import Plan
from clustergen.plan.sizes import runs_multi_node
from clustergen.targets.batch import limits, nodes
from clustergen.targets.batch.rules import note, rule, warning

_TASKS = "https://docs.aws.amazon.com/AmazonECS/latest/developerguide/task-networking-awsvpc.html"


@rule(
    "NIC600",
    "No place for the interface of a task",
    why="Each task of a multi-node job gets a network interface of its own, on the first network "
    "card of its node. If that card is full, no task starts.",
    source=_TASKS,
    bad="node_groups: [{name: h200, instance_type: hpc6id.32xlarge, count: 2}]",
    good="node_groups: [{name: h200, instance_type: hpc6id.32xlarge, count: 2, efa: false}]",
)
def full_card(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if runs_multi_node(group) and nodes.free_slots(group) < 1:
            small = group.type.cards[0].max_interfaces < 2
            yield Problem(
                group.at("instance_type" if small else "efa_layout"),
                f"the first network card of {group.type.name} has no place for the interface of a "
                "task",
                help="write efa: false for jobs of one node, or use another type"
                if small
                else "write efa_layout: efa, or remove it",
            )


@note(
    "NIC601",
    "EFA devices among others",
    why="Nodes of this type may have InfiniBand devices that are no EFA interfaces. libfabric uses "
    "no EFA at all if a container has one of those instead.",
    source="https://github.com/ofiwg/libfabric/issues/12708",
    bad="node_groups: [{name: h200, instance_type: p6-b200.48xlarge, count: 2}]",
    good="node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]",
)
def other_devices(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.efa and group.type.family in limits.OTHER_DEVICES:
            yield Problem(
                group.at("instance_type"),
                f"{group.type.name} may have other devices besides its {group.efa_interfaces} EFA "
                "interfaces",
                help="run verify.sh, which compares them, before you train",
            )


@warning(
    "NIC602",
    "Default security group of an existing VPC",
    why="Launch templates for EFA list the interfaces of nodes, so the compute environment can "
    "name no security groups. Then the tasks of multi-node jobs are in the default security group "
    "of the VPC, which many accounts empty.",
    source=limits.MULTI_NODE,
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]""",
    good="network: {zone: use1-az6}",
)
def default_group(plan: Plan) -> Iterator[Problem]:
    if plan.network.new or not any(map(runs_multi_node, plan.node_groups)):
        return
    yield Problem(
        ("network", "vpc"),
        "tasks of multi-node jobs are in the default security group of this VPC, which must admit "
        "itself",
        help="keep its default rules; deploy.sh checks them",
    )


@rule(
    "IMG600",
    "GPUs without an image",
    why="AWS's ECS image with the NVIDIA driver is for x86_64 only.",
    source="https://github.com/aws/amazon-ecs-ami",
    bad="node_groups: [{name: h200, instance_type: g5g.16xlarge}]",
    good="node_groups: [{name: h200, instance_type: g5g.16xlarge, image: ami-0a1b2c3d4e5f67890}]",
)
def no_image(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        unsupported = group.type.nvlink_domain  # by a row of the support matrix
        if group.type.gpus and group.type.arch == "arm64" and not group.image and not unsupported:
            yield Problem(
                group.at("instance_type"),
                f"AWS has no ECS image with GPUs for {group.type.name}",
                help="give an image of your own, or use an x86_64 type",
            )


@note(
    "IMG601",
    "Image of your own on Batch",
    why="Batch supports Amazon Linux with ecs-init. Nodes of another image do not join.",
    source=f"{limits.USER_GUIDE}batch-ami-spec.html",
    bad="node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]",
    good="node_groups: [{name: h200}]",
)
def own_image(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.image:
            yield Problem(
                group.at("image"),
                f"{group.image} needs Amazon Linux, ecs-init, and drivers of its devices",
                help="build it from AWS's ECS-optimized image",
            )
