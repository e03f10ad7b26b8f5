"""People with a login."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.hyperpod import limits
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm.limits import DEFAULT_UID, DEFAULT_USER, TAKEN_USERS

TAKEN = Rule(
    code="IMG351",
    title="User that HyperPod's image has",
    why="The image has users of its own, with ids of their own. Whoever has the same name or id "
    "cannot be made, and the lifecycle script refuses the node.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-release-ami-slurm.html",
    target="hyperpod-slurm",
    bad="users: [{name: ubuntu, uid: 2001}]",
    good="users: [{name: alice, uid: 2001}]",
)
RULES = (TAKEN,)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for user in plan.users:
        if user.name in TAKEN_USERS:
            yield TAKEN.at(
                (*user.path, "name"),
                f"{user.name} is a user of the image",
                help="write another name, or leave it out: it can log in already"
                if user.name == DEFAULT_USER
                else "write another name",
            )
        elif user.uid == DEFAULT_UID:
            yield TAKEN.at(
                (*user.path, "uid"),
                f"{user.uid} is the id of {DEFAULT_USER}",
                help="write 2000 or more",
            )
