"""Slurm: its version, settings that are ParallelCluster's own, queues and what they share."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import Database, NodeGroup, Plan, Queue
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.homes import differing, homes
from clustergen.targets.parallelcluster.scheduling import idle_minutes, weight_of

_TARGET = "parallelcluster"
_SETTINGS = (
    "https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-configuration-settings-v3.html"
)
_QUEUES = "https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#Scheduling-v3-SlurmQueues"

VERSION = Rule(
    code="SLM101",
    title="Another Slurm version than ParallelCluster's",
    why="Slurm is baked into the images: each ParallelCluster version carries exactly one.",
    source="https://github.com/aws/aws-parallelcluster/releases/tag/v3.16.1",
    target=_TARGET,
    bad='slurm: {version: "24.11"}',
    good='slurm: {version: "25.11"}',
)
DENIED = Rule(
    code="SLM102",
    title="A slurm.conf setting that ParallelCluster keeps to itself",
    why="It sets the key itself, and refuses a configuration that sets it too.",
    source=_SETTINGS,
    target=_TARGET,
    bad="slurm: {settings: {Prolog: /opt/prolog.sh}}",
    good="slurm: {settings: {PrologFlags: Alloc}}",
)
DENIED_QUEUE = Rule(
    code="SLM103",
    title="A queue setting that ParallelCluster keeps to itself",
    why="It writes the partition's line itself, and refuses these keys in CustomSlurmSettings.",
    source=_SETTINGS,
    target=_TARGET,
    bad="queues: [{name: train, node_groups: [h200], slurm: {OverSubscribe: EXCLUSIVE}}]",
    good="queues: [{name: train, node_groups: [h200], exclusive: true}]",
)
DENIED_NODE = Rule(
    code="SLM104",
    title="A node setting that ParallelCluster keeps to itself",
    why="It writes the nodes' line itself, and refuses these keys in CustomSlurmSettings.",
    source=_SETTINGS,
    target=_TARGET,
    bad='node_groups: [{name: h200, slurm: {Gres: "gpu:8"}}]',
    good="node_groups: [{name: h200, slurm: {MemSpecLimit: 4096}}]",
)
LINES = Rule(
    code="SLM105",
    title="A setting that begins a line of its own",
    why="Nodes, sets of nodes and partitions are whole lines of slurm.conf, not one key of it.",
    source=_SETTINGS,
    target=_TARGET,
    bad="slurm: {settings: {PartitionName: all}}",
    good="queues: [{name: all, node_groups: [h200]}]",
)
DIFFERENT_GROUPS = Rule(
    code="SLM106",
    title="Groups of a queue differ in what ParallelCluster sets by queue",
    why="Capacity type, image, root volume, scratch and scripts are fields of a queue there, not "
    "of a compute resource. A queue over different groups works as a partition over other queues.",
    source=_QUEUES,
    target=_TARGET,
    bad="""node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cheap, instance_type: g6e.12xlarge, count: {max: 4}, capacity: spot}
queues:
  - {name: all, node_groups: [h200, cheap]}""",
    good="""node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cheap, instance_type: g6e.12xlarge, count: {max: 4}, capacity: spot}
queues:
  - {name: all, node_groups: [h200, cheap]}
  - {name: train, node_groups: [h200]}
  - {name: tune, node_groups: [cheap]}""",
)
IDLE_TIME = Rule(
    code="SLM107",
    title="Idle time is not a whole number of minutes",
    why="ScaledownIdletime counts minutes; the time is rounded up.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html",
    severity=Severity.WARNING,
    target=_TARGET,
    bad="slurm: {idle_timeout: 90s}",
    good="slurm: {idle_timeout: 2m}",
)
SAID_TWICE = Rule(
    code="SLM108",
    title="A queue setting said twice",
    why="The field of the spec and the Slurm key are one setting: only one of the values can hold.",
    source="https://slurm.schedmd.com/slurm.conf.html#SECTION_PARTITION-CONFIGURATION",
    target=_TARGET,
    bad="""queues:
  - {name: train, node_groups: [h200], time_limit: 7d, slurm: {MaxTime: 1-00:00:00}}""",
    good="queues: [{name: train, node_groups: [h200], time_limit: 7d}]",
)
SECRET = Rule(
    code="SLM109",
    title="Not a secret of this region",
    why="The head node reads the database password from Secrets Manager in the cluster's region.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-accounting-v3.html",
    target=_TARGET,
    bad="""slurm:
  accounting:
    endpoint: db.example.com
    secret: arn:aws:secretsmanager:eu-west-1:123456789012:secret:slurm-AbCdEf""",
    good="""slurm:
  accounting:
    endpoint: db.example.com
    secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:slurm-AbCdEf""",
)
ALWAYS_REPLACED = Rule(
    code="SLM110",
    title="Failed nodes are always replaced",
    why="clustermgtd replaces static nodes that fail and stops dynamic ones; there is no switch.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/processes-v3.html",
    target=_TARGET,
    bad="resilience: {replace_failed_nodes: false}",
    good="resilience: {replace_failed_nodes: true}",
)
FEATURES_TWICE = Rule(
    code="SLM111",
    title="Features beside labels",
    why="Labels are written as the nodes' Features, so the key cannot be given as well.",
    source="https://slurm.schedmd.com/slurm.conf.html#OPT_Features",
    target=_TARGET,
    bad="node_groups: [{name: h200, labels: {team: a}, slurm: {Features: fast}}]",
    good='node_groups: [{name: h200, labels: {team: a, fast: ""}}]',
)
WEIGHT = Rule(
    code="SLM112",
    title="Not a weight of nodes",
    why="Weight becomes StaticNodePriority and DynamicNodePriority, whole numbers from 1 on.",
    source="pcluster.schemas.cluster_schema: SlurmComputeResourceSchema",
    target=_TARGET,
    bad="node_groups: [{name: h200, slurm: {Weight: 0}}]",
    good="node_groups: [{name: h200, slurm: {Weight: 1}}]",
)
RULES = (
    VERSION,
    DENIED,
    DENIED_QUEUE,
    DENIED_NODE,
    LINES,
    DIFFERENT_GROUPS,
    IDLE_TIME,
    SAID_TWICE,
    SECRET,
    ALWAYS_REPLACED,
    FEATURES_TWICE,
    WEIGHT,
)

_LINES = frozenset({"nodename", "nodeset", "partitionname", "downnodes", "include"})
_FIELD_OF_SETTING = {"maxtime": "time_limit", "prioritytier": "priority", "default": "default"}
_WAYS_OUT = {
    "oversubscribe": "write exclusive: true on the queue",
    "suspendtime": "write slurm.idle_timeout",
    "gres": "leave it out: GPUs are counted for you",
    "cpus": "leave it out; threads_per_core: 1 switches SMT off",
    "prolog": "let a boot script of the head node add to /opt/slurm/etc/scripts/prolog.d",
    "epilog": "let a boot script of the head node add to /opt/slurm/etc/scripts/epilog.d",
}


def check(plan: Plan) -> Iterator[Finding]:
    """Findings on the scheduler."""
    yield from _service(plan)
    yield from _settings(plan)
    for queue in plan.queues:
        yield from _said_twice(queue)
    yield from _homes(plan)


def _service(plan: Plan) -> Iterator[Finding]:
    said = plan.slurm.version
    if said not in (None, limits.SLURM_VERSION):
        yield VERSION.at(
            ("slurm", "version"),
            f"ParallelCluster {limits.VERSION} runs Slurm {limits.SLURM_VERSION}, not {said}",
            help=f'write version: "{limits.SLURM_VERSION}", or leave it out',
        )
    seconds = plan.slurm.idle_timeout
    if seconds % 60:
        minutes = idle_minutes(seconds)
        yield IDLE_TIME.at(
            ("slurm", "idle_timeout"),
            f"{seconds} seconds are rounded up to {minutes} min",
            help=f"write {minutes}m",
        )
    if not plan.resilience.replace_failed_nodes:
        yield ALWAYS_REPLACED.at(
            ("resilience", "replace_failed_nodes"),
            "ParallelCluster replaces failed nodes all the same",
            help="write true, or leave it out",
        )
    yield from _secret(plan)


def _secret(plan: Plan) -> Iterator[Finding]:
    database = plan.slurm.accounting
    if not isinstance(database, Database):
        return
    wanted = f"arn:{plan.partition}:secretsmanager:{plan.region}:"
    if not database.secret.startswith(wanted):
        yield SECRET.at(
            ("slurm", "accounting", "secret"),
            f"{database.secret} is not a Secrets Manager secret in {plan.region}",
            help=f"give one that begins with {wanted}",
        )


def _settings(plan: Plan) -> Iterator[Finding]:
    at: Path = ("slurm", "settings")
    database = isinstance(plan.slurm.accounting, Database)
    denied = limits.DENIED_SETTINGS | (limits.DENIED_WITH_DATABASE if database else frozenset())
    yield from _denied(DENIED, at, plan.slurm.settings, denied)
    for key in plan.slurm.settings:
        if key.lower() in _LINES:
            yield LINES.at(
                (*at, key),
                f"{key} begins a line of slurm.conf",
                help="describe partitions as queues; other lines go into the overlay",
                on_key=True,
            )
    for queue in plan.queues:
        yield from _denied(
            DENIED_QUEUE, queue.at("slurm"), queue.slurm, limits.DENIED_QUEUE_SETTINGS
        )
    for group in plan.node_groups:
        yield from _nodes(group)


def _nodes(group: NodeGroup) -> Iterator[Finding]:
    yield from _denied(DENIED_NODE, group.at("slurm"), group.slurm, limits.DENIED_NODE_SETTINGS)
    features = [key for key in group.slurm if key.lower() in ("feature", "features")]
    for key in features if group.labels else ():
        yield FEATURES_TWICE.at(
            group.at("slurm", key),
            f"{group.name} has labels, which are its features",
            help="write the features as labels: {name: ''}",
            on_key=True,
        )
    weight = weight_of(group)
    least, most = limits.NODE_PRIORITY
    if weight is not None and not (weight.isdecimal() and least <= int(weight) <= most):
        yield WEIGHT.at(
            group.at("slurm"), f"the Weight of {group.name} is {weight}", help=f"{least} to {most}"
        )


def _denied(
    rule: Rule, at: Path, settings: Mapping[str, str], denied: Collection[str]
) -> Iterator[Finding]:
    for key in settings:
        if key.lower() in denied:
            yield rule.at(
                (*at, key),
                f"ParallelCluster sets {key} itself",
                help=_WAYS_OUT.get(key.lower(), "leave it out"),
                on_key=True,
            )


def _said_twice(queue: Queue) -> Iterator[Finding]:
    said = {
        "time_limit": queue.time_limit is not None,
        "priority": queue.priority is not None,
        "default": True,
    }
    for key in queue.slurm:
        field = _FIELD_OF_SETTING.get(key.lower())
        if field and said[field]:
            yield SAID_TWICE.at(
                queue.at("slurm", key),
                f"{key} is what `{field}` of the queue says",
                help=f"keep `{field}`, leave {key} out",
                on_key=True,
            )


def _homes(plan: Plan) -> Iterator[Finding]:
    """Every group needs a queue of its kind to live in; one finding for each queue that fails."""
    housed = homes(plan).of
    reported: set[str] = set()
    for queue in plan.queues:
        homeless = [g.name for g in queue.node_groups if g.name not in {*housed, *reported}]
        if homeless:
            reported |= set(homeless)
            yield _homeless(plan, queue, homeless)


def _homeless(plan: Plan, queue: Queue, groups: list[str]) -> Finding:
    fields = differing(plan, queue)
    said = f"differ in {' and '.join(fields)}" if fields else "are not all in other queues"
    own = ", ".join(f"{{name: {name}, node_groups: [{name}]}}" for name in groups)
    return DIFFERENT_GROUPS.at(
        queue.at("node_groups"),
        f"the groups of queue {queue.name!r} {said}: each needs a queue of its own here",
        help=f"add to queues: {own}; {queue.name!r} then spans them",
    )
