"""Orchestrator, the roles of groups, autoscaling."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.hyperpod.rules.breaches.breach import Breach, Json, of_cluster, of_group
from clustergen.hyperpod.rules.breaches.members import as_map, continuous, items, maps, of_eks


def orchestrator(document: Json) -> Iterator[Breach]:
    given = document.get("Orchestrator")
    kinds = [kind for kind in ("Eks", "Slurm") if kind in as_map(given)]
    if given is not None and len(kinds) != 1:
        yield of_cluster(
            "roles",
            "Orchestrator",
            f"the orchestrator is {' and '.join(kinds) or 'neither Slurm nor EKS'}",
            "name one of Eks and Slurm",
        )
    if not of_eks(document):
        slurm = as_map(as_map(given).get("Slurm"))
        if continuous(document) and "SlurmConfigStrategy" in slurm:
            yield of_cluster(
                "roles",
                "Orchestrator",
                "SlurmConfigStrategy with continuous provisioning",
                "leave the strategy out, or NodeProvisioningMode",
            )
        if "AccountingDatabase" in slurm and not continuous(document):
            yield of_cluster(
                "roles",
                "Orchestrator",
                "AccountingDatabase without continuous provisioning",
                "add NodeProvisioningMode: Continuous",
            )
        if continuous(document) and "Orchestrator" not in document:
            yield of_cluster(
                "roles",
                "NodeProvisioningMode",
                "no Orchestrator, though scripts cannot provision continuously",
                "write Orchestrator, with one of Eks and Slurm; or leave NodeProvisioningMode out",
            )
    elif "VpcConfig" not in document:
        yield of_cluster("roles", "VpcConfig", "an EKS cluster without VpcConfig", "add it")


def roles(document: Json) -> Iterator[Breach]:
    groups = maps(document.get("InstanceGroups"))
    roles = [(group, as_map(group["SlurmConfig"])) for group in groups if "SlurmConfig" in group]
    if not roles:
        return
    if of_eks(document):
        for group, _ in roles:
            yield of_group(
                "roles", group, "SlurmConfig", "SlurmConfig with EKS", "leave SlurmConfig out"
            )
        return
    if "Orchestrator" not in document:
        yield of_cluster(
            "roles",
            "Orchestrator",
            "SlurmConfig without Slurm as orchestrator",
            "write Orchestrator: {Slurm: {}}",
        )
    controllers = [group for group, role in roles if role.get("NodeType") == "Controller"]
    logins = [group for group, role in roles if role.get("NodeType") == "Login"]
    if len(controllers) != 1:
        yield of_cluster(
            "roles", "InstanceGroups", f"{len(controllers)} groups of controllers", "keep one"
        )
    if len(logins) > 1:
        yield of_cluster(
            "roles", "InstanceGroups", f"{len(logins)} groups of login nodes", "keep one"
        )
    for group in controllers:
        if group.get("InstanceCount") != 1:
            yield of_group(
                "roles",
                group,
                "InstanceCount",
                "not one controller",
                "write 1; only mode: legacy has several controllers",
            )
    for group, role in roles:
        yield from _role(group, role)
    for group in groups:
        if "SlurmConfig" not in group and "Slurm" in as_map(document.get("Orchestrator")):
            yield of_group(
                "roles",
                group,
                "SlurmConfig",
                "a group without SlurmConfig",
                "write SlurmConfig: {NodeType: Compute, PartitionNames: [NAME]}",
            )


def _role(group: Json, role: Json) -> Iterator[Breach]:
    names = items(role.get("PartitionNames"))
    if role.get("NodeType") == "Compute" and len(names) != 1:
        yield of_group(
            "roles",
            group,
            "SlurmConfig",
            f"a compute group with {len(names)} partitions",
            "name one partition",
        )
    elif role.get("NodeType") != "Compute" and names:
        yield of_group(
            "roles",
            group,
            "SlurmConfig",
            "partitions are of compute groups only",
            "leave PartitionNames out",
        )


def autoscaling(document: Json) -> Iterator[Breach]:
    if "TieredStorageConfig" in document and not of_eks(document):
        yield of_cluster(
            "kubernetes", "TieredStorageConfig", "TieredStorageConfig is for EKS", "leave it out"
        )
    if as_map(document.get("AutoScaling")).get("Mode") != "Enable":
        return
    lacking = [
        what
        for what, there in (
            ("EKS", of_eks(document)),
            ("NodeProvisioningMode: Continuous", continuous(document)),
            ("ClusterRole", "ClusterRole" in document),
        )
        if not there
    ]
    if lacking:
        yield of_cluster(
            "kubernetes",
            "AutoScaling",
            f"autoscaling without {', '.join(lacking)}",
            "add them, or leave AutoScaling out",
        )
