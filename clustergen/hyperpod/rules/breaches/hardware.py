"""What hangs on the instance types of a group, and on where they come from."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import catalog
from clustergen.catalog import InstanceType, ultraservers
from clustergen.hyperpod.rules.breaches.breach import Breach, Json, of_group
from clustergen.hyperpod.rules.breaches.members import as_map, items


def hardware(group: Json, document: Json) -> Iterator[Breach]:
    """What hangs on the instance types, and on where they come from."""
    found = [type for type in map(_type, _types(group)) if type]
    planned, checked = "TrainingPlanArn" in group, bool(group.get("OnStartDeepHealthChecks"))
    if checked and not all(type.gpus or type.neuron_devices for type in found):
        yield of_group(
            "hardware",
            group,
            "OnStartDeepHealthChecks",
            "deep health checks of nodes without accelerators",
            "leave OnStartDeepHealthChecks out",
        )
    if not planned and any(ultraservers.containing(type.name) for type in found):
        yield of_group(
            "hardware",
            group,
            "InstanceType",
            "UltraServers without a training plan",
            "add TrainingPlanArn",
        )
    subnets = items(as_map(group.get("OverrideVpcConfig")).get("Subnets"))
    if len(subnets) > 1 and any(type.efa for type in found):
        yield of_group(
            "hardware",
            group,
            "OverrideVpcConfig",
            f"nodes with EFA in {len(subnets)} subnets, though EFA does not leave one",
            "name one subnet",
        )
    if str(group.get("ImageId", "")).startswith("ami-") and "ImageReleaseVersion" in group:
        yield of_group(
            "hardware",
            group,
            "ImageReleaseVersion",
            "ImageReleaseVersion beside an image of your own",
            "leave one of the two out",
        )
    yield from _scaled(group, document)


def _scaled(group: Json, document: Json) -> Iterator[Breach]:
    """Groups of no instances are those that Karpenter starts nodes in."""
    if as_map(document.get("AutoScaling")).get("Mode") != "Enable" or group.get("InstanceCount"):
        return
    for name in ("TrainingPlanArn", "OnStartDeepHealthChecks"):
        if name in group:
            yield of_group(
                "hardware", group, name, f"{name} in a group that Karpenter scales", "leave it out"
            )


def _types(group: Json) -> list[str]:
    several = items(as_map(group.get("InstanceRequirements")).get("InstanceTypes"))
    return [str(name) for name in several or [group.get("InstanceType", "")]]


def _type(name: str) -> InstanceType | None:
    return catalog.find(name.removeprefix("ml."))
