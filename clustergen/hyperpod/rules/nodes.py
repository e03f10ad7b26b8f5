"""Volumes, interfaces and health checks of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.hyperpod import limits
from clustergen.plan.model import NodeGroup, Plan, Volume

VOLUME_SIZE = Rule(
    code="STG300",
    title="Volume larger than HyperPod attaches",
    why="The root volume has 100 GB; the spec's size is that of the second one, /opt/sagemaker, "
    "which has up to 16,384 GB.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterEbsVolumeConfig.html",
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, root_volume: {size: 20000GiB}}]",
    good="node_groups: [{name: h200, root_volume: {size: 16384GiB}}]",
)
VOLUME_KIND = Rule(
    code="STG301",
    title="HyperPod chooses the kind of volume",
    why="A volume of HyperPod has a size, and neither a type nor IOPS nor throughput.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterEbsVolumeConfig.html",
    severity=Severity.WARNING,
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, root_volume: {throughput: 500}}]",
    good="node_groups: [{name: h200, root_volume: {size: 1024GiB}}]",
)
VOLUME_PLACE = Rule(
    code="STG302",
    title="The size is that of the second volume",
    why="HyperPod's root volume always has 100 GB. What is asked for is attached at "
    "/opt/sagemaker, where containers and their images go.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterEbsVolumeConfig.html",
    severity=Severity.NOTE,
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, root_volume: {size: 1024GiB}}]",
    good="node_groups: [{name: h200}]",
)
EFA = Rule(
    code="NIC300",
    title="EFA cannot be left out",
    why="HyperPod attaches EFA to every instance whose type has it.",
    source=limits.PREREQUISITES,
    severity=Severity.WARNING,
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, efa: false}]",
    good="node_groups: [{name: h200}]",
)
DEEP = Rule(
    code="CAP304",
    title="Deep health checks of nodes without accelerators",
    why="They stress GPUs and Trainium, and what connects them; HyperPod refuses them elsewhere.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-eks-resiliency-deep-health-checks.html",
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, instance_type: c6i.8xlarge, health_checks: [instance-stress]}]",
    good="node_groups: [{name: h200, health_checks: [instance-stress]}]",
)
RULES = (VOLUME_SIZE, VOLUME_KIND, VOLUME_PLACE, EFA, DEEP)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for path, volume in _volumes(plan):
        yield from _volume(plan, path, volume)
    for group in plan.node_groups:
        yield from _efa(plan, group)
        yield from _deep(group)


def _volumes(plan: Plan) -> Iterator[tuple[Path, Volume]]:
    for machine in (plan.head, plan.login):
        if machine:
            yield (*machine.path, "root_volume"), machine.volume
    for group in plan.node_groups:
        yield group.at("root_volume"), group.volume


def _volume(plan: Plan, path: Path, volume: Volume) -> Iterator[Finding]:
    smallest, largest = limits.VOLUME_GB
    if volume.size_gib and not smallest <= volume.size_gib <= largest:
        yield VOLUME_SIZE.at(
            (*path, "size"), f"{volume.size_gib} GiB", help=f"write {largest}GiB or less"
        )
    elif volume.size_gib:
        yield VOLUME_PLACE.at(
            (*path, "size"),
            f"the root volume has {limits.ROOT_GB} GB; {volume.size_gib} GiB are attached at "
            "/opt/sagemaker",
            help="keep large things in /opt/sagemaker or on a shared file system",
        )
    for field in ("type", "iops", "throughput"):
        if plan.wrote(*path, field):
            yield VOLUME_KIND.at(
                (*path, field), f"{field} has no place in HyperPod", help=f"leave {field} out"
            )


def _efa(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    if not group.efa and all(type.efa for type in group.types) and plan.wrote(*group.at("efa")):
        yield EFA.at(
            group.at("efa"),
            f"nodes of {group.name} have EFA all the same",
            help="leave efa out, or take a type without it",
        )


def _deep(group: NodeGroup) -> Iterator[Finding]:
    deep = [check for check in group.health_checks if check in limits.HEALTH_CHECKS]
    if deep and not all(type.gpus or type.neuron_devices for type in group.types):
        yield DEEP.at(
            group.at("health_checks"),
            f"{group.type.name} has nothing that {deep[0]} could check",
            help="leave health_checks out",
        )
