"""Settings of slurm.conf, slurmdbd.conf and cgroup.conf."""

from collections.abc import Callable, Iterator

from clustergen.base.findings import Path, Problem, unwanted
from clustergen.facts.catalog.slurm import Need, needs, same
from clustergen.plan import slurm, slurm_settings
from clustergen.plan.model import Plan
from clustergen.plan.slurm import Setting
from clustergen.plan.slurm_settings import Service
from clustergen.rules.services import rule, warning

_SLURM_CONF = "https://slurm.schedmd.com/slurm.conf.html"
_PARTITION = f"{_SLURM_CONF}#SECTION_PARTITION-CONFIGURATION"


@rule(
    "SLM004",
    "Setting unknown to Slurm",
    fixes="safe or unsafe",
    why="slurmctld does not start with an unknown key, and a running one stops when it reads its "
    "files again. Lines of partitions and of nodes have different keys.",
    source=_SLURM_CONF,
    target="parallelcluster",
    bad="slurm: {settings: {PriorityWeigthFairshare: 10000}}",
)
def unknown(plan: Plan) -> Iterator[Problem]:
    yield from _each(plan, slurm_settings.unknown)


@rule(
    "SLM005",
    "Value that Slurm cannot parse",
    fixes="safe or unsafe",
    why="slurmctld does not start with a number, a time, a flag or a plugin that it cannot parse.",
    source=_SLURM_CONF,
    target="parallelcluster",
    bad="slurm: {settings: {PrologFlags: Aloc}}",
)
def misread(plan: Plan) -> Iterator[Problem]:
    yield from _each(plan, slurm_settings.misread)


@warning(
    "SLM006",
    "Value that Slurm ignores",
    fixes="safe or unsafe",
    why="In keys with many options, Slurm looks for those that it knows, and silently ignores "
    "others: a misspelt one has no effect.",
    source=_SLURM_CONF,
    target="parallelcluster",
    bad="slurm: {settings: {SchedulerParameters: bf_windw=2880}}",
)
def ignored(plan: Plan) -> Iterator[Problem]:
    yield from _each(plan, slurm_settings.ignored)


@rule(
    "SLM007",
    "Setting of another version of Slurm",
    fixes="safe or unsafe",
    why="Versions of Slurm add and remove keys. slurmctld does not start with a key that its "
    "version lacks.",
    source="https://slurm.schedmd.com/news.html",
    bad='slurm: {version: "25.05", settings: {MetricsType: metrics/openmetrics}}',
    good='slurm: {version: "25.11", settings: {MetricsType: metrics/openmetrics}}',
)
def versions(plan: Plan) -> Iterator[Problem]:
    yield from _each(plan, slurm_settings.versions)


@rule(
    "SLM008",
    "Setting that would not be one line",
    why="A setting is a line of the form key=value, or such a word in the line of a partition or "
    "node. A value with a line end in it adds lines to the file.",
    source=_SLURM_CONF,
    target="parallelcluster",
    bad='slurm: {settings: {PrivateData: "jobs\\nProlog=/opt/prolog.sh"}}',
    good="slurm: {settings: {PrivateData: jobs}}",
)
def unreadable(plan: Plan) -> Iterator[Problem]:
    yield from _each(plan, slurm_settings.unreadable)


@rule(
    "SLM009",
    "Setting that the service does not accept",
    why="A service writes part of Slurm's configuration itself: nodes, partitions, how nodes start "
    "and stop. It rejects settings that it writes, or accepts only those on a list.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/slurm-custom-settings.html",
    bad="slurm: {settings: {GresTypes: gpu}}",
    good="slurm: {settings: {SchedulerParameters: defer}}",
)
def not_taken(plan: Plan) -> Iterator[Problem]:
    yield from _each(plan, slurm_settings.not_taken)


@rule(
    "SLM010",
    "Setting written twice",
    why="A field of a queue and its Slurm key are one setting, and so are two spellings of a "
    "key: only one of the values takes effect.",
    source=_PARTITION,
    bad="""queues:
  - {name: train, node_groups: [h200], time_limit: 7d, slurm: {MaxTime: 2-00:00:00}}""",
    good="queues: [{name: train, node_groups: [h200], time_limit: 2d}]",
)
def written_twice(plan: Plan) -> Iterator[Problem]:
    seen: dict[tuple[Path, str], str] = {}
    for setting in _settings(plan):
        place = (setting.path[:-1], setting.key)
        if other := seen.setdefault(place, setting.name) != setting.name and seen[place]:
            yield _twice(setting, other)
    for queue in plan.queues:
        for name, value in queue.slurm.items():
            field = slurm.QUEUE_FIELDS.get(same("partition", name), "")
            meant = {n.lower(): v for n, v in slurm.partition(queue).items()}
            differs = meant.get(same("partition", name), value) != value
            if field and plan.wrote(*queue.at(field)) and (differs or field == "default"):
                path = queue.at("slurm", name)
                yield _twice(Setting(path, "partition", name, value), f"`{field}` of the queue")


def _twice(setting: Setting, other: str) -> Problem:
    return unwanted(
        setting.path,
        f"{setting.name} and {other} are the same setting",
        help=f"keep {other}, remove {setting.name}",
        on_key=True,
    )


@warning(
    "SLM014",
    "Setting that replaces the service's own value",
    why="The last value of a key counts. What the service has in its own slurm.conf for the key is "
    "lost. Lists of options are merged: clustergen adds yours to those of the service.",
    source=_SLURM_CONF,
    target="hyperpod-slurm",
    bad="slurm: {settings: {TaskPlugin: task/affinity}}",
    good="slurm: {settings: {SlurmctldParameters: idle_on_node_suspend}}",
)
def replaced(plan: Plan) -> Iterator[Problem]:
    limits = plan.limits.slurm_settings
    if limits is None:
        return
    for setting in _settings(plan):
        lost = limits.replaced.get(setting.name.lower()) if setting.scope == "cluster" else None
        if lost:
            yield unwanted(
                setting.path,
                f"{setting.name} replaces the value of {plan.limits.title}: {lost}",
                help="leave it out unless you need it",
                on_key=True,
                source=limits.source,
            )


@warning(
    "SLM015",
    "Settings of cgroup.conf without effect",
    why="Only task/cgroup and proctrack/cgroup read cgroup.conf: without task/cgroup, jobs reach "
    "all cores, devices and memory of a node.",
    source="https://slurm.schedmd.com/cgroup.conf.html",
    target="hyperpod-slurm",
    bad="slurm: {cgroup_settings: {ConstrainDevices: true}}",
    good="slurm: {cgroup_settings: {ConstrainDevices: true}, "
    "settings: {TaskPlugin: task/cgroup, ProctrackType: proctrack/cgroup}}",
)
def cgroups(plan: Plan) -> Iterator[Problem]:
    limits = plan.limits.slurm_settings
    if limits is None or not limits.cgroups:
        return
    plugins = (s.value for s in _settings(plan) if s.scope == "cluster" and s.key == "taskplugin")
    if plan.slurm.cgroup_settings and not any("cgroup" in each for each in plugins):
        yield unwanted(
            ("slurm", "cgroup_settings"),
            limits.cgroups,
            help="remove them, or write slurm.settings: {TaskPlugin: task/cgroup}, without which "
            "jobs are not resumed automatically",
        )


@warning(
    "SLM026",
    "Setting that needs a file",
    why="slurmctld ends at once if the script or the table of a plugin is not there. A script of "
    "the head node that has `when: start` runs before slurmctld, and can write it.",
    source=_SLURM_CONF,
    target="parallelcluster",
    bad="slurm: {settings: {JobSubmitPlugins: lua}}",
    good="""slurm: {settings: {JobSubmitPlugins: lua}}
software: {scripts: [{run: 's3://bucket/job-submit.sh', on: [head], when: start}]}""",
)
def files(plan: Plan) -> Iterator[Problem]:
    if not plan.creates_cluster or any(s.when == "start" for s in plan.scripts_on("head")):
        return
    ultraservers = any(group.type.nvlink_domain for group in plan.node_groups)
    for setting, need in _needs(plan):
        # ParallelCluster writes the blocks of UltraServers.
        if need.setting or (need.value == "topology/block" and ultraservers):
            continue
        path = setting.value if need.program else f"/opt/slurm/etc/{need.file}"
        yield Problem(
            setting.path,
            f"slurmctld does not start with this {setting.name} where there is no {path}",
            help=f"write {path} with a script: software.scripts: [{{run: ..., on: [head], "
            "when: start}]",
        )


@rule(
    "SLM027",
    "Setting that needs another one",
    why="slurmctld does not start with one of them alone.",
    source=_SLURM_CONF,
    target="parallelcluster",
    bad="slurm: {settings: {MCSPlugin: mcs/group}}",
    good="slurm: {settings: {MCSPlugin: mcs/group, MCSParameters: 'select:research'}}",
)
def alone(plan: Plan) -> Iterator[Problem]:
    written = {s.key: s.value.lower().split(",") for s in _settings(plan) if s.scope == "cluster"}
    for setting, need in _needs(plan):
        there = written.get(same("cluster", need.setting), [])
        if need.setting and (need.flag.lower() not in there if need.flag else not there):
            missing = f"{need.setting}={need.flag}" if need.flag else need.setting
            yield Problem(
                setting.path,
                f"slurmctld does not start with this {setting.name} without {missing}",
                help=f"add slurm.settings: {{{need.setting}: {need.flag or '...'}}}",
            )


def _needs(plan: Plan) -> Iterator[tuple[Setting, Need]]:
    """What settings of the cluster need, but for those that the service does not accept."""
    service = slurm_settings.service_of(plan)
    if service is None:
        return
    for setting in slurm.written(plan):
        if setting.scope == "cluster" and not slurm_settings.not_taken(setting, service):
            yield from ((setting, need) for need in needs(setting.name, setting.value))


def _settings(plan: Plan) -> Iterator[Setting]:
    return slurm.written(plan) if plan.limits.slurm_settings else iter(())


def _each(plan: Plan, find: Callable[[Setting, Service], Problem | None]) -> Iterator[Problem]:
    service = slurm_settings.service_of(plan)
    if service is not None:
        yield from filter(None, (find(setting, service) for setting in slurm.written(plan)))
