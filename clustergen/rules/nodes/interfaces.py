"""EFA interfaces: layouts without EFA, and types with EFA that is not used."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, drop, put, safe, unsafe, warning
from clustergen.plan.model import NodeGroup, Plan


@warning(
    "NIC002",
    "EFA layout without EFA",
    why="efa_layout chooses how the EFA interfaces are laid out; without EFA there are none.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    bad="node_groups: [{name: h200, efa: false, efa_layout: efa-only}]",
    good="node_groups: [{name: h200, efa: true, efa_layout: efa-only}]",
)
def layout(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        if not group.efa and plan.wrote(*group.at("efa_layout")):
            yield Problem(
                group.at("efa_layout"),
                "efa_layout has no effect without EFA interfaces",
                help="remove it",
                fix=safe(drop(group.at("efa_layout"))),
            )


@warning(
    "NIC003",
    "EFA disabled on an accelerated instance type",
    why="Training over several nodes without EFA falls back to TCP on a fraction of the bandwidth.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html",
    bad="node_groups: [{name: h200, efa: false}]",
)
def switched_off(plan: Plan) -> Iterator[Problem]:
    # SageMaker attaches EFA anyway, which is another finding.
    for group in () if plan.sagemaker else plan.node_groups:
        if not group.efa and _is_for_multi_node_jobs(group) and plan.wrote(*group.at("efa")):
            gbps = f"{group.type.network_gbps:g} Gbit/s"
            yield Problem(
                group.at("efa"),
                f"{group.type.name} has {gbps} of EFA that stay unused",
                help="write efa: auto",
                fix=unsafe(put(group.at("efa"), "auto")),
            )


def _is_for_multi_node_jobs(group: NodeGroup) -> bool:
    """Whether jobs probably span nodes: several nodes, each with several EFA cards.

    NCCL does not work between MIG partitions, so they do not need EFA. Other findings advise groups
    on Spot (CAP502, CAP600) and with different network cards (NIC004) to do without.
    """
    several = group.max > 1 and group.type.max_efa > 1
    alike = len({(len(type.cards), type.max_efa) for type in group.types}) == 1
    whole = group.type.accelerator is not None and not group.mig
    return several and alike and whole and group.capacity.kind != "spot"
