"""Limits of nodes that Karpenter starts."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, Severity, put, unsafe, unwanted
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import karpenter
from clustergen.services.kubernetes.names import HUGE_PAGES
from clustergen.targets.eks import limits
from clustergen.targets.eks.options import Options
from clustergen.targets.eks.rules import note, rule, warning

_ON = "kubernetes: {autoscaler: karpenter}"


@rule(
    "NIC501",
    "EFA interfaces in a form that Karpenter does not make",
    why="The interfaces of a node class are of type interface or efa-only, the first of them of "
    "type interface.",
    source=f"{limits.KARPENTER}#specnetworkinterfaces",
    bad=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}, efa_layout: efa}}]",
)
def interfaces(plan: Plan) -> Iterator[Problem]:
    for group in karpenter.groups(plan):
        if any(interface.type == "efa" for interface in group.interfaces):
            yield Problem(
                group.at("efa_layout"),
                f"Karpenter makes no interfaces of type efa for {group.name}",
                help=f"write efa_layout: efa-only, or count: {group.max}",
                fix=unsafe(put(group.at("efa_layout"), "efa-only")),
            )


@warning(
    "K8S551",
    "Key pair for nodes that Karpenter starts",
    why="EC2NodeClass has no field for a key pair.",
    source=limits.KARPENTER,
    bad=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}}}]\n"
    "targets: {eks: {key_name: platform}}",
    good="targets: {eks: {key_name: platform}}",
)
def key_pair(plan: Plan) -> Iterator[Problem]:
    names = ", ".join(group.name for group in karpenter.groups(plan))
    if names and plan.options_as(Options).key_name:
        yield Problem(
            ("targets", "eks", "key_name"),
            f"nodes of {names} do not have the key pair: Karpenter starts them",
            help="open a shell there with Session Manager",
        )


_GROUPS = "node_groups: [{name: h200}, {name: more, instance_type: g6e.12xlarge, count: {max: 2}}]"


@note(
    "K8S553",
    "Nodes of Karpenter and others in one queue",
    why="Kueue places jobs by the topology of nodes that exist. A job gets either the nodes of its "
    "queue that have a topology, or those that have none, so a queue with nodes of Karpenter uses "
    "no topology, and neither do the queues with which it shares node groups.",
    source="https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/",
    bad=f"{_ON}\n{_GROUPS}\nqueues: [{{name: a, node_groups: [h200, more]}}]",
    good=f"{_ON}\n{_GROUPS}\nqueues: [{{name: a, node_groups: [h200]}}, "
    "{name: b, node_groups: [more]}]",
)
def topology(plan: Plan) -> Iterator[Problem]:
    if not karpenter.is_on(plan):
        return
    from clustergen.services.kubernetes import kueue  # loads what it installs

    for group, other in kueue.without_topology(plan):
        yield Problem(
            group.at("name"),
            f"Kueue does not place jobs on {group.name} by their network topology: {other.name}, "
            "which Karpenter scales, is in the same queue or cohort",
            help=f"use a queue of its own for {other.name}, or write a fixed count for it",
        )


@warning(
    "PLC500",
    "Placement group for nodes that Karpenter starts",
    why="A node class names a placement group that exists; Karpenter makes none.",
    source=f"{limits.KARPENTER}#specplacementgroupselector",
    bad=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}, placement: cluster}}]",
    good=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}, placement: {{group: held}}}}]",
)
def placement(plan: Plan) -> Iterator[Problem]:
    for group in karpenter.groups(plan):
        if group.placement.kind != "cluster":
            continue
        written = plan.wrote(*group.at("placement"))
        yield Problem(
            group.at("placement") if written else group.at("count"),
            f"Karpenter makes no placement group for {group.name}",
            help="write placement: {group: NAME} with an existing one, or placement: none",
            fix=unsafe(put(group.at("placement"), "none")),
            severity=None if written else Severity.NOTE,
        )


@note(
    "K8S529",
    "Huge pages on nodes that Karpenter starts",
    why="Karpenter expects no huge pages of an instance type. A pod that requests them waits "
    "forever, although the nodes of EKS's images have them.",
    source="https://github.com/aws/karpenter-provider-aws/issues/3315",
    bad=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}}}]",
    good=f"{_ON}\nnode_groups: [{{name: h200, count: 4}}]",
)
def huge_pages(plan: Plan) -> Iterator[Problem]:
    for group in karpenter.groups(plan):
        if group.efa and group.type.accelerator:
            yield Problem(
                group.at("count"),
                f"Karpenter starts no node of {group.name} for a pod that requests {HUGE_PAGES}",
                help=f"leave {HUGE_PAGES} out of requests and limits of pods, or write "
                f"count: {group.max}",
            )


@warning(
    "CAP507",
    "MIG partitions in a group that Karpenter scales",
    why="Karpenter knows how many GPUs an instance type has, but nothing about partitions before a "
    "node exists: a pod that asks for one starts no node.",
    source="https://github.com/aws/karpenter-provider-aws/issues/8710",
    bad=f"{_ON}\nnode_groups: [{{name: h200, efa: false, mig: {{1g.18gb: 7}}, count: {{max: 4}}}}]",
)
def partitions(plan: Plan) -> Iterator[Problem]:
    return karpenter.with_partitions(karpenter.groups(plan))


@warning(
    "CAP506",
    "Setting that Karpenter nodes do not support",
    why="Node classes have no option for SMT, those of the bundle carry no scripts, and "
    "Karpenter's repair of nodes is alpha.",
    source=limits.KARPENTER,
    bad=f"{_ON}\nnode_groups: [{{name: h200, count: {{max: 4}}, threads_per_core: 1}}]",
)
def left_out(plan: Plan) -> Iterator[Problem]:
    for group in karpenter.groups(plan):
        yield from _threads(group)
        yield from _repair(plan, group)
        yield from _scripts(plan, group)


def _threads(group: NodeGroup) -> Iterator[Problem]:
    if group.switches_smt_off:
        yield unwanted(
            group.at("threads_per_core"),
            f"Karpenter leaves SMT of {group.name} as it is",
            help=f"remove it, or write count: {group.max}",
        )


def _repair(plan: Plan, group: NodeGroup) -> Iterator[Problem]:
    if plan.wrote("resilience", "replace_failed_nodes") and plan.resilience.replace_failed_nodes:
        yield Problem(
            ("resilience", "replace_failed_nodes"),
            f"Karpenter starts the nodes of {group.name} and does not repair them",
            help="turn on the feature gate NodeRepair of Karpenter, which is alpha",
        )


def _scripts(plan: Plan, group: NodeGroup) -> Iterator[Problem]:
    for script in plan.scripts_of(group):
        yield Problem(
            (*script.path, "run"),
            f"Karpenter starts the nodes of {group.name}, and they do not run it",
            help=f"write count: {group.max} in {group.name}, or build your own image",
        )
