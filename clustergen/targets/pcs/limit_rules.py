"""How many and how long: names, nodes, groups, scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.aws import cfn
from clustergen.catalog import regions
from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import Plan, Script
from clustergen.targets.pcs import cluster, lifecycle, limits, names
from clustergen.targets.pcs.limits import CREATE_CLUSTER, CREATE_NODE_GROUP, USER_GUIDE

_SCRIPT = "https://docs.aws.amazon.com/pcs/latest/APIReference/API_NodeLifecycleScript.html"
_CONFIGURE = f"{USER_GUIDE}cng-node-lifecycle-actions-configure.html"

NAME = Rule(
    code="LIM201",
    title="Name of a length that PCS does not take",
    why="Names of node groups and queues have 3 to 25 characters.",
    source=CREATE_NODE_GROUP,
    target="pcs",
    bad="queues: [{name: p5, node_groups: [h200]}]",
    good="queues: [{name: p5-queue, node_groups: [h200]}]",
)
SIZE = Rule(
    code="LIM202",
    title="More nodes than the controller manages",
    why="The controller comes in sizes, and the maximum counts of all node groups, login nodes "
    "too, must fit. A cluster cannot be resized later.",
    source=CREATE_CLUSTER,
    target="pcs",
    bad="node_groups: [{name: h200, count: 64}]\ntargets: {pcs: {size: small}}",
    good="node_groups: [{name: h200, count: 64}]\ntargets: {pcs: {size: medium}}",
)
QUOTA = Rule(
    code="LIM203",
    title="More node groups or queues than the default quota",
    why="PCS allows 10 of each in a cluster; a support case raises it, before the deployment.",
    source=f"{USER_GUIDE}service-endpoints-quotas.html",
    severity=Severity.WARNING,
    target="pcs",
    bad="queues: ["
    + ", ".join(f"{{name: queue-{n}, node_groups: [h200]}}" for n in range(1, 12))
    + "]",
    good="queues: [{name: queue-1, node_groups: [h200]}]",
)
SCRIPTS = Rule(
    code="LIM204",
    title="Too many scripts on a node",
    why="PCS runs 20 scripts before Slurm starts; mounts and users are among them.",
    source=CREATE_NODE_GROUP,
    target="pcs",
    bad="software: {scripts: ["
    + ", ".join(f'{{run: "s3://my-bucket/{n}.sh"}}' for n in range(1, 21))
    + "]}",
    good='software: {scripts: [{run: "s3://my-bucket/all.sh"}]}',
)
ARGUMENTS = Rule(
    code="LIM205",
    title="Arguments that PCS does not take",
    why="A script gets at most 20 arguments of at most 256 characters.",
    source=_SCRIPT,
    target="pcs",
    bad='software: {scripts: [{run: "s3://my-bucket/setup.sh", args: [' + "a" * 257 + "]}]}",
    good='software: {scripts: [{run: "s3://my-bucket/setup.sh", args: [a]}]}',
)
LOCATION = Rule(
    code="LIM206",
    title="Script where PCS cannot fetch it",
    why="A script is an object in a bucket, or at an https URL with a full host name.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_ScriptSource.html",
    target="pcs",
    bad='software: {scripts: [{run: "https://localhost/setup.sh"}]}',
    good='software: {scripts: [{run: "https://example.com/setup.sh"}]}',
)
FAR_BUCKET = Rule(
    code="LIM207",
    title="Script in a bucket of another region",
    why="Nodes fetch s3:// scripts from their own region only, and stop at the redirect to "
    "another.",
    source=_CONFIGURE,
    severity=Severity.WARNING,
    target="pcs",
    bad='software: {scripts: [{run: "s3://scripts-eu-west-1/setup.sh"}]}',
    good='software: {scripts: [{run: "s3://scripts-us-east-1/setup.sh"}]}',
)
RESERVED = Rule(
    code="LIM208",
    title="Name of the login nodes",
    why="Login nodes are a node group too, called login, and names are unique in a cluster.",
    source=CREATE_NODE_GROUP,
    target="pcs",
    bad="node_groups: [{name: login, instance_type: m7i.xlarge, count: 1}]\n"
    "login: {instance_type: m7i.xlarge}",
    good="node_groups: [{name: front, instance_type: m7i.xlarge, count: 1}]\n"
    "login: {instance_type: m7i.xlarge}",
)
NOWHERE = Rule(
    code="LIM209",
    title="Script that runs nowhere",
    why="PCS runs the controller itself, and no script on it.",
    source=_CONFIGURE,
    severity=Severity.WARNING,
    target="pcs",
    bad='software: {scripts: [{run: "s3://my-bucket/setup.sh", on: [head]}]}',
    good='software: {scripts: [{run: "s3://my-bucket/setup.sh", on: [head, compute]}]}',
)
ALIKE = Rule(
    code="LIM210",
    title="Names that differ in hyphens only",
    why="Resources of a template are called by letters and digits, so both would be the same one.",
    source="https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/"
    "resources-section-structure.html",
    target="pcs",
    bad="node_groups: [{name: cpu-1, instance_type: m7i.xlarge, count: 1}, "
    "{name: cpu1, instance_type: m7i.xlarge, count: 1}]",
    good="node_groups: [{name: cpu-1, instance_type: m7i.xlarge, count: 1}, "
    "{name: cpu-2, instance_type: m7i.xlarge, count: 1}]",
)
RULES = (NAME, SIZE, QUOTA, SCRIPTS, ARGUMENTS, LOCATION, FAR_BUCKET, RESERVED, NOWHERE, ALIKE)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    yield from _names(plan)
    yield from _alike(plan)
    yield from _size(plan)
    yield from _quota(plan)
    yield from _script_count(plan)
    for script in plan.software.scripts:
        yield from _script(plan, script)


def _names(plan: Plan) -> Iterator[Finding]:
    for path, kind, name in _named(plan):
        if not limits.MIN_NAME <= len(name) <= limits.MAX_NAME:
            yield NAME.at(
                path,
                f"the {kind} name {name!r} has {len(name)} characters",
                help=f"write {_fitting(name, kind)}",
            )
    for group in plan.node_groups:
        if plan.login and group.name == names.LOGIN:
            yield RESERVED.at(
                group.at("name"),
                f"{group.name!r} is the name of the login nodes",
                help="write front",
            )


def _alike(plan: Plan) -> Iterator[Finding]:
    seen: dict[str, str] = {}
    for path, kind, name in _named(plan):
        first = seen.setdefault(cfn.logical_id(kind, name), name)
        if first != name:
            yield ALIKE.at(
                path,
                f"the {kind} names {first!r} and {name!r} differ in hyphens only",
                help=f"write {name}-{'queue' if kind == 'queue' else 'nodes'}",
            )


def _named(plan: Plan) -> Iterator[tuple[Path, str, str]]:
    """Place, kind and name; a queue that the spec does not write has its group's name and place."""
    for group in plan.node_groups:
        yield group.at("name"), "node group", group.name
    for queue in plan.queues:
        if queue.path[0] == "queues":
            yield queue.at("name"), "queue", queue.name


def _fitting(name: str, kind: str) -> str:
    if len(name) < limits.MIN_NAME:
        return f"{name}-{'queue' if kind == 'queue' else 'nodes'}"
    return name[: limits.MAX_NAME].rstrip("-")


def _size(plan: Plan) -> Iterator[Finding]:
    nodes = cluster.nodes(plan)
    fitting = limits.smallest_size(nodes)
    chosen = next(
        (s for s in limits.SIZES if s.name.lower() == plan.options.size), limits.SIZES[-1]
    )
    if nodes <= chosen.nodes:
        return
    written = plan.options.size != "auto"
    help = (
        f"write size: {fitting.name.lower()}"
        if fitting
        else f"at most {chosen.nodes:,} in a cluster"
    )
    yield SIZE.at(
        ("targets", "pcs", "size") if written else ("node_groups",),
        f"{nodes:,} nodes at most, and {chosen.name} manages {chosen.nodes:,}",
        help=help,
    )


def _quota(plan: Plan) -> Iterator[Finding]:
    groups = len(plan.node_groups) + (plan.login is not None)
    counts = (
        (("node_groups",), "node groups, the login nodes included", groups, limits.MAX_NODE_GROUPS),
        (("queues",), "queues", len(plan.queues), limits.MAX_QUEUES),
    )
    for path, kind, count, most in counts:
        if count > most:
            yield QUOTA.at(
                path, f"{count} {kind}; the quota is {most}", help="open a support case first"
            )


def _script_count(plan: Plan) -> Iterator[Finding]:
    # Beside a mount each and the user's scripts, a node runs at most seven: an exact count means
    # rendering them all, and is rarely needed.
    if len(plan.storage) + len(plan.software.scripts) + 7 <= limits.MAX_SCRIPTS:
        return
    counts = {group.name: len(lifecycle.of_group(plan, group)) for group in plan.node_groups}
    if plan.login:
        counts[names.LOGIN] = len(lifecycle.of_login(plan))
    name, most = max(counts.items(), key=lambda item: item[1])
    if most > limits.MAX_SCRIPTS:
        yield SCRIPTS.at(
            ("software", "scripts"),
            f"{most} scripts on nodes of {name}, mounts and the like included",
            help=f"at most {limits.MAX_SCRIPTS}: let one script do the work of several",
        )


def _script(plan: Plan, script: Script) -> Iterator[Finding]:
    run = (*script.path, "run")
    if not re.fullmatch(limits.SCRIPT_LOCATION, script.url):
        yield LOCATION.at(run, f"PCS cannot fetch {script.url}", help="write s3://bucket/key")
    elif region := _named_region(script.url, plan.region):
        yield FAR_BUCKET.at(
            run,
            f"the bucket's name speaks of {region}, the cluster is in {plan.region}",
            help="copy the script to a bucket of this region, or give its https URL",
        )
    yield from _arguments(script)
    if not set(script.on) & ({"compute", "login"} if plan.login else {"compute"}):
        yield NOWHERE.at(
            (*script.path, "on"),
            f"no node of this cluster is a {' or '.join(script.on)} node",
            help="add compute",
        )


def _arguments(script: Script) -> Iterator[Finding]:
    if len(script.args) > limits.MAX_ARGUMENTS:
        yield ARGUMENTS.at(
            (*script.path, "args"),
            f"{len(script.args)} arguments",
            help=f"at most {limits.MAX_ARGUMENTS}",
        )
    for index, argument in enumerate(script.args):
        if len(argument) > limits.MAX_ARGUMENT_LENGTH:
            yield ARGUMENTS.at(
                (*script.path, "args", index),
                f"an argument of {len(argument)} characters",
                help=f"at most {limits.MAX_ARGUMENT_LENGTH}: put long values into the script",
            )


def _named_region(url: str, own: str) -> str | None:
    """Another region that the bucket's name speaks of; only a hint of where the bucket is."""
    bucket = url.removeprefix("s3://").partition("/")[0] if url.startswith("s3://") else ""
    if own in bucket:
        return None
    return next((region for region in regions.REGIONS if region in bucket), None)
