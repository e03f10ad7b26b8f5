"""Automatic patching, and scheduled updates of images."""

import re
from collections.abc import Iterator, Mapping

from clustergen.base.findings import Path, Problem, put, safe, unsafe, unwanted
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import limits as service
from clustergen.spec.quantities import format_duration
from clustergen.targets.hyperpod_eks import limits
from clustergen.targets.hyperpod_eks.options import Options
from clustergen.targets.hyperpod_eks.rules import CLUSTER, rule, warning

_PATH: Path = ("targets", "hyperpod-eks", "auto_patching")
_SCHEDULE: Path = ("targets", "hyperpod-eks", "update_schedule")
_WAITING = ("idle_wait",)
_DRAINING = ("batch", "pause", "drain_timeout", "on_drain_timeout", "rollback_alarms")
_TIMES: Mapping[str, tuple[int, int]] = {
    "idle_wait": service.IDLE_WAIT,
    "drain_timeout": service.DRAIN_TIMEOUT,
    "pause": service.BATCH_PAUSE,
}


def _patched(settings: str) -> str:
    return f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}', {settings}}}}}"


@rule(
    "K8S405",
    "Strategy drain-first without a batch",
    why="With drain-first, HyperPod drains nodes in batches and needs to know how many nodes at "
    "a time.",
    source=limits.PATCHING,
    bad=_patched("auto_patching: {strategy: drain-first}"),
)
def batch(plan: Plan) -> Iterator[Problem]:
    given = plan.options_as(Options).auto_patching
    if given and _drains(plan) and given.batch is None:
        yield Problem(
            _PATH,
            "drain-first needs the number of nodes to drain",
            help="write batch: 10%",
            fix=unsafe(put((*_PATH, "batch"), "10%")),
        )


@rule(
    "K8S406",
    "Setting of another patching strategy",
    why="Waiting for idle nodes is for when-idle and when-all-idle; batches and evictions are for "
    "drain-first.",
    source=limits.PATCHING,
    bad=_patched("auto_patching: {strategy: drain-first, batch: 1, idle_wait: 12h}"),
    good=_patched("auto_patching: {strategy: when-idle, idle_wait: 12h}"),
)
def other_strategy(plan: Plan) -> Iterator[Problem]:
    given, drains = plan.options_as(Options).auto_patching, _drains(plan)
    for field in _WAITING if drains else _DRAINING:
        if given and plan.wrote(*_PATH, field):
            yield unwanted(
                (*_PATH, field),
                f"{field} has no effect with {given.strategy}",
                help=f"remove {field}, or write strategy: "
                f"{'when-idle' if drains else 'drain-first'}",
            )


@rule(
    "LIM402",
    "Duration that patching does not accept",
    why="HyperPod waits an hour to 25 days for idle nodes, up to 90 minutes for pods to leave, and "
    "up to an hour between batches.",
    source=limits.PATCHING,
    bad=_patched("auto_patching: {strategy: when-idle, idle_wait: 30m}"),
)
def durations(plan: Plan) -> Iterator[Problem]:
    for field, (least, most) in _TIMES.items():
        seconds = getattr(plan.options_as(Options).auto_patching, field, None)
        if (field in _DRAINING) != _drains(plan) or seconds is None:
            continue
        if not least <= seconds <= most:
            nearest = format_duration(least if seconds < least else most)
            yield Problem(
                (*_PATH, field),
                f"{field} of {format_duration(seconds)}",
                help=f"write {nearest}",
                fix=unsafe(put((*_PATH, field), nearest)),
            )


@warning(
    "K8S435",
    "ARN in place of the name of an alarm",
    why="HyperPod looks up alarms by name. An ARN is accepted and matches none, so no alarm stops "
    "the update.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_AlarmDetails.html",
    bad=_patched(
        "auto_patching: {strategy: drain-first, batch: 1, rollback_alarms: "
        "['arn:aws:cloudwatch:us-east-1:111122223333:alarm:jobs']}"
    ),
)
def alarm_names(plan: Plan) -> Iterator[Problem]:
    given = plan.options_as(Options).auto_patching
    for index, alarm in enumerate(given.rollback_alarms if given else ()):
        if alarm.startswith("arn:"):
            path, name = (*_PATH, "rollback_alarms", index), alarm.rpartition(":")[2]
            yield Problem(
                path,
                f"{alarm} is an ARN, not the name of an alarm",
                help=f"write {name or 'its name'}",
                fix=safe(put(path, name)) if name else None,
            )


@rule(
    "K8S407",
    "Invalid update schedule",
    why="It is a cron expression of six fields, minute and hour as numbers, in UTC; the day of the "
    "month is ? where a day of the week is given.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/"
    "API_ScheduledUpdateConfig.html",
    bad=_patched("update_schedule: 'cron(0 3 * * SUN)'"),
)
def schedule(plan: Plan) -> Iterator[Problem]:
    given = plan.options_as(Options).update_schedule
    if given is not None and not re.fullmatch(service.SCHEDULE, given):
        yield Problem(
            _SCHEDULE,
            f"{given!r} is not a schedule that HyperPod accepts",
            help=f"write {service.SCHEDULE_EXAMPLE} for Sundays at three in the morning, UTC",
            fix=unsafe(put(_SCHEDULE, service.SCHEDULE_EXAMPLE)),
        )


def _drains(plan: Plan) -> bool:
    given = plan.options_as(Options).auto_patching
    return bool(given and given.strategy == "drain-first")
