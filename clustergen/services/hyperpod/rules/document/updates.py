"""Automatic patches and scheduled updates of instance groups."""

import re
from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.overlay.parts import as_map
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document, Group
from clustergen.services.hyperpod.rules.document import EKS, in_group, rule

_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_"
PATCHES = f"{_API}ClusterAutoPatchConfig.html"
_BATCH = (
    "DeploymentConfig: {RollingUpdatePolicy: {MaximumBatchSize: {Type: INSTANCE_COUNT, Value: 1}}}"
)


def _patching(strategy: str, *more: str) -> str:
    return f"AutoPatchConfig: {{{', '.join((f'PatchingStrategy: {strategy}', *more))}}}"


@rule(
    "OVL305",
    "Schedule that HyperPod does not accept",
    why="A schedule is a cron expression whose minute and hour are numbers.",
    source=f"{_API}ScheduledUpdateConfig.html",
    bad=in_group("ScheduledUpdateConfig: {ScheduleExpression: rate(7 days)}"),
    good=in_group("ScheduledUpdateConfig: {ScheduleExpression: 'cron(0 3 ? * SUN *)'}"),
)
def schedule(document: Document) -> Iterator[Problem]:
    for group in document.all_groups:
        given = group.part("ScheduledUpdateConfig").get("ScheduleExpression")
        if isinstance(given, str) and not re.fullmatch(limits.SCHEDULE, given):
            yield group.problem(
                "ScheduledUpdateConfig",
                f"{given} is not a valid schedule",
                f"write {limits.SCHEDULE_EXAMPLE}: minute and hour as numbers, year last",
            )


@rule(
    "OVL346",
    "DrainFirst without a batch size, or settings of another strategy",
    why="DrainFirst patches nodes in batches, whose size it needs, and does not wait for idle "
    "nodes. Other strategies do not drain nodes.",
    source=PATCHES,
    target=EKS,
    bad=in_group(_patching("DrainFirst"), EKS),
    good=in_group(_patching("DrainFirst", _BATCH), EKS),
)
def strategy(document: Document) -> Iterator[Problem]:
    for group in document.all_groups:
        patching = group.part("AutoPatchConfig")
        policy = as_map(as_map(patching.get("DeploymentConfig")).get("RollingUpdatePolicy"))
        drains = patching.get("PatchingStrategy") == "DrainFirst"
        if drains and "MaximumBatchSize" not in policy:
            help = "add DeploymentConfig: {RollingUpdatePolicy: {MaximumBatchSize: ...}}"
            yield _in_patches(group, "DrainFirst without MaximumBatchSize", help)
        if drains and "IdleWaitWindowInSeconds" in patching:
            yield _in_patches(group, "IdleWaitWindowInSeconds with DrainFirst", "remove it")
        if not drains and "DrainPolicy" in patching:
            yield _in_patches(group, "DrainPolicy without DrainFirst", "remove DrainPolicy")


def _in_patches(group: Group, message: str, help: str) -> Problem:
    return group.problem("AutoPatchConfig", message, help)
