"""What clustergen adds to a cluster, and the user does without."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, unwanted
from clustergen.plan import storage_kinds
from clustergen.plan.model import NodeGroup, Plan
from clustergen.rules.services import warning

_IMDS = (
    "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html"
)


def _place(plan: Plan, field: str) -> Path:
    return ("targets", plan.target, field)


@warning(
    "IAM006",
    "No way to a shell on nodes",
    why="Without Session Manager, a shell on a node needs SSH and a key, and the spec has no key.",
    source="https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager.html",
    target="batch",
    bad="targets: {batch: {leave_out: [session-manager]}}",
    good="targets: {batch: {leave_out: [session-manager], key_name: platform}}",
)
def no_shell(plan: Plan) -> Iterator[Problem]:
    key = getattr(plan.options, "key_name", None) or any(user.ssh_key for user in plan.users)
    if plan.options.leaves_out("session-manager") and not key:
        yield Problem(
            _place(plan, "leave_out"),
            "nobody can open a shell on a node: they have neither Session Manager nor a key",
            help=f"write targets.{plan.target}.key_name, or remove session-manager from leave_out",
        )


@warning(
    "IAM007",
    "Nodes that offer version 1 of the metadata service",
    why="With version 1, an attacker who makes a program on the node fetch a URL can read the "
    "credentials of the node's role.",
    source=_IMDS,
    target="eks",
    bad="targets: {eks: {imds: v1.0}}",
    good="targets: {eks: {imds: v2.0}}",
)
def old_metadata(plan: Plan) -> Iterator[Problem]:
    if getattr(plan.options, "imds", None) == "v1.0":
        yield Problem(
            _place(plan, "imds"),
            "credentials of nodes can be read by a single request from any program on them",
            help="write v2.0, unless a program cannot ask for a token",
        )


@warning(
    "NET041",
    "Nodes outside the security groups of the foundation",
    why="New file systems accept the foundation's groups, and those groups let nodes, scheduler "
    "and login nodes reach each other. Nodes in other groups need rules of their own for that.",
    source="clustergen",
    target="batch",
    bad="""node_groups: [{name: h200, security_groups: [sg-0a1b2c3d4e5f67890]}]
targets: {batch: {leave_out: [security-groups]}}""",
    good="node_groups: [{name: h200, security_groups: [sg-0a1b2c3d4e5f67890]}]",
)
def outside(plan: Plan) -> Iterator[Problem]:
    if not plan.options.leaves_out("security-groups"):
        return
    names = [group.name for group in plan.node_groups if _is_outside(plan, group)]
    mounts = [storage.mount for storage in storage_kinds.created(plan)]
    # A group that the service puts around its nodes does not contain file systems.
    reach = mounts if plan.limits.own_groups else ["other nodes", *mounts]
    if names and reach:
        yield Problem(
            _place(plan, "leave_out"),
            f"nodes of {', '.join(names)} reach {' and '.join(reach)} only if your security groups "
            "allow it",
            help="allow that traffic between the security groups of the nodes and those of the "
            "foundation, or remove security-groups from leave_out",
        )


@warning(
    "NET051",
    "Security groups of the foundation left out without others",
    why="Nodes need a security group, so those without groups of their own keep that of the "
    "foundation.",
    source="clustergen",
    target="batch",
    bad="targets: {batch: {leave_out: [security-groups]}}",
)
def nothing_left_out(plan: Plan) -> Iterator[Problem]:
    machines = (plan.head, *plan.all_login, *plan.node_groups)
    if plan.limits.own_groups or any(each and each.security_groups for each in machines):
        return
    for index, addition in enumerate(plan.options.left_out):
        if addition == "security-groups":
            path = (*_place(plan, "leave_out"), index)
            yield unwanted(
                path,
                "security-groups in leave_out has no effect: no nodes have others",
                help="write security_groups of a node group, or remove it",
            )


def _is_outside(plan: Plan, group: NodeGroup) -> bool:
    """Whether nodes are in none of the security groups that the foundation makes."""
    if plan.limits.own_groups:
        return plan.network.new_security_groups
    return not set(plan.network.node_security_groups) & set(plan.security_groups_of(group))
