"""Numbers of instances, Spot and training plans, and what needs continuous provisioning."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.facts.catalog import ultraservers
from clustergen.overlay.parts import as_map
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document, Group
from clustergen.services.hyperpod.rules.document import EKS, groups, in_group, in_request, rule
from clustergen.services.kubernetes.labels_and_taints import MIG_LABEL

_SPOT_GUIDE = f"{limits.GUIDE}sagemaker-hyperpod-spot.html"
_MIG_GUIDE = f"{limits.GUIDE}sagemaker-hyperpod-eks-gpu-partitioning.html"
_DATABASE = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterOrchestratorSlurmConfig.html"
_CONTINUOUS = "add NodeProvisioningMode: Continuous"
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
    "What needs continuous provisioning without it",
    why="Only with continuous provisioning, HyperPod has groups with a minimum or several instance "
    "types, Spot, partitions of GPUs (MIG), and connects Slurm to an external database.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-scaling-eks.html",
    bad=in_request(f"NodeProvisioningMode: null, {groups('MinInstanceCount: 1')}"),
    good=in_group("MinInstanceCount: 1"),
)
def continuous(document: Document) -> Iterator[Problem]:
    if document.is_continuous:
        return
    slurm = as_map(document.part("Orchestrator").get("Slurm"))
    if "AccountingDatabase" in slurm and not document.is_eks:
        message = "AccountingDatabase without continuous provisioning"
        yield document.problem("Orchestrator", message, _CONTINUOUS, _DATABASE)
    for group in document.groups:
        for member, what, source in _needs(group, document.is_eks):
            message = f"{what} without continuous provisioning"
            yield group.problem(member, message, _CONTINUOUS, source)


def _needs(group: Group, is_eks: bool) -> Iterator[tuple[str, str, str]]:
    """Member of a group, what in it needs continuous provisioning, and another source for that."""
    for name in ("MinInstanceCount", "InstanceRequirements"):
        if name in group:
            yield name, name, ""
    if is_eks and group.is_spot:
        yield "CapacityRequirements", "Spot", _SPOT_GUIDE
    if is_eks and MIG_LABEL in group.labels:
        yield "KubernetesConfig", MIG_LABEL, _MIG_GUIDE


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
