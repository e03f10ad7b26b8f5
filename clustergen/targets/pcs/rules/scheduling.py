"""Slurm: its version, its settings, and how long nodes stay idle."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Problem, Severity
from clustergen.plan.model import Plan
from clustergen.targets.pcs import limits, settings
from clustergen.targets.pcs.custom_settings import custom_settings
from clustergen.targets.pcs.limits import USER_GUIDE
from clustergen.targets.pcs.rules import rule


@rule(
    "SLM202",
    "Slurm version near its end of life",
    why="After its end of life no cluster is created with a version. Running clusters lose support "
    "and are suspended a year later.",
    source=f"{USER_GUIDE}slurm-versions.html",
    severity=Severity.WARNING,
    bad='slurm: {version: "25.05"}',
    good='slurm: {version: "25.11"}',
)
def ending_version(plan: Plan) -> Iterator[Problem]:
    found = _offered(settings.version(plan))
    if found and found.ending:
        yield Problem(
            ("slurm", "version"),
            f"Slurm {found.name} reaches its end of life on {found.end_of_life}",
            help=_other_versions(),
        )


@rule(
    "SLM203",
    "Setting that PCS does not accept",
    why="PCS writes the configuration of Slurm. At each level it accepts only the settings on a "
    "list; with any other setting it does not create the cluster.",
    source=f"{USER_GUIDE}slurm-custom-settings.html",
    bad="slurm: {settings: {GresTypes: gpu}}",
    good="slurm: {settings: {SchedulerParameters: defer}}",
)
def not_accepted(plan: Plan) -> Iterator[Problem]:
    for setting in custom_settings(plan):
        if not setting.accepted:
            yield Problem(
                setting.path,
                f"PCS does not accept {setting.name} in {setting.level}",
                help=setting.instead,
                on_key=True,
            )


@rule(
    "SLM204",
    "Setting that needs a newer Slurm",
    why="Some settings came with a later version of Slurm on PCS.",
    source=f"{USER_GUIDE}doc-history.html",
    bad='slurm: {version: "25.05", settings: {MetricsType: metrics/openmetrics}}',
    good='slurm: {version: "25.11", settings: {MetricsType: metrics/openmetrics}}',
)
def newer(plan: Plan) -> Iterator[Problem]:
    version = settings.version(plan)
    for setting in custom_settings(plan):
        if setting.accepted and not settings.since(version, setting.since):
            yield Problem(
                setting.path,
                f"{setting.name} needs Slurm {setting.since}; the cluster has {version}",
                help=f'write slurm.version: "{setting.since}"',
            )


@rule(
    "SLM205",
    "MinJobAge below the minimum of PCS",
    why="The scaling of PCS reads finished jobs, which must stay for some seconds.",
    source=f"{USER_GUIDE}slurm-custom-settings-cluster.html",
    bad="slurm: {settings: {MinJobAge: 2}}",
    good="slurm: {settings: {MinJobAge: 5}}",
)
def min_job_age(plan: Plan) -> Iterator[Problem]:
    least = limits.MIN_JOB_AGE_SECONDS
    for name, value in plan.slurm.settings.items():
        if name.lower() == "minjobage" and value.isdigit() and int(value) < least:
            yield Problem(
                ("slurm", "settings", name),
                f"MinJobAge of {value} s",
                help=f"write {least} or more",
            )


@rule(
    "SLM206",
    "Setting written twice, with different values",
    why="A field of the spec writes this setting too, and only one of the values can hold.",
    source="https://slurm.schedmd.com/slurm.conf.html",
    bad="queues: [{name: train, node_groups: [h200], time_limit: 7d, slurm: {MaxTime: "
    "2-00:00:00}}]",
    good="queues: [{name: train, node_groups: [h200], time_limit: 2d}]",
)
def written_twice(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues:
        derived = settings.partition(queue)
        names = {name.lower(): name for name in derived}
        for name, value in queue.slurm.items():
            known = names.get(name.lower(), "")
            field = settings.QUEUE_FIELDS.get(known, "")
            if known and derived[known] != value and plan.wrote(*queue.at(field)):
                yield Problem(
                    queue.at("slurm", name),
                    f"{name} is {value} here, and {derived[known]} by the field {field}",
                    help=f"leave out {name} or {field}",
                )


@rule(
    "SLM209",
    "Idle time out of range",
    why="PCS stops idle nodes after 1 to 10,000,000 seconds.",
    source=limits.CREATE_CLUSTER,
    bad="slurm: {idle_timeout: 0s}",
    good="slurm: {idle_timeout: 1m}",
)
def idle_time(plan: Plan) -> Iterator[Problem]:
    lowest, highest = limits.IDLE_TIMEOUT_SECONDS
    given = plan.slurm.idle_timeout
    if not lowest <= given <= highest:
        near = "1m" if given < lowest else f"{highest}s"
        yield Problem(("slurm", "idle_timeout"), f"an idle time of {given} s", help=f"write {near}")


def _offered(name: str) -> limits.SlurmVersion | None:
    return next((version for version in limits.SLURM_VERSIONS if version.name == name), None)


def _other_versions() -> str:
    lasting = ", ".join(version.name for version in limits.SLURM_VERSIONS if not version.ending)
    return f'write "{limits.DEFAULT_SLURM_VERSION}"; offered for longer: {lasting}'
