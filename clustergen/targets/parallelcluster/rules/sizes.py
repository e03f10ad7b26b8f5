"""Limits: how many, how long, how large."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import Ebs, Efs, FileCache, Lustre, Ontap, OpenZfs, Plan, Storage
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.homes import homes
from clustergen.targets.parallelcluster.limits import retention_days

_TARGET = "parallelcluster"
_QUOTAS = "https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#Scheduling-v3-SlurmQueues"

NAME = Rule(
    code="LIM101",
    title="Name too long for ParallelCluster",
    why="Names of queues and node groups become host names: up to 25 characters, not `default`.",
    source="pcluster.validators.cluster_validators: NameValidator",
    target=_TARGET,
    bad="queues: [{name: pre-training-of-large-models, node_groups: [h200]}]",
    good="queues: [{name: pre-training, node_groups: [h200]}]",
)
_MANY_GROUPS = [f"{{name: g{n}, instance_type: m7i.4xlarge, count: 1}}" for n in range(51)]

QUEUES = Rule(
    code="LIM102",
    title="Too many queues or node groups",
    why="A ParallelCluster cluster has at most 50 queues and 50 compute resources.",
    source=_QUOTAS,
    target=_TARGET,
    bad=f"node_groups: [{', '.join(_MANY_GROUPS)}]",
    good="node_groups: [{name: g0, instance_type: m7i.4xlarge, count: 51}]",
)
_SIX_VOLUMES = [f"{{mount: /work{n}, type: ebs, size: 100GiB}}" for n in range(6)]

HEAD_MEMORY = Rule(
    code="LIM103",
    title="The head node is too small for so many nodes",
    why="It needs a GiB of memory for 25 nodes and 0.6 GiB for itself, up to 16 GiB in all.",
    source="pcluster.validators.cluster_validators: HeadNodeMemorySizeValidator",
    target=_TARGET,
    bad="""head_node: {instance_type: t3.medium}
node_groups: [{name: h200, instance_type: m7i.4xlarge, count: {max: 200}}]""",
    good="""head_node: {instance_type: m7i.xlarge}
node_groups: [{name: h200, instance_type: m7i.4xlarge, count: {max: 200}}]""",
)
STORAGE = Rule(
    code="LIM104",
    title="Too many file systems",
    why="ParallelCluster mounts at most 5 EBS volumes, 20 EFS and 20 FSx file systems.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/shared-storage-quotas-v3.html",
    target=_TARGET,
    bad=f"storage: [{', '.join(_SIX_VOLUMES)}]",
    good="storage: [{mount: /work, type: ebs, size: 600GiB}]",
)
LOG_RETENTION = Rule(
    code="LIM105",
    title="Not a retention that CloudWatch Logs has",
    why="Retention is one of a few numbers of days; the next longer one is taken.",
    source="https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html",
    severity=Severity.NOTE,
    target=_TARGET,
    bad="monitoring: {log_retention: 45d}",
    good="monitoring: {log_retention: 60d}",
)
TAG = Rule(
    code="LIM106",
    title="Tag that ParallelCluster keeps to itself",
    why="Keys that begin with `parallelcluster:` tell it which resources are whose.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Tags-v3.html",
    target=_TARGET,
    bad='tags: {"parallelcluster:team": research}',
    good="tags: {team: research}",
)
RULES = (NAME, QUEUES, HEAD_MEMORY, STORAGE, LOG_RETENTION, TAG)


def check(plan: Plan) -> Iterator[Finding]:
    """Findings on counts and sizes."""
    yield from _names(plan)
    yield from _counts(plan)
    yield from _head(plan)
    yield from _storage(plan)
    days = plan.monitoring.log_retention_days
    if retention_days(days) != days:
        yield LOG_RETENTION.at(
            ("monitoring", "log_retention"),
            f"CloudWatch keeps logs {retention_days(days)}d, not {days}d",
            help=f"write {retention_days(days)}d",
        )
    for key in plan.tags:
        if key.startswith(limits.RESERVED_TAG_PREFIX):
            yield TAG.at(
                ("tags", key),
                f"{key!r} begins with {limits.RESERVED_TAG_PREFIX}",
                help=f"write {key.removeprefix(limits.RESERVED_TAG_PREFIX)}",
                on_key=True,
            )


def _names(plan: Plan) -> Iterator[Finding]:
    # A queue that nobody wrote has the name and the place of its node group: say it once.
    named: dict[Path, str] = {queue.at("name"): queue.name for queue in plan.queues}
    named |= {group.at("name"): group.name for group in plan.node_groups}
    for path, name in named.items():
        if len(name) > limits.MAX_NAME:
            short = name[: limits.MAX_NAME].rstrip("-")
            yield NAME.at(
                path,
                f"{name!r} has {len(name)} characters, of {limits.MAX_NAME} at the most",
                help=f"shorten it, as {short}",
            )
        elif name == limits.RESERVED_NAME:
            yield NAME.at(path, f"{name!r} is reserved", help="take another name, as main")


def _counts(plan: Plan) -> Iterator[Finding]:
    queues = len(homes(plan).queues)
    if queues > limits.MAX_QUEUES:
        yield QUEUES.at(
            ("queues",) if plan.wrote("queues") else ("node_groups",),
            f"{queues} queues, of {limits.MAX_QUEUES} at the most",
            help="put node groups that are alike into one queue",
        )
    groups = len(plan.node_groups)
    if groups > limits.MAX_COMPUTE_RESOURCES:
        yield QUEUES.at(
            ("node_groups",),
            f"{groups} node groups, of {limits.MAX_COMPUTE_RESOURCES} at the most",
            help="put types that are alike into one group, as instance_types",
        )


def _head(plan: Plan) -> Iterator[Finding]:
    if plan.head is None:
        return
    needed = min(
        plan.max_nodes / limits.NODES_PER_HEAD_NODE_GIB + limits.HEAD_NODE_SYSTEM_GIB,
        limits.HEAD_NODE_ENOUGH_GIB,
    )
    if plan.head.type.memory_gib < needed:
        yield HEAD_MEMORY.at(
            (*plan.head.path, "instance_type"),
            f"{plan.head.type.name} has {plan.head.type.memory_gib:g} GiB of memory, "
            f"{plan.max_nodes} nodes need {needed:.1f}",
            help="take a type with 16 GiB or more, such as m7i.xlarge (m8g.xlarge with arm64)",
        )


_KINDS: tuple[tuple[str, tuple[type[Storage], ...], int], ...] = (
    ("EBS volumes", (Ebs,), limits.MAX_EBS),
    ("EFS file systems", (Efs,), limits.MAX_EXISTING_EFS),
    ("FSx file systems", (Lustre, OpenZfs, Ontap, FileCache), limits.MAX_EXISTING_FSX),
)


def _storage(plan: Plan) -> Iterator[Finding]:
    for title, kinds, most in _KINDS:
        found = [storage for storage in plan.storage if isinstance(storage, kinds)]
        for storage in found[most:]:
            yield STORAGE.at(
                storage.path,
                f"one of {len(found)} {title}, of {most} at the most",
                help="put folders of one file system in its place",
            )
