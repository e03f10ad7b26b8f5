"""What stands in a managed node group, and what in its launch template."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from clustergen.targets.eks import limits
from clustergen.targets.eks.breaches.breach import Breach
from clustergen.targets.eks.breaches.resources import (
    Json,
    Nodes,
    Resource,
    Template,
    a_list,
    a_map,
    maps,
)

MOST_TYPES = 20

# https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html; 2026-11-20. What it calls
# the shutdown and the hibernation behaviour.
_PROHIBITED = {
    "IamInstanceProfile": "the role is the node group's: NodeRole",
    "InstanceInitiatedShutdownBehavior": "EKS controls the lifecycle of its nodes",
    "HibernationOptions": "EKS controls the lifecycle of its nodes",
}
_ELSEWHERE = {
    "DiskSize": "write BlockDeviceMappings in the launch template",
    "RemoteAccess": "write KeyName and security groups in the launch template",
}
# https://docs.aws.amazon.com/eks/latest/userguide/node-repair.html; 2026-11-20.
CONDITIONS = (
    *("AcceleratedHardwareReady", "ContainerRuntimeReady", "KernelReady", "NetworkingReady"),
    *("StorageReady", "Ready", "DiskPressure", "MemoryPressure"),
)
_OVERRIDE = (
    *("NodeMonitoringCondition", "NodeUnhealthyReason", "MinRepairWaitTimeMins", "RepairAction"),
)


def breaches(template: Template, nodes: Nodes) -> Iterator[Breach]:
    """What is in the wrong one of the two, or twice; and numbers that contradict each other."""
    if nodes.template:
        yield from _prohibited(nodes)
        yield from _elsewhere(nodes)
    yield from _named(nodes.group)
    yield from _types(nodes)
    yield from _sizes(nodes.group)
    yield from _updates(nodes.group)
    yield from _repair(template, nodes.group)
    yield from _marks(nodes.group)
    yield from _newer(template, nodes.group)


def _prohibited(nodes: Nodes) -> Iterator[Breach]:
    for member, help in _PROHIBITED.items():
        if member in nodes.data:
            yield nodes.in_template(
                "template", (member,), f"{member} in a launch template of EKS", help
            )
    for index, interface in enumerate(nodes.interfaces):
        if "SubnetId" in interface:
            yield nodes.in_template(
                "template",
                ("NetworkInterfaces", index, "SubnetId"),
                "SubnetId in a launch template of EKS",
                "the subnets are the node group's: Subnets",
            )
    if a_map(nodes.data.get("InstanceMarketOptions")).get("MarketType") == "spot":
        yield nodes.in_template(
            "template",
            ("InstanceMarketOptions",),
            "Spot in a launch template of EKS",
            "write CapacityType: SPOT in the node group",
        )


def _elsewhere(nodes: Nodes) -> Iterator[Breach]:
    for member, help in _ELSEWHERE.items():
        if member in nodes.group.properties:
            yield nodes.group.breach("group", (member,), f"{member} beside a launch template", help)
    if "ImageId" in nodes.data:
        for member in ("AmiType", "Version", "ReleaseVersion"):
            if member in nodes.group.properties:
                yield nodes.group.breach(
                    "group",
                    (member,),
                    f"{member} beside ImageId of the launch template",
                    "leave one of the two out",
                )


def _named(group: Resource) -> Iterator[Breach]:
    used = group.properties.get("LaunchTemplate")
    if not isinstance(used, dict):
        return
    named = [member for member in ("Id", "Name") if member in used]
    if len(named) != 1:
        yield group.breach(
            "group",
            ("LaunchTemplate",),
            f"a launch template by {' and '.join(named) or 'neither Id nor Name'}",
            "write one of Id and Name",
        )
    if "Version" not in used:
        yield group.breach(
            "group",
            ("LaunchTemplate",),
            "a launch template without Version, which no update reaches",
            "write Version: {Fn::GetAtt: [TEMPLATE, LatestVersionNumber]}",
        )


def _types(nodes: Nodes) -> Iterator[Breach]:
    several = a_list(nodes.group.properties.get("InstanceTypes"))
    if several and "InstanceType" in nodes.data:
        yield nodes.group.breach(
            "group",
            ("InstanceTypes",),
            "InstanceTypes beside InstanceType of the launch template",
            "leave one of the two out",
        )
    if not several and "InstanceType" not in nodes.data:
        yield nodes.group.breach(
            "group",
            ("InstanceTypes",),
            "no instance type, so that EKS starts t3.medium",
            "write InstanceTypes",
        )
    if len(several) > MOST_TYPES:
        yield nodes.group.breach(
            "group",
            ("InstanceTypes",),
            f"{len(several)} instance types",
            f"at most {MOST_TYPES}",
        )


def _sizes(group: Resource) -> Iterator[Breach]:
    scaling = a_map(group.properties.get("ScalingConfig"))
    numbers = {name: _number(scaling.get(name)) for name in ("MinSize", "DesiredSize", "MaxSize")}
    known = [(name, number) for name, number in numbers.items() if number is not None]
    for (lower, least), (upper, most) in pairwise(known):
        if least > most:
            yield group.breach(
                "scaling",
                ("ScalingConfig",),
                f"{lower} {least} above {upper} {most}",
                "MinSize, DesiredSize and MaxSize are in this order",
            )


def _number(value: object) -> int | None:
    """CloudFormation takes ``"2"`` for 2."""
    return int(value) if isinstance(value, int | str) and str(value).isdecimal() else None


def _updates(group: Resource) -> Iterator[Breach]:
    yield from _both(group, "UpdateConfig", (), "MaxUnavailable", "MaxUnavailablePercentage")


def _repair(template: Template, group: Resource) -> Iterator[Breach]:
    repair = a_map(group.properties.get("NodeRepairConfig"))
    for what in ("MaxUnhealthyNodeThreshold", "MaxParallelNodesRepaired"):
        yield from _both(group, "NodeRepairConfig", (), f"{what}Count", f"{what}Percentage")
    for index, override in enumerate(maps(repair.get("NodeRepairConfigOverrides"))):
        yield from _override(group, index, override)
    agents = [a.properties.get("AddonName") for a in template.of("AWS::EKS::Addon")]
    if repair.get("Enabled") is True and "eks-node-monitoring-agent" not in agents:
        yield group.breach(
            "scaling",
            ("NodeRepairConfig",),
            "node repair without the node monitoring agent, which sees accelerators",
            "keep the add-on eks-node-monitoring-agent",
        )


def _override(group: Resource, index: int, override: Json) -> Iterator[Breach]:
    path = ("NodeRepairConfig", "NodeRepairConfigOverrides", index)
    lacking = [member for member in _OVERRIDE if member not in override]
    if lacking:
        yield group.breach(
            "scaling", path, f"an override of repair without {', '.join(lacking)}", "add them"
        )
    condition = override.get("NodeMonitoringCondition")
    if isinstance(condition, str) and condition not in CONDITIONS:
        yield group.breach(
            "scaling",
            path,
            f"{condition} is no condition of the node monitoring agent",
            f"one of {', '.join(CONDITIONS)}",
        )


def _marks(group: Resource) -> Iterator[Breach]:
    taints = maps(group.properties.get("Taints"))
    named = [("Labels", key) for key in a_map(group.properties.get("Labels"))]
    named += [("Taints", str(taint.get("Key"))) for taint in taints]
    for member, key in named:
        if any(prefix in key for prefix in limits.RESERVED_PREFIXES):
            yield group.breach(
                "group",
                (member,),
                f"{key} has a prefix that is reserved",
                "take a domain of your own, example.com/",
            )
    pairs = [(str(taint.get("Key")), str(taint.get("Effect"))) for taint in taints]
    for key, effect in sorted({pair for pair in pairs if pairs.count(pair) > 1}):
        yield group.breach(
            "group", ("Taints",), f"the taint {key} with {effect} twice", "keep one of them"
        )


def _newer(template: Template, group: Resource) -> Iterator[Breach]:
    """A kubelet is never newer than its API server.

    https://kubernetes.io/releases/version-skew-policy/
    """
    own = group.properties.get("Version")
    for cluster in template.of("AWS::EKS::Cluster"):
        its = cluster.properties.get("Version")
        nodes, cluster_itself = _minor(own), _minor(its)
        if nodes is not None and cluster_itself is not None and nodes > cluster_itself:
            yield group.breach(
                "group",
                ("Version",),
                f"nodes of Kubernetes {own} in a cluster of {its}",
                "leave Version out: it follows the cluster",
            )


def _minor(version: object) -> int | None:
    """``"1.35"`` as 35; None for what is no version yet."""
    major, _, minor = str(version).partition(".")
    return int(minor) if major == "1" and minor.isdecimal() else None


def _both(
    group: Resource, member: str, path: tuple[str, ...], one: str, other: str
) -> Iterator[Breach]:
    given = a_map(group.properties.get(member))
    if one in given and other in given:
        yield group.breach(
            "scaling",
            (member, *path),
            f"{one} and {other} exclude each other",
            "leave one of the two out",
        )
