"""Slurm: version, settings and idle time."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, put, unsafe
from clustergen.plan import existing_cluster
from clustergen.plan.model import Plan
from clustergen.plan.timetable import iso, timetables
from clustergen.targets.pcs import limits, names, settings
from clustergen.targets.pcs.limits import USER_GUIDE
from clustergen.targets.pcs.rules import JOINED, rule, warning


@warning(
    "SLM202",
    "Slurm version near its end of life",
    why="After its end of life, a version is not available for new clusters. Running clusters lose "
    "support and are suspended a year later. A warning, because clusters that exist keep their "
    "version; `deploy.sh` reads the clock, and stops where it would create one.",
    source=f"{USER_GUIDE}slurm-versions.html",
    bad='slurm: {version: "25.05"}',
)
def ending_version(plan: Plan) -> Iterator[Problem]:
    found = limits.ending_version(settings.version(plan))
    if found and plan.creates_cluster:
        last = found.end_of_life
        later = [t.group.name for t in timetables(plan) if t.starts and iso(t.starts)[:10] > last]
        yield Problem(
            ("slurm", "version"),
            f"PCS creates no cluster with Slurm {found.name} after {last}"
            + (f", before the capacity of {', '.join(later)} begins" if later else ""),
            help=f"{_other_versions()}. Or create the cluster by that day, and update it later",
            fix=unsafe(put(("slurm", "version"), limits.DEFAULT_SLURM_VERSION)),
        )


@rule(
    "SLM204",
    "Sockets as consumable resources before Slurm 25.11",
    why="PCS accepts CR_Socket and CR_Socket_Memory from Slurm 25.11 on.",
    source=f"{USER_GUIDE}slurm-custom-settings-cluster.html",
    bad='slurm: {version: "25.05", settings: {SelectTypeParameters: CR_Socket}}',
)
def sockets(plan: Plan) -> Iterator[Problem]:
    since = limits.SOCKET_SELECTION_SINCE
    version = settings.version(plan)
    for name, value in plan.slurm.settings.items():
        by_socket = name.lower() == "selecttypeparameters" and "cr_socket" in value.lower()
        if by_socket and not settings.since(version, since):
            yield Problem(
                ("slurm", "settings", name),
                f"{value} needs Slurm {since} on PCS; the cluster has {version}",
                help=f'write slurm.version: "{since}"',
                fix=unsafe(put(("slurm", "version"), since)),
            )


@rule(
    "SLM205",
    "MinJobAge below the minimum of PCS",
    why="The scaling of PCS reads finished jobs, which must stay for some seconds.",
    source=f"{USER_GUIDE}slurm-custom-settings-cluster.html",
    bad="slurm: {settings: {MinJobAge: 2}}",
)
def min_job_age(plan: Plan) -> Iterator[Problem]:
    least = limits.MIN_JOB_AGE_SECONDS
    for name, value in plan.slurm.settings.items():
        if name.lower() == "minjobage" and value.isdigit() and int(value) < least:
            yield Problem(
                ("slurm", "settings", name),
                f"MinJobAge of {value} s",
                help=f"write {least} or more",
                fix=unsafe(put(("slurm", "settings", name), least)),
            )


@rule(
    "SLM209",
    "Idle time out of range",
    why="PCS stops idle nodes after 1 to 10,000,000 seconds.",
    source=limits.CREATE_CLUSTER,
    bad="slurm: {idle_timeout: 0s}",
)
def idle_time(plan: Plan) -> Iterator[Problem]:
    lowest, highest = limits.IDLE_TIMEOUT_SECONDS
    given = plan.slurm.idle_timeout
    if given is not None and not lowest <= given <= highest:
        near = "1m" if given < lowest else f"{highest}s"
        path = ("slurm", "idle_timeout")
        fix = unsafe(put(path, near))
        yield Problem(path, f"an idle time of {given} s", help=f"write {near}", fix=fix)


_ACCOUNTING: Path = ("slurm", "accounting")


@warning(
    "SLM216",
    "Cluster-wide setting for an existing cluster",
    why="The bundle adds node groups and queues to an existing cluster, and leaves everything else "
    "to its owner.",
    source=limits.CREATE_NODE_GROUP,
    bad=f"slurm: {{version: '25.11', idle_timeout: 5m}}\n{JOINED}",
)
def of_the_cluster(plan: Plan) -> Iterator[Problem]:
    theirs = plan.existing.owned
    yield from existing_cluster.without_effect(
        plan, (path for path in theirs if path != _ACCOUNTING)
    )
    if _ACCOUNTING in theirs and plan.wrote(*_ACCOUNTING):
        yield Problem(
            _ACCOUNTING,
            "an existing cluster keeps its accounting: only dashboards and checks read this",
            help="write what the cluster has",
        )


@warning(
    "SLM217",
    "Unknown Slurm version of an existing cluster",
    why="Nodes run the commands and plugins of the Slurm version that their cluster has. deploy.sh "
    "stops if the spec has another one.",
    source=f"{USER_GUIDE}slurm-versions.html",
    bad=JOINED,
    good=f"slurm: {{version: '25.11'}}\n{JOINED}",
)
def version_of_the_cluster(plan: Plan) -> Iterator[Problem]:
    if not plan.creates_cluster and not plan.wrote("slurm", "version"):
        yield Problem(
            ("targets", "pcs", "cluster"),
            f"without slurm.version, the nodes are for Slurm {settings.version(plan)}",
            help="write slurm.version, that of the cluster: aws pcs get-cluster "
            f"--cluster-identifier {names.cluster_id(plan)} --query cluster.scheduler.version",
        )


def _other_versions() -> str:
    lasting = ", ".join(version.name for version in limits.SLURM_VERSIONS if not version.ending)
    return f'write "{limits.DEFAULT_SLURM_VERSION}"; offered for longer: {lasting}'
