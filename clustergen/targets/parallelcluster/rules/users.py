"""Users that the images have already."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.rules import rule


@rule(
    "IAM101",
    "User that the image already has",
    why="The image's default user has the uid 1000, and services have users too. A second user "
    "with the same name or uid cannot be added, and the nodes would fail to start.",
    source="pcluster.constants: OS_MAPPING",
    bad="users: [{name: ubuntu, uid: 2001}]",
    good="users: [{name: alice, uid: 2001}]",
)
def taken(plan: Plan) -> Iterator[Problem]:
    for user in plan.users:
        if user.name in limits.TAKEN_USERS:
            yield Problem(
                (*user.path, "name"),
                f"the image already has a user {user.name!r}",
                help="choose another name",
            )
        if user.uid == limits.DEFAULT_USER_UID:
            default = limits.DEFAULT_USERS[plan.software.os]
            yield Problem(
                (*user.path, "uid"),
                f"{user.uid} is the uid of {default}, the image's default user",
                help=f"choose {user.uid + 1} or more",
            )
