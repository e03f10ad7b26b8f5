"""What is for EKS, and labels and taints."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.hyperpod.labels import reserved_prefix
from clustergen.hyperpod.rules.breaches.breach import Breach, Json, of_group
from clustergen.hyperpod.rules.breaches.members import as_map, continuous, maps, of_eks
from clustergen.kubernetes.labels_and_taints import MIG_LABEL
from clustergen.kubernetes.taints import MAX_NAME


def kubernetes(group: Json, document: Json) -> Iterator[Breach]:
    if not of_eks(document):
        spot = "Spot" in as_map(group.get("CapacityRequirements"))
        for name, there in (
            ("KubernetesConfig", "KubernetesConfig" in group),
            ("CapacityRequirements", spot),
            ("ImageReleaseVersion", "ImageReleaseVersion" in group),
        ):
            if there:
                yield of_group(
                    "kubernetes", group, name, f"{name} is for EKS", "leave it out, or take EKS"
                )
    else:
        yield from _provisioned(group, document)
    config = as_map(group.get("KubernetesConfig"))
    if config.get("Taints") and group.get("OnStartDeepHealthChecks"):
        yield of_group(
            "kubernetes",
            group,
            "KubernetesConfig",
            "taints on a group with deep health checks",
            "leave one of the two out",
        )


def _provisioned(group: Json, document: Json) -> Iterator[Breach]:
    """What needs continuous provisioning, and what does not go with it."""
    config = as_map(group.get("KubernetesConfig"))
    spot = "Spot" in as_map(group.get("CapacityRequirements"))
    for member, what, there in (
        ("CapacityRequirements", "Spot", spot),
        ("KubernetesConfig", MIG_LABEL, MIG_LABEL in as_map(config.get("Labels"))),
    ):
        if there and not continuous(document):
            yield of_group(
                "kubernetes",
                group,
                member,
                f"{what} without continuous provisioning",
                "add NodeProvisioningMode: Continuous",
            )
    if spot and "TrainingPlanArn" in group:
        yield of_group(
            "kubernetes",
            group,
            "CapacityRequirements",
            "Spot with a training plan",
            "leave one of the two out",
        )


def labels(group: Json) -> Iterator[Breach]:
    config = as_map(group.get("KubernetesConfig"))
    taints = [taint.get("Key") for taint in maps(config.get("Taints"))]
    for key in [*as_map(config.get("Labels")), *taints]:
        if not isinstance(key, str):
            continue
        if prefix := reserved_prefix(key):
            yield _in_kubernetes(group, f"{key!r} has the prefix {prefix}", "take your own domain")
        if len(key.rpartition("/")[2]) > MAX_NAME:
            yield _in_kubernetes(
                group, f"the name of {key!r} is too long", f"write {MAX_NAME} letters or fewer"
            )


def _in_kubernetes(group: Json, message: str, help: str) -> Breach:
    return of_group("kubernetes", group, "KubernetesConfig", message, help)
