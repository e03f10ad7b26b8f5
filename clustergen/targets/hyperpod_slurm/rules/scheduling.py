"""Groups, queues, accounting and the forms of a cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.hyperpod import limits, mounts
from clustergen.plan.model import Database, Plan
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.limits import CONTROLLER, LOGIN, OWN_SETTINGS

_REFERENCE = f"{limits.GUIDE}sagemaker-hyperpod-ref.html"
_SECTION = ("targets", "hyperpod-slurm")
_SEVERAL = f"{limits.GUIDE}sagemaker-hyperpod-multihead-slurm.html"
_MIGRATION = f"{limits.GUIDE}sagemaker-hyperpod-slurm-api-config-migration.html"
_MOST_CONTROLLERS = 3
_DATABASE = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"

RESERVED = Rule(
    code="LIM350",
    title="Name that the controller or login nodes have",
    why="Head and login nodes become instance groups called controller and login.",
    source=_REFERENCE,
    target="hyperpod-slurm",
    bad="node_groups: [{name: controller, instance_type: c6i.8xlarge, count: 1}]",
    good="node_groups: [{name: cpu, instance_type: c6i.8xlarge, count: 1}]",
)
NO_QUEUE = Rule(
    code="SLM350",
    title="Compute group without a partition",
    why="HyperPod refuses an instance group of Slurm compute nodes that names no partition.",
    source=_REFERENCE,
    target="hyperpod-slurm",
    bad="""node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cpu, instance_type: c6i.8xlarge, count: 1}
queues: [{name: train, node_groups: [h200]}]""",
    good="""node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: cpu, instance_type: c6i.8xlarge, count: 1}
queues: [{name: train, node_groups: [h200]}, {name: cpu, node_groups: [cpu]}]""",
)
UNIVERSAL = Rule(
    code="SLM351",
    title="Queue called dev",
    why="HyperPod makes a partition dev that holds every node of the cluster.",
    source=_REFERENCE,
    target="hyperpod-slurm",
    bad="queues: [{name: dev, node_groups: [h200]}]",
    good="queues: [{name: train, node_groups: [h200]}]",
)
DATABASE = Rule(
    code="SLM352",
    title="External database without continuous provisioning",
    why="HyperPod connects Slurm to a database of yours only where nodes are provisioned "
    "continuously.",
    source=f"{limits.CREATE_CLUSTER}#sagemaker-CreateCluster-request-Orchestrator",
    target="hyperpod-slurm",
    bad=f"""slurm: {{accounting: {{endpoint: db.example.com, secret: "{_DATABASE}"}}}}
targets: {{hyperpod-slurm: {{provisioning: all-at-once}}}}""",
    good=f"""slurm: {{accounting: {{endpoint: db.example.com, secret: "{_DATABASE}"}}}}
targets: {{hyperpod-slurm: {{provisioning: continuous}}}}""",
)
DATABASE_USER = Rule(
    code="SLM353",
    title="Database user outside the secret",
    why="HyperPod reads user and password from the secret.",
    source=f"{limits.CREATE_CLUSTER}#sagemaker-CreateCluster-request-Orchestrator",
    severity=Severity.WARNING,
    target="hyperpod-slurm",
    bad=f"""slurm:
  accounting: {{endpoint: db.example.com, user: slurmdbd, secret: "{_DATABASE}"}}""",
    good=f"""slurm:
  accounting: {{endpoint: db.example.com, secret: "{_DATABASE}"}}""",
)
SECRET = Rule(
    code="SLM354",
    title="Not a secret of Secrets Manager",
    why="HyperPod reads the password from there and from nowhere else.",
    source=f"{limits.CREATE_CLUSTER}#sagemaker-CreateCluster-request-Orchestrator",
    target="hyperpod-slurm",
    bad="""slurm:
  accounting:
    endpoint: db.example.com
    secret: arn:aws:ssm:us-east-1:111122223333:parameter/slurm""",
    good=f"""slurm:
  accounting: {{endpoint: db.example.com, secret: "{_DATABASE}"}}""",
)
LEGACY_CONTINUOUS = Rule(
    code="SLM355",
    title="Continuous provisioning of the old form",
    why="Continuous provisioning needs the API to know the role of each group, which the old form "
    "says in a file of its own.",
    source=limits.SLURM_CONTINUOUS,
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {mode: legacy, provisioning: continuous}}",
    good="targets: {hyperpod-slurm: {mode: legacy, provisioning: all-at-once}}",
)
CONTROLLERS = Rule(
    code="SLM358",
    title="Several controllers without a database and a shared folder",
    why="Controllers take over from each other: job records and state have to be where all of "
    "them reach it, outside of any one.",
    source=_SEVERAL,
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {mode: legacy, controllers: 2}}",
    good=f"""targets: {{hyperpod-slurm: {{mode: legacy, controllers: 2}}}}
storage: [{{mount: /fsx, type: fsx-lustre, size: 2400GiB}}]
slurm: {{accounting: {{endpoint: db.example.com, secret: "{_DATABASE}"}}}}""",
)
CONTROLLERS_BY_API = Rule(
    code="SLM359",
    title="Several controllers that HyperPod is to set up",
    why="Where the API knows the role of each group, the group of the controller has one instance. "
    "Only the old form has several.",
    source=_MIGRATION,
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {controllers: 2}}",
    good=f"""targets: {{hyperpod-slurm: {{mode: legacy, controllers: 2}}}}
storage: [{{mount: /fsx, type: fsx-lustre, size: 2400GiB}}]
slurm: {{accounting: {{endpoint: db.example.com, secret: "{_DATABASE}"}}}}""",
)
CONTROLLERS_OF_OVERLAY = Rule(
    code="SLM360",
    title="Controllers that the scripts do not know of",
    why="The lifecycle scripts are made for the number of controllers in the spec; one that only "
    "the overlay adds would start a Slurm of its own.",
    source=_SEVERAL,
    target="hyperpod-slurm",
    bad="""targets:
  hyperpod-slurm:
    mode: legacy
    overlay: {InstanceGroups: [{InstanceGroupName: controller, InstanceCount: 2}]}""",
    good=f"""targets: {{hyperpod-slurm: {{mode: legacy, controllers: 2}}}}
storage: [{{mount: /fsx, type: fsx-lustre, size: 2400GiB}}]
slurm: {{accounting: {{endpoint: db.example.com, secret: "{_DATABASE}"}}}}""",
)
ORCHESTRATOR = Rule(
    code="SLM362",
    title="Old form with a part of the new one",
    why="HyperPod refuses a request that names Slurm as its orchestrator, or the role of a group, "
    "while the scripts come with provisioning_parameters.json.",
    source=_MIGRATION,
    target="hyperpod-slurm",
    bad="targets: {hyperpod-slurm: {mode: legacy, overlay: {Orchestrator: {Slurm: {}}}}}",
    good="targets: {hyperpod-slurm: {mode: customer-managed}}",
)
SETTING = Rule(
    code="SLM357",
    title="Setting that the lifecycle script cannot write",
    why="The script adds lines of the form key=value to slurm.conf, and words of it to the line of "
    "a partition. Which nodes and partitions there are, where the controller is and how nodes are "
    "found is HyperPod's to write.",
    source=_REFERENCE,
    target="hyperpod-slurm",
    bad="slurm: {settings: {SlurmctldHost: head}}",
    good="slurm: {settings: {SchedulerParameters: defer}}",
)
FLEXIBLE = Rule(
    code="CAP350",
    title="Several instance types without continuous provisioning",
    why="HyperPod chooses among types only for nodes that join as they come.",
    source=limits.INSTANCE_GROUP,
    target="hyperpod-slurm",
    bad="""node_groups:
  - {name: h200, instance_type: null, instance_types: [g6e.12xlarge, g6.12xlarge], count: 2}
targets: {hyperpod-slurm: {provisioning: all-at-once}}""",
    good="""node_groups:
  - {name: h200, instance_type: null, instance_types: [g6e.12xlarge, g6.12xlarge], count: 2}
targets: {hyperpod-slurm: {provisioning: continuous}}""",
)
RULES = (
    RESERVED,
    NO_QUEUE,
    UNIVERSAL,
    DATABASE,
    DATABASE_USER,
    SECRET,
    LEGACY_CONTINUOUS,
    CONTROLLERS,
    CONTROLLERS_BY_API,
    CONTROLLERS_OF_OVERLAY,
    ORCHESTRATOR,
    SETTING,
    FLEXIBLE,
)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    yield from _groups(plan)
    yield from _queues(plan)
    yield from _accounting(plan)
    yield from _settings(plan)
    yield from _controllers(plan)
    if modes.options(plan).mode == "legacy" and modes.continuous(plan):
        yield LEGACY_CONTINUOUS.at(
            modes.PROVISIONING,
            "the old form provisions all nodes at once",
            help="leave provisioning out, or write mode: customer-managed",
        )


def _groups(plan: Plan) -> Iterator[Finding]:
    queued = {group.name for queue in plan.queues for group in queue.node_groups}
    for group in plan.node_groups:
        if group.name in (CONTROLLER, LOGIN):
            yield RESERVED.at(
                group.at("name"),
                f"{group.name} is the group of {_WHOSE[group.name]}",
                help=f"write {group.name}-nodes",
            )
        if group.name not in queued:
            yield NO_QUEUE.at(
                group.at("name"),
                f"{group.name} is in no queue",
                help=f"add to queues: {{name: {group.name}, node_groups: [{group.name}]}}",
            )
        if len(group.types) > 1 and not modes.continuous(plan):
            yield FLEXIBLE.at(
                group.at("instance_types"),
                f"{group.name} has {len(group.types)} types",
                help="write provisioning: continuous, or one group for each type",
            )


_WHOSE = {CONTROLLER: "the head node", LOGIN: "the login nodes"}


def _queues(plan: Plan) -> Iterator[Finding]:
    for queue in plan.queues:
        if queue.name == limits.UNIVERSAL_PARTITION:
            yield UNIVERSAL.at(
                queue.at("name"),
                f"HyperPod has a partition {queue.name} of its own",
                help="write debug, or another name",
            )


def _accounting(plan: Plan) -> Iterator[Finding]:
    given = plan.slurm.accounting
    if not isinstance(given, Database):
        return
    path, legacy = ("slurm", "accounting"), modes.mode(plan) == "legacy"
    if not legacy and not modes.continuous(plan):
        yield DATABASE.at(
            path,
            "this cluster is provisioned all at once",
            help="write provisioning: continuous, or accounting: managed",
        )
    if not legacy and plan.wrote(*path, "user"):
        yield DATABASE_USER.at(
            (*path, "user"),
            f"the user {given.user} is not told to HyperPod",
            help='keep {"username": ..., "password": ...} in the secret',
        )
    if given.secret.split(":")[2] != "secretsmanager" or ":secret:" not in given.secret:
        yield SECRET.at(
            (*path, "secret"),
            f"{given.secret} is no secret",
            help=f"write arn:{plan.partition}:secretsmanager:{plan.region}:ACCOUNT:secret:NAME",
        )


# https://slurm.schedmd.com/slurm.conf.html: # begins a comment, \ at the end goes on with the next
# line, and a value with blanks is quoted; the script does that, or the user has.
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*")
_LINE = re.compile(r'"[^"#\x00-\x1f\x7f]+"|(?! )[^"#\x00-\x1f\x7f]*[^"#\x00-\x20\x7f\\]')
_WORD = re.compile(r'[^"#\x00-\x20\x7f]*[^"#\x00-\x20\x7f\\]')


def _settings(plan: Plan) -> Iterator[Finding]:
    yield from _written(("slurm", "settings"), plan.slurm.settings, _LINE, "")
    yield from _written(("slurm", "cgroup_settings"), plan.slurm.cgroup_settings, _LINE, "")
    # The settings of a partition are words of one line.
    for queue in plan.queues:
        yield from _written(queue.at("slurm"), queue.slurm, _WORD, ", without blanks")


def _written(
    path: Path, settings: Mapping[str, str], form: re.Pattern[str], more: str
) -> Iterator[Finding]:
    for key, value in settings.items():
        if key.lower() in OWN_SETTINGS:
            yield SETTING.at(
                (*path, key), f"HyperPod writes {key} itself", help="leave it out", on_key=True
            )
        elif not _NAME.fullmatch(key):
            yield SETTING.at(
                (*path, key),
                f"{key!r} is no name of a setting",
                help="write a name of letters and digits, such as MaxTime",
                on_key=True,
            )
        elif not form.fullmatch(value):
            yield SETTING.at(
                (*path, key),
                f"Slurm would not read {value!r} as one value of {key}",
                help=f"write it on one line, without #, quotes inside and \\ at the end{more}",
            )


def _controllers(plan: Plan) -> Iterator[Finding]:
    asked, path = modes.options(plan).controllers, (*_SECTION, "controllers")
    if modes.mode(plan) != "legacy":
        if asked > 1:
            yield CONTROLLERS_BY_API.at(
                path, f"{asked} controllers", help="write mode: legacy, or leave controllers out"
            )
        return
    lacking = [
        what
        for what, there in (
            ("storage of type fsx-lustre", bool(mounts.writable(plan))),
            (
                "slurm.accounting: {endpoint: ..., secret: ...}",
                isinstance(plan.slurm.accounting, Database),
            ),
        )
        if not there
    ]
    if asked > 1 and lacking:
        yield CONTROLLERS.at(
            path,
            f"{asked} controllers, and no place for what they share",
            help=f"add {', and '.join(lacking)}",
        )
    yield from _controllers_of_overlay(plan, asked)
    if "Orchestrator" in plan.overlay:
        yield ORCHESTRATOR.at(
            (*_SECTION, "overlay", "Orchestrator"),
            "the old form has no orchestrator",
            help="leave it out, or write mode: customer-managed",
            on_key=True,
        )


def _controllers_of_overlay(plan: Plan, asked: int) -> Iterator[Finding]:
    groups = plan.overlay.get("InstanceGroups")
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        if not isinstance(group, Mapping) or group.get("InstanceGroupName") != CONTROLLER:
            continue
        count = group.get("InstanceCount")
        if isinstance(count, int) and count != asked:
            yield CONTROLLERS_OF_OVERLAY.at(
                (*_SECTION, "overlay", "InstanceGroups", index, "InstanceCount"),
                f"{count} controllers, and scripts for {asked}",
                help=f"write targets.hyperpod-slurm.controllers: {count}, and leave this out"
                if 1 <= count <= _MOST_CONTROLLERS
                else "leave it out",
            )
