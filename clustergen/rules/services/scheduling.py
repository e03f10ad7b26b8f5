"""Slurm versions that the service offers, and settings that it controls."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, safe, unsafe, unwanted
from clustergen.facts.catalog import slurm_values
from clustergen.facts.catalog.slurm import find, nearest
from clustergen.plan import slurm
from clustergen.plan.model import Plan
from clustergen.rules.services import note, rule, warning
from clustergen.spec.quantities import format_duration

_SLURM_CONF = "https://slurm.schedmd.com/slurm.conf.html"


@rule(
    "SLM001",
    "Slurm version that the service does not offer",
    why="A service runs a few versions of Slurm, each until its end of life. ParallelCluster has "
    "exactly one in its images.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/slurm-versions.html",
    bad='slurm: {version: "24.11"}',
)
def version(plan: Plan) -> Iterator[Problem]:
    limits, chosen = plan.limits, plan.slurm.version
    if chosen is None or not limits.slurm_versions or chosen in limits.slurm_versions:
        return
    ended = limits.ended_slurm_versions.get(chosen)
    what = f"reached its end of life on {ended}" if ended else f"is not offered by {limits.title}"
    default = limits.default_slurm_version
    yield Problem(
        ("slurm", "version"),
        f"Slurm {chosen} {what}",
        help=f'write "{default}"; offered: {", ".join(limits.slurm_versions)}',
        fix=unsafe(put(("slurm", "version"), default)),
        source=limits.slurm_versions_source,
    )


@rule(
    "SLM002",
    "Failed nodes are always replaced",
    why="The service always replaces a failed node, and has no setting for it.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_cng.html",
    bad="resilience: {replace_failed_nodes: false}",
    good="resilience: {replace_failed_nodes: true}",
)
def always_replaced(plan: Plan) -> Iterator[Problem]:
    limits = plan.limits
    if limits.always_replaces and not plan.resilience.replace_failed_nodes:
        yield unwanted(
            ("resilience", "replace_failed_nodes"),
            f"{limits.title} always replaces failed nodes; this setting has no effect",
            help="write true, or remove it",
            source=limits.always_replaces,
        )


@rule(
    "SLM012",
    "PreemptMode and PreemptType that do not fit",
    why="slurmctld does not start if PreemptMode is set without PreemptType, or the other way "
    "round. SUSPEND needs GANG, which resumes the jobs.",
    source="https://slurm.schedmd.com/preempt.html",
    target="parallelcluster",
    bad="slurm: {settings: {PreemptMode: REQUEUE}}",
)
def preemption(plan: Plan) -> Iterator[Problem]:
    if plan.limits.slurm_settings is None:
        return
    mode, kind = _given(plan, "preemptmode"), _given(plan, "preempttype")
    if _has_mistake(plan, mode, kind):
        return
    flags = set(mode.value.lower().split(",")) if mode else set()
    how = flags - {"gang", "within", "priority", "off", "cluster"}
    by = kind.value if kind else "preempt/none"
    if mode and how and by == "preempt/none":
        yield Problem(
            mode.path,
            f"PreemptMode is {mode.value}, but PreemptType lets no job preempt another",
            help="add PreemptType: preempt/partition_prio or preempt/qos",
            fix=unsafe(put(("slurm", "settings", "PreemptType"), "preempt/partition_prio")),
        )
    elif kind and by != "preempt/none" and not how:
        yield Problem(
            kind.path,
            f"PreemptType is {by}, but PreemptMode does not define what happens to the jobs",
            help="add PreemptMode: REQUEUE or CANCEL",
            fix=unsafe(put(("slurm", "settings", "PreemptMode"), "REQUEUE")),
        )
    if mode and flags & {"suspend", "on"} and "gang" not in flags:
        yield Problem(
            mode.path,
            "PreemptMode SUSPEND without GANG: nothing would resume the jobs",
            help="write SUSPEND,GANG",
            fix=unsafe(put(mode.path, "SUSPEND,GANG")),
        )


@warning(
    "SLM016",
    "Preemption in a queue of a cluster without preemption",
    why="GraceTime and PreemptMode of a partition have an effect only if PreemptType of the "
    "cluster lets jobs preempt others.",
    source="https://slurm.schedmd.com/preempt.html",
    target="parallelcluster",
    bad="queues: [{name: train, node_groups: [h200], slurm: {GraceTime: 60}}]",
    good="""queues: [{name: train, node_groups: [h200], slurm: {GraceTime: 60}}]
slurm: {settings: {PreemptMode: REQUEUE, PreemptType: preempt/partition_prio}}""",
)
def queue_preemption(plan: Plan) -> Iterator[Problem]:
    kind = _given(plan, "preempttype")
    if plan.limits.slurm_settings is None or kind or _has_mistake(plan):
        return
    for queue in plan.queues:
        for name, value in queue.slurm.items():
            setting = slurm.Setting(queue.at("slurm", name), "partition", name, value)
            preempts = setting.key in ("gracetime", "preemptmode") and value.upper() != "OFF"
            if preempts and not _is_misread(setting):
                yield unwanted(
                    queue.at("slurm", name),
                    f"{name} has no effect: no job preempts another in this cluster",
                    help="add slurm.settings: {PreemptType: preempt/partition_prio, "
                    "PreemptMode: REQUEUE}, or remove it",
                    on_key=True,
                )


@warning(
    "SLM013",
    "Time limit that no job fits",
    why="A job runs for at least a minute. A job that does not ask for a time gets DefaultTime, "
    "and with more than MaxTime it does not start.",
    source=f"{_SLURM_CONF}#SECTION_PARTITION-CONFIGURATION",
    target="parallelcluster",
    bad="queues: [{name: train, node_groups: [h200], time_limit: 0s}]",
    good="queues: [{name: train, node_groups: [h200], time_limit: 1d}]",
)
def time_limits(plan: Plan) -> Iterator[Problem]:
    if plan.limits.slurm_settings is None:
        return
    for queue in plan.queues:
        if queue.time_limit == 0:
            yield unwanted(
                queue.at("time_limit"),
                f"no job can run in {queue.name!r}: its time limit is 0",
                help="write a time such as 3d, or remove it for no limit",
            )
        default, most = slurm.time(queue, "defaulttime"), slurm.time(queue, "maxtime")
        name = next((n for n in queue.slurm if n.lower() == "defaulttime"), "")
        if default is not None and most is not None and default > most > 0:
            yield Problem(
                queue.at("slurm", name),
                f"{name} is longer than the time limit of {queue.name!r}: a job that asks for no "
                "time does not start",
                help="write a time up to the limit of the queue",
            )


@note(
    "SLM020",
    "Time limit that is not a whole number of minutes",
    why="Slurm keeps time limits in minutes, and rounds seconds up.",
    source=f"{_SLURM_CONF}#OPT_MaxTime",
    target="parallelcluster",
    bad="queues: [{name: train, node_groups: [h200], time_limit: 90s}]",
    good="queues: [{name: train, node_groups: [h200], time_limit: 90m}]",
)
def whole_minutes(plan: Plan) -> Iterator[Problem]:
    for queue in plan.queues if plan.limits.slurm_settings is not None else ():
        if queue.time_limit and queue.time_limit % 60:
            whole = format_duration(-(-queue.time_limit // 60) * 60)
            yield Problem(
                queue.at("time_limit"),
                f"Slurm counts in minutes: jobs of {queue.name} may run for {whole}",
                help=f"write {whole}, or a longer time",
                fix=safe(put(queue.at("time_limit"), whole)),
            )


def _given(plan: Plan, key: str) -> slurm.Setting | None:
    cluster = (each for each in slurm.written(plan) if each.scope == "cluster")
    return next((each for each in cluster if each.key == key), None)


def _has_mistake(plan: Plan, *given: slurm.Setting | None) -> bool:
    """Whether settings of preemption have mistakes that other rules report: value or name."""
    unknown = (s.name for s in slurm.written(plan) if not find(s.scope, s.name))
    misspelt = any(nearest("cluster", name) in ("PreemptMode", "PreemptType") for name in unknown)
    return misspelt or any(setting and _is_misread(setting) for setting in given)


def _is_misread(setting: slurm.Setting) -> bool:
    """Whether Slurm does not read the value, which another rule reports."""
    key = find(setting.scope, setting.name)
    return key is not None and slurm_values.wrong(key, setting.value) is not None
