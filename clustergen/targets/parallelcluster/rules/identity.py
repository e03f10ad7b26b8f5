"""People and permissions: users that the images have already, and scripts that nodes may read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan, User
from clustergen.targets.parallelcluster import limits

_TARGET = "parallelcluster"

TAKEN = Rule(
    code="IAM101",
    title="A user that the image has already",
    why="The image's own user has the uid 1000, and services have theirs; a second one of the name "
    "or uid cannot be added, and the nodes would fail to start.",
    source="pcluster.constants: OS_MAPPING",
    target=_TARGET,
    bad="users: [{name: ubuntu, uid: 2001}]",
    good="users: [{name: alice, uid: 2001}]",
)
SCRIPT = Rule(
    code="IAM102",
    title="Not the URL of an object in S3",
    why="Nodes are allowed to read exactly the objects that the spec names: a bucket and a key.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
    target=_TARGET,
    bad='software: {scripts: [{run: "s3://my-bucket"}]}',
    good='software: {scripts: [{run: "s3://my-bucket/setup.sh"}]}',
)
RULES = (TAKEN, SCRIPT)

# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html; a `*` in a key would
# let the nodes read more than the script.
_OBJECT = re.compile(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/[^*?]+")


def check(plan: Plan) -> Iterator[Finding]:
    """Findings on users and scripts."""
    for user in plan.users:
        yield from _user(plan, user)
    for script in plan.software.scripts:
        if script.url.startswith("s3://") and not _OBJECT.fullmatch(script.url):
            yield SCRIPT.at(
                (*script.path, "run"),
                f"{script.url!r} does not name a bucket and a key",
                help="write s3://bucket/folder/script.sh; bucket names are in lower case",
            )


def _user(plan: Plan, user: User) -> Iterator[Finding]:
    if user.name in limits.TAKEN_USERS:
        yield TAKEN.at(
            (*user.path, "name"), f"{user.name!r} is a user of the image", help="take another name"
        )
    if user.uid == limits.DEFAULT_USER_UID:
        default = limits.DEFAULT_USERS[plan.software.os]
        yield TAKEN.at(
            (*user.path, "uid"),
            f"{user.uid} is the uid of {default}, the image's own user",
            help=f"take {user.uid + 1} or more",
        )
