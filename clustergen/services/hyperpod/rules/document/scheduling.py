"""Slurm: the configuration strategy, and roles and partitions of instance groups."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.overlay.parts import as_list, as_map
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.rules.document import (
    EKS,
    groups,
    in_group,
    in_legacy_request,
    in_request,
    rule,
)

_REFERENCE = f"{limits.GUIDE}sagemaker-hyperpod-ref.html"
_MIGRATION = f"{limits.GUIDE}sagemaker-hyperpod-slurm-api-config-migration.html"
_COMPUTE = "SlurmConfig: {NodeType: Compute, PartitionNames: [gpu]}"
_ROLES = (
    "InstanceGroups: "
    "[{InstanceGroupName: controller, SlurmConfig: {NodeType: Controller}}, "
    f"{{InstanceGroupName: h200, {_COMPUTE}}}]"
)


def _logins(count: int) -> str:
    settings = (
        "InstanceType: ml.m7i.large, InstanceCount: 1, "
        "ExecutionRole: 'arn:aws:iam::111122223333:role/nodes', SlurmConfig: {NodeType: Login}"
    )
    made = (f"{{InstanceGroupName: login{n}, {settings}}}" for n in range(count))
    return f"InstanceGroups: [{', '.join(made)}]"


@rule(
    "OVL300",
    "Not exactly one group of controllers",
    why="With Slurm, one instance group is the controller.",
    source=_REFERENCE,
    bad=in_request(
        "InstanceGroups: [{InstanceGroupName: controller, SlurmConfig: {NodeType: Login}}]"
    ),
    good=in_request(
        "InstanceGroups: [{InstanceGroupName: controller, SlurmConfig: {NodeType: Controller}}]"
    ),
)
def controllers(document: Document) -> Iterator[Problem]:
    if document.slurm_groups and (count := len(document.controllers)) != 1:
        yield document.problem("InstanceGroups", f"{count} groups of controllers", "keep one")


@rule(
    "OVL309",
    "SlurmConfigStrategy with continuous provisioning",
    why="With continuous provisioning HyperPod always merges Slurm's configuration, and rejects a "
    "strategy.",
    source=limits.SLURM_CONTINUOUS,
    bad=in_request("Orchestrator: {Slurm: {SlurmConfigStrategy: Merge}}"),
    good=in_request(
        "NodeProvisioningMode: null, Orchestrator: {Slurm: {SlurmConfigStrategy: Merge}}"
    ),
)
def strategy(document: Document) -> Iterator[Problem]:
    slurm = as_map(document.part("Orchestrator").get("Slurm"))
    if "SlurmConfigStrategy" in slurm and document.is_continuous and not document.is_eks:
        yield document.problem(
            "Orchestrator",
            "SlurmConfigStrategy with continuous provisioning",
            "remove the strategy, or NodeProvisioningMode",
        )


@rule(
    "OVL312",
    "SlurmConfig on a cluster with EKS",
    why="Groups of a cluster with EKS have no role in Slurm.",
    source=_REFERENCE,
    target=EKS,
    bad=in_group(_COMPUTE, EKS),
    good=in_group("KubernetesConfig: {Labels: {example.com/role: train}}", EKS),
)
def role_on_eks(document: Document) -> Iterator[Problem]:
    for group in document.groups:
        if document.is_eks and "SlurmConfig" in group:
            yield group.problem("SlurmConfig", "SlurmConfig with EKS", "remove SlurmConfig")


@rule(
    "OVL313",
    "SlurmConfig without Slurm as orchestrator",
    why="HyperPod sets up Slurm from SlurmConfig only if the request names Slurm as orchestrator.",
    source=_MIGRATION,
    bad=in_legacy_request(_ROLES),
    good=in_legacy_request(groups("ThreadsPerCore: 1")),
)
def no_orchestrator(document: Document) -> Iterator[Problem]:
    if document.slurm_groups and "Orchestrator" not in document:
        yield document.problem(
            "Orchestrator",
            "SlurmConfig without Slurm as orchestrator",
            "write Orchestrator: {Slurm: {}}",
        )


@rule(
    "OVL315",
    "Several groups of login nodes",
    why="HyperPod accepts at most one instance group of login nodes.",
    source=_REFERENCE,
    bad=in_request(_logins(2)),
    good=in_request(_logins(1)),
)
def logins(document: Document) -> Iterator[Problem]:
    roles = [group.part("SlurmConfig").get("NodeType") for group in document.slurm_groups]
    if (count := roles.count("Login")) > 1:
        yield document.problem("InstanceGroups", f"{count} groups of login nodes", "keep one")


@rule(
    "OVL316",
    "More or fewer than one controller",
    why="If HyperPod sets up Slurm, the group of the controller has one instance.",
    source=_MIGRATION,
    bad=in_request(groups("InstanceCount: 2", "controller")),
    good=in_request(groups("InstanceCount: 1", "controller")),
)
def controller_count(document: Document) -> Iterator[Problem]:
    for group in document.controllers:
        if not document.is_eks and group.data.get("InstanceCount") != 1:
            yield group.problem(
                "InstanceCount",
                "not one controller",
                "write 1; only mode: legacy has several controllers",
            )


@rule(
    "OVL317",
    "Compute group without exactly one partition, or other group with one",
    why="Each group of compute nodes is in one partition, which HyperPod creates. Only groups of "
    "compute nodes are in partitions.",
    source=_REFERENCE,
    bad=in_group("SlurmConfig: {PartitionNames: null}"),
    good=in_group("SlurmConfig: {PartitionNames: [gpu]}"),
)
def partition(document: Document) -> Iterator[Problem]:
    for group in document.slurm_groups:
        role = group.part("SlurmConfig")
        count = len(as_list(role.get("PartitionNames")))
        computes = role.get("NodeType") == "Compute"
        if computes and count != 1:
            message = f"a compute group with {count} partitions"
            yield group.problem("SlurmConfig", message, "name one partition")
        if count and not computes:
            message = "only compute groups have partitions"
            yield group.problem("SlurmConfig", message, "remove PartitionNames")


@rule(
    "OVL319",
    "Group without a role in Slurm",
    why="If one group has SlurmConfig, each group needs it.",
    source=limits.SLURM_CONTINUOUS,
    bad=in_group("SlurmConfig: null"),
    good=in_group("SlurmConfig: {PartitionNames: [gpu]}"),
)
def no_role(document: Document) -> Iterator[Problem]:
    if document.slurm_groups and "Slurm" in document.part("Orchestrator"):
        for group in document.groups:
            if "SlurmConfig" not in group:
                yield group.problem(
                    "SlurmConfig",
                    "a group without SlurmConfig",
                    "write SlurmConfig: {NodeType: Compute, PartitionNames: [NAME]}",
                )
