"""Accelerators: how pods get them, and what they are cut into."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.kubernetes import karpenter
from clustergen.plan.model import NodeGroup, Plan
from clustergen.targets.eks import limits

_DRA = "kubernetes: {devices: dra}"
_GB200 = (
    "{name: h200, instance_type: p6e-gb200.36xlarge, count: 18, "
    "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"
)

TOO_OLD = Rule(
    code="K8S520",
    title="Device claims before Kubernetes 1.34",
    why="Dynamic resource allocation, and the drivers of NVIDIA, Neuron and EFA for it, begin with "
    "1.34.",
    source=limits.NVIDIA,
    target="eks",
    bad="kubernetes: {devices: dra, version: '1.33', support: extended}",
    good="kubernetes: {devices: dra, version: '1.35'}",
)
KARPENTER = Rule(
    code="K8S521",
    title="Device claims on nodes that Karpenter starts",
    why="Karpenter counts device plugins' resources to know which node a pod needs; of claims it "
    "understands nothing when it starts nodes on demand.",
    source=limits.NVIDIA,
    target="eks",
    bad="kubernetes: {devices: dra, autoscaler: karpenter}\n"
    "node_groups: [{name: h200, count: {min: 0, max: 4}}]",
    good="kubernetes: {devices: plugin, autoscaler: karpenter}\n"
    "node_groups: [{name: h200, count: {min: 0, max: 4}}]",
)
QUOTA = Rule(
    code="K8S522",
    title="Device claims beside Kueue's quotas",
    why="Kueue counts what pods request by name. Claims are counted only where its configuration "
    "maps device classes to such names, which is young.",
    source="https://kueue.sigs.k8s.io/docs/concepts/dynamic_resource_allocation/",
    severity=Severity.WARNING,
    target="eks",
    bad=_DRA,
    good="kubernetes: {devices: plugin}",
)
NO_DRIVER = Rule(
    code="K8S523",
    title="Accelerators that have no driver for device claims",
    why="Neuron's driver for dynamic resource allocation is for Trainium and Inferentia2.",
    source=limits.NEURON,
    target="eks",
    bad=f"{_DRA}\nnode_groups: [{{name: h200, instance_type: inf1.24xlarge}}]",
    good=f"{_DRA}\nnode_groups: [{{name: h200, instance_type: inf2.24xlarge}}]",
)
ULTRASERVER = Rule(
    code="K8S524",
    title="UltraServers before Kubernetes 1.33",
    why="Their NVLink domain reaches pods by ComputeDomains, which are device claims.",
    source=limits.ULTRASERVERS,
    target="eks",
    bad=f"kubernetes: {{version: '1.32', support: extended}}\nnode_groups: [{_GB200}}}]",
    good=f"kubernetes: {{version: '1.35'}}\nnode_groups: [{_GB200}}}]",
)
ULTRASERVER_SCALED = Rule(
    code="K8S525",
    title="UltraServers that Karpenter starts",
    why="Karpenter knows no device claims on demand, which the NVLink domain needs.",
    source=limits.ULTRASERVERS,
    target="eks",
    bad="kubernetes: {autoscaler: karpenter}\n"
    f"node_groups: [{_GB200.replace('18', '{min: 0, max: 18}')}}}]",
    good=f"kubernetes: {{autoscaler: none}}\nnode_groups: [{_GB200}}}]",
)
COHERENT = Rule(
    code="GPU500",
    title="MIG on GB200",
    why="The driver of the image manages the memory of GB200 coherently, and has no MIG then.",
    source=limits.ULTRASERVERS,
    target="eks",
    bad=f"node_groups: [{_GB200}, efa: false, mig: {{1g.23gb: 7}}}}]",
    good=f"node_groups: [{_GB200}, efa: false}}]",
)
NO_NCCL = Rule(
    code="GPU501",
    title="EFA on GPUs that are partitioned",
    why="NCCL does not work over MIG partitions, so that EFA and a placement group hold no traffic "
    "of GPUs.",
    source=limits.MIG,
    severity=Severity.WARNING,
    target="eks",
    bad="node_groups: [{name: h200, mig: {1g.18gb: 7}}]",
    good="node_groups: [{name: h200, efa: false, mig: {1g.18gb: 7}}]",
)
CLAIMED_PARTS = Rule(
    code="K8S526",
    title="Partitions that are claimed",
    why="Partitions are claimed by a device class of their own and by profile; the claims of the "
    "bundle, and its quotas, are of whole GPUs.",
    source=limits.MIG,
    target="eks",
    bad=f"{_DRA}\nnode_groups: [{{name: h200, efa: false, mig: {{1g.18gb: 7}}}}]",
    good="kubernetes: {devices: plugin}\n"
    "node_groups: [{name: h200, efa: false, mig: {1g.18gb: 7}}]",
)
RULES = (
    *(TOO_OLD, KARPENTER, QUOTA, NO_DRIVER),
    *(ULTRASERVER, ULTRASERVER_SCALED, COHERENT, NO_NCCL, CLAIMED_PARTS),
)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    if plan.kubernetes.devices == "dra":
        yield from _claims(plan)
    for group in plan.node_groups:
        if group.type.family.startswith("p6e"):
            yield from _ultraserver(plan, group)
        if group.mig:
            yield from _partitions(group)


def _claims(plan: Plan) -> Iterator[Finding]:
    kubernetes = plan.kubernetes
    path = ("kubernetes", "devices")
    if not limits.at_least(kubernetes.version, limits.DRA):
        yield TOO_OLD.at(
            path,
            f"Kubernetes {kubernetes.version} has no device claims",
            help=f"write version: '{limits.DRA}' or later, or devices: plugin",
        )
    for group in plan.node_groups:
        if group.type.family == "inf1":
            yield NO_DRIVER.at(
                group.at("instance_type"),
                f"{group.type.name} has no driver for device claims",
                help="take inf2, or write kubernetes.devices: plugin",
            )
        if group.mig:
            yield CLAIMED_PARTS.at(
                group.at("mig"),
                f"pods do not claim the partitions of {group.name}",
                help="write kubernetes.devices: plugin",
            )
        if karpenter.is_karpenter(plan, group) and _devices(group):
            yield KARPENTER.at(
                path,
                f"Karpenter cannot start {group.name} for pods that claim devices",
                help=f"write devices: plugin, or count: {group.max} in {group.name}",
            )
    if kubernetes.admission == "kueue" and any(map(_devices, plan.node_groups)):
        yield QUOTA.at(
            path,
            "Kueue counts no devices that pods claim: quotas hold CPUs and memory only",
            help="write devices: plugin where queues share accelerators",
        )


def _devices(group: NodeGroup) -> bool:
    return group.efa or group.type.accelerator is not None


def _ultraserver(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    if not limits.at_least(plan.kubernetes.version, limits.ULTRASERVER):
        yield ULTRASERVER.at(
            ("kubernetes", "version"),
            f"{group.type.name} needs Kubernetes {limits.ULTRASERVER}",
            help=f"write version: '{limits.DRA}' or later",
        )
    if karpenter.is_karpenter(plan, group):
        yield ULTRASERVER_SCALED.at(
            group.at("count"),
            f"Karpenter cannot start {group.name}",
            help=f"write count: {group.max}",
        )


def _partitions(group: NodeGroup) -> Iterator[Finding]:
    if group.type.family.startswith("p6e"):
        yield COHERENT.at(
            group.at("mig"), f"{group.type.name} has no MIG on EKS", help="leave mig out"
        )
    elif group.efa:
        yield NO_NCCL.at(
            group.at("mig"),
            f"partitions of {group.name} do not talk over EFA",
            help="write efa: false",
        )
