"""Automatic patches and scheduled updates of instance groups."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.overlay.parts import Json, as_map
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document, Group
from clustergen.services.hyperpod.rules.document import EKS, in_group, rule

_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_"
_PATCHES = f"{_API}ClusterAutoPatchConfig.html"
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
    "OVL345",
    "DrainFirst on a cluster with Slurm",
    why="HyperPod drains nodes before a patch only on clusters with EKS.",
    source=_PATCHES,
    bad=in_group(_patching("DrainFirst", _BATCH)),
    good=in_group(_patching("WhenIdle")),
)
def drain_first(document: Document) -> Iterator[Problem]:
    for group, _ in _drained(document):
        if not document.is_eks:
            yield _in_patches(group, "DrainFirst works only with EKS", "write WhenIdle")


@rule(
    "OVL346",
    "DrainFirst without a batch size",
    why="DrainFirst patches nodes in batches, whose size it needs.",
    source=_PATCHES,
    target=EKS,
    bad=in_group(_patching("DrainFirst"), EKS),
    good=in_group(_patching("DrainFirst", _BATCH), EKS),
)
def batch(document: Document) -> Iterator[Problem]:
    for group, patching in _drained(document):
        policy = as_map(as_map(patching.get("DeploymentConfig")).get("RollingUpdatePolicy"))
        if "MaximumBatchSize" not in policy:
            yield _in_patches(
                group,
                "DrainFirst without MaximumBatchSize",
                "add DeploymentConfig: {RollingUpdatePolicy: {MaximumBatchSize: ...}}",
            )


@rule(
    "OVL347",
    "DrainPolicy without DrainFirst",
    why="Only the strategy DrainFirst drains nodes.",
    source=_PATCHES,
    target=EKS,
    bad=in_group(_patching("WhenIdle", "DrainPolicy: {DrainTimeoutInSeconds: 600}"), EKS),
    good=in_group(
        _patching("DrainFirst", _BATCH, "DrainPolicy: {DrainTimeoutInSeconds: 600}"), EKS
    ),
)
def drain_policy(document: Document) -> Iterator[Problem]:
    for group in document.all_groups:
        patching = group.part("AutoPatchConfig")
        if "DrainPolicy" in patching and patching.get("PatchingStrategy") != "DrainFirst":
            yield _in_patches(group, "DrainPolicy without DrainFirst", "remove DrainPolicy")


@rule(
    "OVL348",
    "Idle window with DrainFirst",
    why="DrainFirst does not wait for idle nodes.",
    source=_PATCHES,
    target=EKS,
    bad=in_group(_patching("DrainFirst", _BATCH, "IdleWaitWindowInSeconds: 7200"), EKS),
    good=in_group(_patching("WhenIdle", "IdleWaitWindowInSeconds: 7200"), EKS),
)
def idle_window(document: Document) -> Iterator[Problem]:
    for group, patching in _drained(document):
        if "IdleWaitWindowInSeconds" in patching:
            yield _in_patches(group, "IdleWaitWindowInSeconds with DrainFirst", "remove it")


def _drained(document: Document) -> Iterator[tuple[Group, Json]]:
    """Groups that are patched with DrainFirst, and their settings."""
    for group in document.all_groups:
        patching = group.part("AutoPatchConfig")
        if patching.get("PatchingStrategy") == "DrainFirst":
            yield group, patching


def _in_patches(group: Group, message: str, help: str) -> Problem:
    return group.problem("AutoPatchConfig", message, help)
