"""Numbers of instances, Spot and training plans."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.facts.catalog import ultraservers
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.rules.document import EKS, groups, in_group, in_request, rule

_SPOT_GUIDE = f"{limits.GUIDE}sagemaker-hyperpod-spot.html"
_SPOT = "CapacityRequirements: {Spot: {}}"
_PLAN = "TrainingPlanArn: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/november'"


@rule(
    "OVL301",
    "Minimum number of instances above the number",
    why="HyperPod rejects a group whose MinInstanceCount is above its InstanceCount.",
    source=limits.INSTANCE_GROUP,
    bad=in_group("MinInstanceCount: 3"),
    good=in_group("MinInstanceCount: 1"),
)
def minimum(document: Document) -> Iterator[Problem]:
    for group in document.groups:
        least, most = group.data.get("MinInstanceCount"), group.data.get("InstanceCount")
        if isinstance(least, int) and isinstance(most, int) and least > most:
            yield group.problem(
                "MinInstanceCount",
                f"a minimum of {least} instances above the total of {most}",
                f"write {most} or less",
            )


@rule(
    "OVL323",
    "Flexible group without continuous provisioning",
    why="Groups with a minimum or several instance types need continuous provisioning.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-scaling-eks.html",
    bad=in_request(f"NodeProvisioningMode: null, {groups('MinInstanceCount: 1')}"),
    good=in_group("MinInstanceCount: 1"),
)
def flexible(document: Document) -> Iterator[Problem]:
    for group in document.groups:
        for name in ("MinInstanceCount", "InstanceRequirements"):
            if name in group and not document.is_continuous:
                yield group.problem(
                    name,
                    f"{name} without continuous provisioning",
                    "add NodeProvisioningMode: Continuous",
                )


@rule(
    "OVL335",
    "UltraServers without a training plan",
    why="HyperPod offers UltraServers only through a training plan.",
    source=limits.TRAINING_PLANS,
    bad=in_group("InstanceType: ml.p6e-gb200.36xlarge"),
    good=in_group(f"InstanceType: ml.p6e-gb200.36xlarge, {_PLAN}"),
)
def ultraserver(document: Document) -> Iterator[Problem]:
    for group in document.all_groups:
        several = any(ultraservers.containing(type.name) for type in group.types)
        if several and "TrainingPlanArn" not in group:
            yield group.problem(
                "InstanceType", "UltraServers without a training plan", "add TrainingPlanArn"
            )


@rule(
    "OVL339",
    "Spot without continuous provisioning",
    why="HyperPod starts Spot instances only with continuous provisioning.",
    source=_SPOT_GUIDE,
    target=EKS,
    bad=in_request(f"NodeProvisioningMode: null, {groups(_SPOT)}", EKS),
    good=in_group(_SPOT, EKS),
)
def spot(document: Document) -> Iterator[Problem]:
    for group in document.groups:
        if document.is_eks and group.is_spot and not document.is_continuous:
            yield group.problem(
                "CapacityRequirements",
                "Spot without continuous provisioning",
                "add NodeProvisioningMode: Continuous",
            )


@rule(
    "OVL341",
    "Spot with a training plan",
    why="A training plan reserves its instances. Spot instances come from spare capacity.",
    source=_SPOT_GUIDE,
    target=EKS,
    bad=in_group(f"{_SPOT}, {_PLAN}", EKS),
    good=in_group(_PLAN, EKS),
)
def planned_spot(document: Document) -> Iterator[Problem]:
    for group in document.groups:
        if document.is_eks and group.is_spot and "TrainingPlanArn" in group:
            yield group.problem(
                "CapacityRequirements", "Spot with a training plan", "remove one of the two"
            )
