"""How nodes get security patches and new images by themselves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from clustergen.findings import Finding, Path, Rule
from clustergen.hyperpod import limits as service
from clustergen.hyperpod.cloudformation import API_ONLY_MEMBERS, API_ONLY_VALUES
from clustergen.hyperpod.rules.limits import API_ONLY
from clustergen.plan.model import Plan
from clustergen.spec.quantities import format_duration
from clustergen.targets.hyperpod_eks import limits, patching
from clustergen.targets.hyperpod_eks.cluster_rules import CLUSTER

_TARGET = "hyperpod-eks"
_PATH: Path = ("targets", _TARGET, "auto_patching")
_SCHEDULE: Path = ("targets", _TARGET, "update_schedule")


def _patched(settings: str) -> str:
    return f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}', {settings}}}}}"


BATCH = Rule(
    code="K8S405",
    title="Draining first without a batch",
    why="With drain-first HyperPod takes nodes away from their pods, and has to be told how many "
    "at a time.",
    source=limits.PATCHING,
    target=_TARGET,
    bad=_patched("auto_patching: {strategy: drain-first}"),
    good=_patched("auto_patching: {strategy: drain-first, batch: 10%}"),
)
OTHER = Rule(
    code="K8S406",
    title="Setting of another patching strategy",
    why="Waiting for idle nodes is for when-idle and when-all-idle; batches and evictions are for "
    "drain-first.",
    source=limits.PATCHING,
    target=_TARGET,
    bad=_patched("auto_patching: {strategy: drain-first, batch: 1, idle_wait: 12h}"),
    good=_patched("auto_patching: {strategy: when-idle, idle_wait: 12h}"),
)
TIME = Rule(
    code="LIM402",
    title="Time that patching does not take",
    why="HyperPod waits an hour to 25 days for idle nodes, up to 90 minutes for pods to leave, and "
    "up to an hour between batches.",
    source=limits.PATCHING,
    target=_TARGET,
    bad=_patched("auto_patching: {strategy: when-idle, idle_wait: 30m}"),
    good=_patched("auto_patching: {strategy: when-idle, idle_wait: 2h}"),
)
SCHEDULE = Rule(
    code="K8S407",
    title="Not a schedule of updates",
    why="It is a cron expression of six fields, minute and hour as numbers, in UTC; the day of the "
    "month is ? where a day of the week is given.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/"
    "API_ScheduledUpdateConfig.html",
    target=_TARGET,
    bad=_patched("update_schedule: 'cron(0 3 * * SUN)'"),
    good=_patched("update_schedule: 'cron(0 3 ? * SUN *)'"),
)
RULES = (BATCH, OTHER, TIME, SCHEDULE)

_OF_WAITING = ("idle_wait",)
_OF_DRAINING = ("batch", "pause", "drain_timeout", "on_drain_timeout", "rollback_alarms")
_TIMES: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "idle_wait": service.IDLE_WAIT,
        "drain_timeout": service.DRAIN_TIMEOUT,
        "pause": service.BATCH_PAUSE,
    }
)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    schedule = plan.options.update_schedule
    if schedule is not None and not re.fullmatch(service.SCHEDULE, schedule):
        yield SCHEDULE.at(
            _SCHEDULE,
            f"{schedule!r} is not a schedule that HyperPod takes",
            help=f"write {service.SCHEDULE_EXAMPLE} for Sundays at three in the morning, UTC",
        )
    if plan.options.auto_patching:
        yield from _settings(plan)
        yield from _times(plan)
        yield from _only_of_the_api(plan)


def _settings(plan: Plan) -> Iterator[Finding]:
    given, drains = plan.options.auto_patching, _drains(plan)
    if drains and given.batch is None:
        yield BATCH.at(
            _PATH, "nobody says how many nodes are drained together", help="write batch: 10%"
        )
    for field in _OF_WAITING if drains else _OF_DRAINING:
        if plan.wrote(*_PATH, field):
            yield OTHER.at(
                (*_PATH, field),
                f"{field} is nothing to {given.strategy}",
                help=f"leave {field} out, or write strategy: "
                f"{'when-idle' if drains else 'drain-first'}",
            )


def _times(plan: Plan) -> Iterator[Finding]:
    for field, (least, most) in _TIMES.items():
        seconds = getattr(plan.options.auto_patching, field)
        if (field in _OF_DRAINING) != _drains(plan) or seconds is None:
            continue
        if not least <= seconds <= most:
            yield TIME.at(
                (*_PATH, field),
                f"{field} of {format_duration(seconds)}",
                help=f"write {format_duration(least if seconds < least else most)}",
            )


def _drains(plan: Plan) -> bool:
    return bool(plan.options.auto_patching.strategy == "drain-first")


def _only_of_the_api(plan: Plan) -> Iterator[Finding]:
    """The template leaves out what CloudFormation lacks; drain-first takes the rest with it."""
    made = patching.of(plan)
    if made and made.strategy in API_ONLY_VALUES:
        yield _api_only("strategy", API_ONLY_VALUES[made.strategy])
    elif made and made.idle_wait is not None:
        yield _api_only("idle_wait", API_ONLY_MEMBERS["IdleWaitWindowInSeconds"])


def _api_only(field: str, what: str) -> Finding:
    return API_ONLY.at(
        (*_PATH, field),
        f"cluster.template.json is without {what}",
        help="deploy with deploy.sh, which calls the API",
    )
