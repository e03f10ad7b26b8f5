"""Patches and new images."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.hyperpod import limits
from clustergen.hyperpod.rules.breaches.breach import Breach, Json, of_group
from clustergen.hyperpod.rules.breaches.members import as_map, of_eks


def patches(group: Json, document: Json) -> Iterator[Breach]:
    schedule = as_map(group.get("ScheduledUpdateConfig")).get("ScheduleExpression")
    if isinstance(schedule, str) and not re.fullmatch(limits.SCHEDULE, schedule):
        yield of_group(
            "patches",
            group,
            "ScheduledUpdateConfig",
            f"{schedule} is no schedule of HyperPod",
            f"write {limits.SCHEDULE_EXAMPLE}: minute and hour as numbers, year last",
        )
    patching = as_map(group.get("AutoPatchConfig"))
    strategy = patching.get("PatchingStrategy")
    if strategy == "DrainFirst":
        if not of_eks(document):
            yield _in_patches(group, "DrainFirst is for EKS", "write WhenIdle")
        policy = as_map(as_map(patching.get("DeploymentConfig")).get("RollingUpdatePolicy"))
        if "MaximumBatchSize" not in policy:
            yield _in_patches(
                group,
                "DrainFirst without MaximumBatchSize",
                "add DeploymentConfig: {RollingUpdatePolicy: {MaximumBatchSize: ...}}",
            )
    elif "DrainPolicy" in patching:
        yield _in_patches(group, "DrainPolicy without DrainFirst", "leave DrainPolicy out")
    if strategy == "DrainFirst" and "IdleWaitWindowInSeconds" in patching:
        yield _in_patches(group, "IdleWaitWindowInSeconds with DrainFirst", "leave it out")


def _in_patches(group: Json, message: str, help: str) -> Breach:
    return of_group("patches", group, "AutoPatchConfig", message, help)
