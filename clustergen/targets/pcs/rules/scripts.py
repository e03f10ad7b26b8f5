"""User scripts: number, location and arguments."""

import re
from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.facts.catalog import regions
from clustergen.plan.model import Plan, Script
from clustergen.targets.pcs import limits, names
from clustergen.targets.pcs.limits import CREATE_NODE_GROUP, USER_GUIDE
from clustergen.targets.pcs.rules import rule, warning

_SCRIPT = "https://docs.aws.amazon.com/pcs/latest/APIReference/API_NodeLifecycleScript.html"
_CONFIGURE = f"{USER_GUIDE}cng-node-lifecycle-actions-configure.html"

_OWN_SCRIPTS = 7
"""Maximum number of clustergen's scripts on a node, besides one for each mount."""


@rule(
    "LIM204",
    "Too many scripts on a node",
    why="PCS runs 20 scripts before Slurm starts; mounts and users are among them.",
    source=CREATE_NODE_GROUP,
    bad="software: {scripts: ["
    + ", ".join(f'{{run: "s3://my-bucket/{n}.sh"}}' for n in range(1, 21))
    + "]}",
    good='software: {scripts: [{run: "s3://my-bucket/all.sh"}]}',
)
def count(plan: Plan) -> Iterator[Problem]:
    # An exact count would render all scripts, and is rarely needed.
    if len(plan.storage) + len(plan.software.scripts) + _OWN_SCRIPTS <= limits.MAX_SCRIPTS:
        return
    from clustergen.targets.pcs import lifecycle  # few specs have so many

    actions = {group.name: lifecycle.group_actions(plan, group) for group in plan.node_groups}
    if plan.login:
        actions[names.LOGIN] = lifecycle.login_actions(plan)
    counts = {name: sum(not each.with_slurm for each in found) for name, found in actions.items()}
    name, most = max(counts.items(), key=lambda item: item[1])
    if most > limits.MAX_SCRIPTS:
        yield Problem(
            ("software", "scripts"),
            f"{most} scripts on nodes of {name}, including mounts and users",
            help=f"at most {limits.MAX_SCRIPTS}: combine several scripts in one",
        )


@rule(
    "LIM205",
    "Too many or too long arguments",
    why="A script gets at most 20 arguments of at most 256 characters.",
    source=_SCRIPT,
    bad='software: {scripts: [{run: "s3://my-bucket/setup.sh", args: [' + "a" * 257 + "]}]}",
    good='software: {scripts: [{run: "s3://my-bucket/setup.sh", args: [a]}]}',
)
def arguments(plan: Plan) -> Iterator[Problem]:
    for script in plan.software.scripts:
        if len(script.args) > limits.MAX_ARGUMENTS:
            yield Problem(
                (*script.path, "args"),
                f"{len(script.args)} arguments",
                help=f"at most {limits.MAX_ARGUMENTS}",
            )
        for index, argument in enumerate(script.args):
            if len(argument) > limits.MAX_ARGUMENT_LENGTH:
                yield Problem(
                    (*script.path, "args", index),
                    f"an argument of {len(argument)} characters",
                    help=f"at most {limits.MAX_ARGUMENT_LENGTH}: put long values into the script",
                )


@rule(
    "LIM206",
    "Script where PCS cannot fetch it",
    why="A script is an object in a bucket, or at an https URL with a full host name.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_ScriptSource.html",
    bad='software: {scripts: [{run: "https://localhost/setup.sh"}]}',
    good='software: {scripts: [{run: "https://example.com/setup.sh"}]}',
)
def location(plan: Plan) -> Iterator[Problem]:
    for script in plan.software.scripts:
        if not _can_be_fetched(script):
            yield Problem(
                (*script.path, "run"),
                f"PCS cannot fetch {script.url}",
                help="write s3://bucket/key",
            )


@warning(
    "LIM207",
    "Script in a bucket of another region",
    why="Nodes fetch s3:// scripts only from their own region. They do not follow the redirect to "
    "another.",
    source=_CONFIGURE,
    bad='software: {scripts: [{run: "s3://scripts-eu-west-1/setup.sh"}]}',
    good='software: {scripts: [{run: "s3://scripts-us-east-1/setup.sh"}]}',
)
def far_bucket(plan: Plan) -> Iterator[Problem]:
    for script in filter(_can_be_fetched, plan.software.scripts):
        if region := _named_region(script.url, plan.region):
            yield Problem(
                (*script.path, "run"),
                f"the bucket's name suggests {region}, the cluster is in {plan.region}",
                help="copy the script to a bucket of this region, or give its https URL",
            )


def _can_be_fetched(script: Script) -> bool:
    return re.fullmatch(limits.SCRIPT_LOCATION, script.url) is not None


def _named_region(url: str, own: str) -> str | None:
    """Another region in the bucket's name; only a hint at the location."""
    bucket = url.removeprefix("s3://").partition("/")[0] if url.startswith("s3://") else ""
    if own in bucket:
        return None
    return next((region for region in regions.REGIONS if region in bucket), None)
