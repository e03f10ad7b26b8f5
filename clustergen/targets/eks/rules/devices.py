"""Accelerators: allocation to pods, and partitions."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, unwanted
from clustergen.facts.catalog import families
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.eks.versions import at_least
from clustergen.services.kubernetes import claims, karpenter
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules import note, rule, warning

_DRA = "kubernetes: {devices: dra}"
_GB200 = (
    "{name: h200, instance_type: p6e-gb200.36xlarge, count: 18, "
    "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"
)


@rule(
    "K8S520",
    "Device claims before Kubernetes 1.34",
    why="Dynamic resource allocation, and the drivers of NVIDIA, Neuron and EFA for it, begin with "
    "1.34.",
    source=limits.NVIDIA,
    bad="kubernetes: {devices: dra, version: '1.33', support: extended}",
    good="kubernetes: {devices: dra, version: '1.35'}",
)
def too_old(plan: Plan) -> Iterator[Problem]:
    if claims.is_on(plan) and not at_least(plan.kubernetes.version, limits.DRA):
        enough = limits.EFA_DRA if any(group.efa for group in plan.node_groups) else limits.DRA
        yield Problem(
            ("kubernetes", "devices"),
            f"Kubernetes {plan.kubernetes.version} has no device claims",
            help=f"write version: '{enough}' or later, or devices: plugin",
            fix=unsafe(put(("kubernetes", "devices"), "plugin")),
        )


@warning(
    "K8S527",
    "EFA claims before Kubernetes 1.35",
    why="The chart of EFA's driver for dynamic resource allocation is for 1.35 and later, though "
    "the user guide says 1.34.",
    source="https://github.com/aws/eks-charts/blob/master/stable/aws-dranet/README.md",
    bad="kubernetes: {devices: dra, version: '1.34'}",
    good="kubernetes: {devices: dra, version: '1.35'}",
)
def too_old_for_efa(plan: Plan) -> Iterator[Problem]:
    version = plan.kubernetes.version
    claimed = claims.is_on(plan) and any(group.efa for group in plan.node_groups)
    between = at_least(version, limits.DRA) and not at_least(version, limits.EFA_DRA)
    if claimed and between:
        yield Problem(
            ("kubernetes", "devices"),
            f"the driver of EFA for claims may not run on Kubernetes {version}",
            help=f"write version: '{limits.EFA_DRA}' or later, or devices: plugin",
            fix=unsafe(put(("kubernetes", "devices"), "plugin")),
        )


@rule(
    "K8S521",
    "Device claims on nodes that Karpenter starts",
    why="Karpenter counts the resources of device plugins to know which node a pod needs; it "
    "ignores claims when it starts nodes on demand.",
    source=limits.NVIDIA,
    bad="kubernetes: {devices: dra, autoscaler: karpenter}\n"
    "node_groups: [{name: h200, count: {min: 0, max: 4}}]",
)
def claimed_from_karpenter(plan: Plan) -> Iterator[Problem]:
    for group in karpenter.groups(plan) if claims.is_on(plan) else ():
        if group.efa or group.type.accelerator is not None:
            yield Problem(
                ("kubernetes", "devices"),
                f"Karpenter cannot start {group.name} for pods that claim devices",
                help=f"write devices: plugin, or count: {group.max} in {group.name}",
                fix=unsafe(put(("kubernetes", "devices"), "plugin")),
            )


@rule(
    "K8S523",
    "Accelerators that have no driver for device claims",
    why="Neuron's driver for dynamic resource allocation is for Trainium and Inferentia2.",
    source=limits.NEURON,
    bad=f"{_DRA}\nnode_groups: [{{name: h200, instance_type: inf1.24xlarge}}]",
    good=f"{_DRA}\nnode_groups: [{{name: h200, instance_type: inf2.24xlarge}}]",
)
def no_driver(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups if claims.is_on(plan) else ():
        if not families.find(group.type.family).device_claims:
            yield Problem(
                group.at("instance_type"),
                f"{group.type.name} has no driver for device claims",
                help="use inf2, or write kubernetes.devices: plugin",
                fix=unsafe(put(("kubernetes", "devices"), "plugin")),
            )


@rule(
    "K8S526",
    "Claimed partitions",
    why="Partitions are claimed by profile and by a device class for MIG; the claims of the "
    "bundle, and its quotas, are for whole GPUs.",
    source=limits.MIG,
    bad=f"{_DRA}\nnode_groups: [{{name: h200, efa: false, mig: {{1g.18gb: 7}}}}]",
)
def claimed_partitions(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups if claims.is_on(plan) else ():
        if group.mig:
            yield Problem(
                group.at("mig"),
                f"pods do not claim the partitions of {group.name}",
                help="write kubernetes.devices: plugin",
                fix=unsafe(put(("kubernetes", "devices"), "plugin")),
            )


@rule(
    "K8S524",
    "UltraServers before Kubernetes 1.33",
    why="Pods get their NVLink domain from ComputeDomains, which are device claims.",
    source=limits.ULTRASERVERS,
    bad=f"kubernetes: {{version: '1.32', support: extended}}\nnode_groups: [{_GB200}}}]",
    good=f"kubernetes: {{version: '1.35'}}\nnode_groups: [{_GB200}}}]",
)
def ultraserver(plan: Plan) -> Iterator[Problem]:
    for group in _ultraservers(plan):
        if not at_least(plan.kubernetes.version, limits.ULTRASERVER):
            yield Problem(
                ("kubernetes", "version"),
                f"{group.type.name} needs Kubernetes {limits.ULTRASERVER}",
                help=f"write version: '{limits.DRA}' or later",
                fix=unsafe(put(("kubernetes", "version"), limits.DRA)),
            )


@rule(
    "K8S525",
    "UltraServers that Karpenter starts",
    why="Karpenter does not start nodes for device claims, which the NVLink domain needs.",
    source=limits.ULTRASERVERS,
    bad="kubernetes: {autoscaler: karpenter}\n"
    f"node_groups: [{_GB200.replace('18', '{min: 0, max: 18}')}}}]",
)
def scaled_ultraserver(plan: Plan) -> Iterator[Problem]:
    for group in _ultraservers(plan):
        if karpenter.is_karpenter(plan, group):
            yield Problem(
                group.at("count"),
                f"Karpenter cannot start {group.name}",
                help=f"write count: {group.max}",
                fix=unsafe(put(group.at("count"), group.max)),
            )


@note(
    "K8S528",
    "NVIDIA GPUs of Arm nodes are not monitored",
    why="The part of eks-node-monitoring-agent that watches NVIDIA GPUs runs on x86_64 nodes only. "
    "EKS does not find or replace an Arm node with a faulty GPU.",
    source="https://github.com/aws/eks-node-monitoring-agent/blob/main/charts/"
    "eks-node-monitoring-agent/values.yaml",
    bad=f"node_groups: [{_GB200}}}]",
    good="node_groups: [{name: h200, instance_type: p5en.48xlarge}]",
)
def unmonitored(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.type.gpus and group.type.arch == "arm64" and plan.resilience.replace_failed_nodes:
            yield Problem(
                group.at("instance_type"),
                f"nothing watches the GPUs of {group.name}",
                help="watch their metrics, and delete the EC2 instance of a node with a faulty GPU",
            )


@rule(
    "GPU500",
    "MIG on GB200",
    why="The image's driver manages the memory of GB200 coherently, which excludes MIG.",
    source=limits.ULTRASERVERS,
    bad=f"node_groups: [{_GB200}, efa: false, mig: {{1g.23gb: 7}}}}]",
)
def coherent_memory(plan: Plan) -> Iterator[Problem]:
    for group in _ultraservers(plan):
        if group.mig:
            yield unwanted(
                group.at("mig"), f"{group.type.name} has no MIG on EKS", help="remove mig"
            )


@warning(
    "GPU501",
    "EFA on partitioned GPUs",
    why="NCCL does not work over MIG partitions: EFA and a placement group carry no traffic of "
    "GPUs.",
    source=limits.MIG,
    bad="node_groups: [{name: h200, mig: {1g.18gb: 7}}]",
)
def partitions_with_efa(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if group.mig and group.type.gpus and group.efa and not group.type.nvlink_domain:
            yield Problem(
                group.at("mig"),
                f"partitions of {group.name} do not communicate over EFA",
                help="write efa: false",
                fix=unsafe(put(group.at("efa"), False)),
            )


def _ultraservers(plan: Plan) -> Iterator[NodeGroup]:
    return (group for group in plan.node_groups if group.type.nvlink_domain)
