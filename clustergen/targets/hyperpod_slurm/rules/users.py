"""Users of the cluster."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem
from clustergen.hyperpod import limits
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm.limits import DEFAULT_UID, DEFAULT_USER, TAKEN_USERS
from clustergen.targets.hyperpod_slurm.rules import rule


@rule(
    "IMG351",
    "User that HyperPod's image already has",
    why="The image comes with users and their ids. The lifecycle script cannot add a user with the "
    "same name or id, and stops the node.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-release-ami-slurm.html",
    bad="users: [{name: ubuntu, uid: 2001}]",
    good="users: [{name: alice, uid: 2001}]",
)
def taken(plan: Plan) -> Iterator[Problem]:
    for user in plan.users:
        if user.name in TAKEN_USERS:
            yield Problem(
                (*user.path, "name"),
                f"{user.name} is a user of the image",
                help="write another name, or leave it out: this user can log in already"
                if user.name == DEFAULT_USER
                else "write another name",
            )
        elif user.uid == DEFAULT_UID:
            yield Problem(
                (*user.path, "uid"),
                f"{user.uid} is the id of {DEFAULT_USER}",
                help="write 2000 or more",
            )
