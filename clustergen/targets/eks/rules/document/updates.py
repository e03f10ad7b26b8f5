"""Updates and automatic repair of nodes."""

from collections.abc import Iterator, Mapping

from clustergen.base.findings import Problem
from clustergen.base.text_lists import words
from clustergen.overlay.parts import Json, as_map, maps
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules.document import in_node_group, in_resources, rule, warning
from clustergen.targets.eks.template import Resource, Template

_AGENT = "eks-node-monitoring-agent"
# limits.REPAIR; 2026-11-20.
CONDITIONS = words("""
    AcceleratedHardwareReady ContainerRuntimeReady KernelReady NetworkingReady
    StorageReady Ready DiskPressure MemoryPressure
""")
_OVERRIDE = words("NodeMonitoringCondition NodeUnhealthyReason MinRepairWaitTimeMins RepairAction")
# The two forms of each limit. NodegroupUpdateConfig and NodeRepairConfig of the API; 2026-11-20.
_LIMITS = (
    words("UpdateConfig MaxUnavailable MaxUnavailablePercentage"),
    words("NodeRepairConfig MaxUnhealthyNodeThresholdCount MaxUnhealthyNodeThresholdPercentage"),
    words("NodeRepairConfig MaxParallelNodesRepairedCount MaxParallelNodesRepairedPercentage"),
)

_REBOOT = "NodeUnhealthyReason: NvidiaXID64Error, MinRepairWaitTimeMins: 5, RepairAction: Reboot"


def _overridden(members: str) -> str:
    return in_node_group(f"NodeRepairConfig: {{NodeRepairConfigOverrides: [{{{members}}}]}}")


@warning(
    "OVL546",
    "Launch template without a version",
    why="Without Version the node group stays at the default version of its launch template, and "
    "updates of the stack do not reach the nodes.",
    source=f"{limits.API}LaunchTemplateSpecification.html",
    bad=in_node_group("LaunchTemplate: {Version: null}"),
    good=in_node_group("LaunchTemplate: {Version: '1'}"),
)
def template_version(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        used = nodes.group.properties.get("LaunchTemplate")
        if isinstance(used, Mapping) and "Version" not in used:
            yield nodes.group.problem(
                ("LaunchTemplate",),
                "a launch template without Version, so updates do not reach the nodes",
                "write Version: {Fn::GetAtt: [TEMPLATE, LatestVersionNumber]}",
            )


@rule(
    "OVL547",
    "Limit as a count and a percentage",
    why="EKS accepts each limit of updates and repair as a count or as a percentage, not both.",
    source=f"{limits.API}NodegroupUpdateConfig.html",
    bad=in_node_group("UpdateConfig: {MaxUnavailable: 1, MaxUnavailablePercentage: 33}"),
    good=in_node_group("UpdateConfig: {MaxUnavailable: 1, MaxUnavailablePercentage: null}"),
)
def limit_twice(template: Template) -> Iterator[Problem]:
    for nodes in template.nodes:
        for section, count, percentage in _LIMITS:
            if {count, percentage} <= as_map(nodes.group.properties.get(section)).keys():
                what = f"{count} and {percentage} exclude each other"
                yield nodes.group.problem((section,), what, "remove one of the two")


@rule(
    "OVL549",
    "Incomplete repair override",
    why="EKS rejects an override of node repair that does not give all four values.",
    source=f"{limits.API}NodeRepairConfigOverrides.html",
    bad=_overridden("RepairAction: Reboot"),
    good=_overridden(f"NodeMonitoringCondition: AcceleratedHardwareReady, {_REBOOT}"),
)
def incomplete_override(template: Template) -> Iterator[Problem]:
    for group, index, override in _overrides(template):
        missing = [member for member in _OVERRIDE if member not in override]
        if missing:
            yield group.problem(
                ("NodeRepairConfig", "NodeRepairConfigOverrides", index),
                f"an override of repair without {', '.join(missing)}",
                "add them",
            )


@warning(
    "OVL550",
    "Unknown node condition",
    why="An override applies to a condition that the node monitoring agent reports.",
    source=limits.REPAIR,
    bad=_overridden(f"NodeMonitoringCondition: AcceleratedInstanceNotReady, {_REBOOT}"),
    good=_overridden(f"NodeMonitoringCondition: AcceleratedHardwareReady, {_REBOOT}"),
)
def unknown_condition(template: Template) -> Iterator[Problem]:
    for group, index, override in _overrides(template):
        condition = override.get("NodeMonitoringCondition")
        if isinstance(condition, str) and condition not in CONDITIONS:
            yield group.problem(
                ("NodeRepairConfig", "NodeRepairConfigOverrides", index),
                f"{condition} is not a condition of the node monitoring agent",
                f"one of {', '.join(CONDITIONS)}",
            )


@rule(
    "OVL551",
    "Node repair without the monitoring agent",
    why="Without the node monitoring agent, EKS sees only that a node is not ready. It "
    "misses faults of accelerators.",
    source=limits.REPAIR,
    bad=in_resources("AddonEksNodeMonitoringAgent: null"),
    good=in_resources("AddonEksNodeMonitoringAgent: {Properties: {ResolveConflicts: PRESERVE}}"),
)
def monitoring_agent(template: Template) -> Iterator[Problem]:
    # An existing cluster has add-ons of its owner.
    for nodes in template.nodes if template.clusters else ():
        repair = as_map(nodes.group.properties.get("NodeRepairConfig"))
        if repair.get("Enabled") is True and not template.has_addon(_AGENT):
            yield nodes.group.problem(
                ("NodeRepairConfig",),
                "node repair without the node monitoring agent, which watches accelerators",
                f"keep the add-on {_AGENT}",
            )


def _overrides(template: Template) -> Iterator[tuple[Resource, int, Json]]:
    for nodes in template.nodes:
        repair = as_map(nodes.group.properties.get("NodeRepairConfig"))
        for index, override in enumerate(maps(repair.get("NodeRepairConfigOverrides"))):
            yield nodes.group, index, override
