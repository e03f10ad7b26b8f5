"""Nodes with only security groups of their own."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, unwanted
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster.options import Options
from clustergen.targets.parallelcluster.rules import rule, warning

_FIELD: Path = ("targets", "parallelcluster", "own_security_groups")
_OWN = "security_groups: [sg-0a1b2c3d4e5f67890]"
_GROUPS = (
    "https://docs.aws.amazon.com/parallelcluster/latest/ug/security-groups-configuration-v3.html"
)
_VPC = "vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]"
_WITH_GROUPS = f"network: {{{_VPC}, {_OWN}}}\ntargets: "
_SPEC = f"""network: {{{_VPC}}}
head_node: {{{_OWN}}}
targets: """
_ON_ITS_OWN = f"{_SPEC}{{parallelcluster: {{own_security_groups: [head]}}}}"


@rule(
    "NET108",
    "Nodes without security groups",
    why="`own_security_groups` names nodes that have no security groups but their own, so they "
    "need at least one.",
    source=_GROUPS,
    bad="targets: {parallelcluster: {own_security_groups: [head]}}",
    good=_ON_ITS_OWN,
)
def without_groups(plan: Plan) -> Iterator[Problem]:
    given = _given(plan)
    for index, name in enumerate(plan.options_as(Options).own_security_groups):
        if name not in given:
            known = ", ".join(given)
            message = f"no nodes are called {name!r}"
            yield Problem((*_FIELD, index), message, help=f"name some of {known}")
        elif not all(given[name]):
            yield unwanted(
                (*_FIELD, index),
                f"{name} has no security groups of its own",
                help="add security_groups there, or remove it here",
            )


@warning(
    "NET110",
    "ParallelCluster's security groups left out without others",
    why="Nodes need a security group, so ParallelCluster creates its own for those that have no "
    "others.",
    source=_GROUPS,
    bad="targets: {parallelcluster: {leave_out: [service-groups, security-groups]}}",
    good="targets: {parallelcluster: {leave_out: [service-groups]}}",
)
def nothing_left_out(plan: Plan) -> Iterator[Problem]:
    options = plan.options_as(Options)
    ours = not (options.leaves_out("security-groups") and plan.network.new_security_groups)
    if options.leaves_out("service-groups") and not ours:
        names = [name for name, lists in _given(plan).items() if not all(lists)]
        if names:
            yield Problem(
                ("targets", "parallelcluster", "leave_out"),
                f"{', '.join(names)} keep the groups of ParallelCluster: they have no others",
                help="write network.security_groups, or remove service-groups or security-groups",
            )


@warning(
    "NET112",
    "Security groups of the foundation left out where there are none",
    why="With network.security_groups, the foundation has no security groups. Every node keeps "
    "those of the spec.",
    source="clustergen",
    bad=f"{_WITH_GROUPS}{{parallelcluster: {{leave_out: [security-groups]}}}}",
)
def none_to_leave_out(plan: Plan) -> Iterator[Problem]:
    for index, addition in enumerate(plan.options_as(Options).leave_out):
        if addition == "security-groups" and not plan.network.new_security_groups:
            path = ("targets", "parallelcluster", "leave_out", index)
            yield unwanted(
                path,
                "security-groups in leave_out has no effect: network.security_groups are in their "
                "place",
                help="remove it",
            )


def _given(plan: Plan) -> dict[str, list[tuple[str, ...]]]:
    """The security groups of nodes, by the name with which the option means them."""
    pools = (*plan.all_login, plan.stopped_login)
    login = [machine.security_groups for machine in pools if machine]
    return {
        **{group.name: [group.security_groups] for group in plan.node_groups},
        **({"login": login} if login else {}),
        **({"head": [plan.head.security_groups]} if plan.head else {}),
    }


@warning(
    "NET109",
    "Nodes with only your security groups",
    why="ParallelCluster opens Slurm, NFS and EFA between its own groups, and clustergen the file "
    "systems for the group of every node. Nodes without these groups reach the others only if "
    "your groups allow it, in both directions.",
    source=_GROUPS,
    bad=_ON_ITS_OWN,
    good=f"{_SPEC}{{parallelcluster: {{}}}}",
)
def on_their_own(plan: Plan) -> Iterator[Problem]:
    given = _given(plan)
    for index, name in enumerate(plan.options_as(Options).own_security_groups):
        if name in given and all(given[name]):
            yield Problem(
                (*_FIELD, index),
                f"{name} can reach other nodes and file systems only if your security groups "
                "allow it",
                help="allow all traffic between its security groups and those of the other nodes, "
                "and the ports of the file systems",
            )
