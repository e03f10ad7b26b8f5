"""Existing users of the image, and administrators of the cluster."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, drop, unsafe
from clustergen.base.text_lists import word_set
from clustergen.plan.model import Plan
from clustergen.rules.services import note, rule


@rule(
    "IMG002",
    "User that already exists in the image",
    why="The image has a default user with uid 1000, and users of services. A second user of the "
    "same name or uid cannot be created, and the node fails to start.",
    source="pcluster.constants: OS_MAPPING",
    target="parallelcluster",
    bad="users: [{name: ubuntu, uid: 2001}]",
    good="users: [{name: alice, uid: 2001}]",
)
def taken(plan: Plan) -> Iterator[Problem]:
    yield from _of_linux(plan)
    limit = plan.limits.users
    if limit is None:
        return
    default = limit.default.get(plan.software.os, "")
    default_user = f"the default user of the image{f', {default}' if default else ''}"
    for user in plan.users:
        if user.name in limit.names - _LINUX:
            can_log_in = f", or remove it: {default} can log in already"
            yield Problem(
                (*user.path, "name"),
                f"{user.name!r} is a user of the image",
                help="write another name" + (can_log_in if user.name == default else ""),
                fix=unsafe(drop(user.path)) if user.name == default else None,
                source=limit.source,
            )
        if user.uid == limit.default_uid:
            yield Problem(
                (*user.path, "uid"),
                f"{user.uid} is the uid of {default_user}",
                help="write 2000 or more",
                source=limit.source,
            )


# /etc/passwd of Amazon Linux, Ubuntu and Red Hat (2026-11).
_LINUX = word_set("""
    root bin daemon adm lp sync shutdown halt mail operator games ftp nobody sys man news uucp proxy
    www-data backup list irc sshd systemd-network systemd-resolve messagebus polkitd chrony dbus
""")
_NOBODY = 65534


def _of_linux(plan: Plan) -> Iterator[Problem]:
    for user in plan.users:
        if user.name in _LINUX:
            message = f"{user.name!r} is a user of the system"
            yield Problem((*user.path, "name"), message, help="write another name")
        if user.uid == _NOBODY:
            message = f"{user.uid} is the uid of nobody, which NFS shows for unknown owners"
            yield Problem((*user.path, "uid"), message, help="write 2000 or more, up to 60000")


@note(
    "IAM003",
    "Users of Docker who are root on their nodes",
    why="Every member of the group docker can mount the node's root folder in a container. So they "
    "can read and change every file of the node, and of the file systems mounted there.",
    source="https://docs.docker.com/engine/security/#docker-daemon-attack-surface",
    bad="software: {containers: docker}\nusers: [{name: alice, uid: 2001}]",
    good="software: {containers: pyxis}\nusers: [{name: alice, uid: 2001}]",
)
def docker_group(plan: Plan) -> Iterator[Problem]:
    asks = plan.limits.docker_group
    if plan.users and plan.software.containers == "docker" and asks is not None and asks(plan):
        yield Problem(
            ("software", "containers"),
            "users are members of the group docker, which makes them root on the nodes",
            help="where users must not read each other's files, write containers: pyxis",
        )


_ROLE = "arn:aws:iam::111122223333:role/platform"


@rule(
    "IAM002",
    "Administrator of another partition",
    why="Commercial regions, GovCloud and China do not share roles and users.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html",
    target="eks",
    bad="kubernetes: {admins: ['arn:aws-us-gov:iam::111122223333:role/platform']}",
    good=f"kubernetes: {{admins: ['{_ROLE}']}}",
)
def administrator_of_another_partition(plan: Plan) -> Iterator[Problem]:
    for path, arn in _principals(plan) if _has_access_entries(plan) else ():
        partition = arn.split(":")[1]
        if partition != plan.partition:
            yield Problem(
                path,
                f"{arn} belongs to {partition}, the cluster to {plan.partition}",
                help=f"name a role of {plan.partition}",
                source=plan.limits.administrators,
            )


@rule(
    "IAM004",
    "Access of an administrator",
    why="EKS has one access entry for each role or user. An administrator may do everything, so "
    "less access changes nothing, and CloudFormation fails to create the second entry.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html",
    target="eks",
    bad=f"kubernetes: {{admins: ['{_ROLE}'], access: [{{principal: '{_ROLE}'}}]}}",
    good=f"kubernetes: {{admins: ['{_ROLE}']}}",
)
def administrator_with_less(plan: Plan) -> Iterator[Problem]:
    for one in plan.kubernetes.access if _has_access_entries(plan) else ():
        if one.principal in plan.kubernetes.admins:
            yield Problem(
                (*one.path, "principal"),
                f"{one.principal} is an administrator",
                help="remove it here or from kubernetes.admins",
            )


def _principals(plan: Plan) -> Iterator[tuple[Path, str]]:
    for index, arn in enumerate(plan.kubernetes.admins):
        yield ("kubernetes", "admins", index), arn
    for one in plan.kubernetes.access:
        yield (*one.path, "principal"), one.principal


def _has_access_entries(plan: Plan) -> bool:
    """Whether an EKS cluster with access entries is created with the nodes."""
    return bool(plan.limits.administrators) and plan.system is not None


@rule(
    "IAM005",
    "A role that exists, and permissions to add to it",
    why="Policies and S3 access are added only to roles that are created with the cluster.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#HeadNode-v3-Iam",
    target="parallelcluster",
    bad="""head_node:
  iam:
    role: arn:aws:iam::111122223333:role/head
    policies: ['arn:aws:iam::111122223333:policy/data']""",
    good="head_node: {iam: {role: 'arn:aws:iam::111122223333:role/head'}}",
)
def own_role(plan: Plan) -> Iterator[Problem]:
    for node in (plan.head, *plan.all_login, *plan.node_groups):
        if node is None:
            continue
        exists = [name for name in ("role", "instance_profile") if getattr(node.iam, name)]
        added = [name for name in ("policies", "s3") if getattr(node.iam, name)]
        if len(exists) == 2:
            yield Problem(
                node.at("iam", "instance_profile"),
                "role and instance_profile cannot both be given",
                help="remove one: an instance profile already has a role",
                on_key=True,
            )
        if exists and added:
            yield Problem(
                node.at("iam", added[0]),
                f"{added[0]} has no effect beside {exists[0]}",
                help=f"remove {added[0]}, or remove {exists[0]} to get a new role",
                on_key=True,
            )
