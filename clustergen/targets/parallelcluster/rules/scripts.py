"""Locations of user scripts."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.base.patterns import pattern
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster.rules import rule

_BUCKET_NAMES = "https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html"

# _BUCKET_NAMES; a `*` in a key would grant access to more than the script.
_OBJECT = pattern(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/[^*?]+")


@rule(
    "IAM102",
    "Not the URL of an object in S3",
    why="Nodes may read exactly the objects that the spec names: a bucket and a key.",
    source=_BUCKET_NAMES,
    bad='software: {scripts: [{run: "s3://my-bucket"}]}',
    good='software: {scripts: [{run: "s3://my-bucket/setup.sh"}]}',
)
def location(plan: Plan) -> Iterator[Problem]:
    for script in plan.software.scripts:
        if script.url.startswith("s3://") and not _OBJECT.fullmatch(script.url):
            yield Problem(
                (*script.path, "run"),
                f"{script.url!r} does not name a bucket and a key",
                help="write s3://bucket/folder/script.sh; bucket names are in lower case",
            )


@rule(
    "LIM109",
    "Update script of compute nodes",
    why="An update runs OnNodeUpdated on the head node and on login nodes. It replaces compute "
    "nodes, which then run their other scripts.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/custom-bootstrap-actions-v3.html",
    bad='software: {scripts: [{run: "s3://my-bucket/a.sh", when: updated, on: [compute]}]}',
    good='software: {scripts: [{run: "s3://my-bucket/a.sh", when: updated}]}',
)
def updated_nodes(plan: Plan) -> Iterator[Problem]:
    for script in plan.software.scripts:
        if script.when == "updated" and "compute" in script.on:
            rest = [role for role in script.on if role != "compute"] or ["head"]
            yield Problem(
                (*script.path, "on"),
                "updates do not run scripts on compute nodes",
                help=f"write on: [{', '.join(rest)}]",
                fix=unsafe(put((*script.path, "on"), rest)),
            )
