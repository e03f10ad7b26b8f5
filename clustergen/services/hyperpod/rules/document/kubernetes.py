"""The orchestrator, and members for EKS only."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.rules.document import EKS, in_group, in_request, rule
from clustergen.services.hyperpod.rules.document.updates import PATCHES

_CHECKPOINTS = f"{limits.GUIDE}managed-tier-checkpointing.html"


@rule(
    "OVL304",
    "Setting that only clusters with EKS have",
    why="HyperPod rejects labels, taints, Spot and image versions in groups of a cluster with "
    "Slurm. Only on clusters with EKS, it drains nodes before a patch, and keeps checkpoints in "
    "the memory of nodes.",
    source=limits.INSTANCE_GROUP,
    bad=in_group("KubernetesConfig: {Labels: {team: a}}"),
    good=in_group("NetworkInterface: {InterfaceType: efa}"),
)
def only_eks(document: Document) -> Iterator[Problem]:
    if document.is_eks:
        return
    if "TieredStorageConfig" in document:
        message = "TieredStorageConfig works only with EKS"
        yield document.problem("TieredStorageConfig", message, "remove it", _CHECKPOINTS)
    for group in document.all_groups:
        if group.part("AutoPatchConfig").get("PatchingStrategy") == "DrainFirst":
            message = "DrainFirst works only with EKS"
            yield group.problem("AutoPatchConfig", message, "write WhenIdle", PATCHES)
    for group in document.groups:
        given = {
            "KubernetesConfig": "KubernetesConfig" in group,
            "CapacityRequirements": group.is_spot,
            "ImageReleaseVersion": "ImageReleaseVersion" in group,
        }
        for member in (member for member, there in given.items() if there):
            yield group.problem(member, f"{member} works only with EKS", "remove it, or use EKS")


@rule(
    "OVL308",
    "No orchestrator, or two",
    why="A request that names an orchestrator names one of EKS and Slurm.",
    source=limits.CREATE_CLUSTER,
    bad=in_request("Orchestrator: {Slurm: null}"),
    good=in_request("Orchestrator: {Slurm: {}}"),
)
def orchestrator(document: Document) -> Iterator[Problem]:
    kinds = [kind for kind in ("Eks", "Slurm") if kind in document.part("Orchestrator")]
    if document.data.get("Orchestrator") is not None and len(kinds) != 1:
        yield document.problem(
            "Orchestrator",
            f"the orchestrator is {' and '.join(kinds) or 'neither Slurm nor EKS'}",
            "name one of Eks and Slurm",
        )


@rule(
    "OVL311",
    "Continuous provisioning without an orchestrator",
    why="HyperPod provisions continuously only if it sets up Slurm or joins nodes to EKS. Scripts "
    "cannot.",
    source=limits.SLURM_CONTINUOUS,
    target=EKS,
    bad=in_request("Orchestrator: null", EKS),
    good=in_request("NodeRecovery: None", EKS),
)
def continuous(document: Document) -> Iterator[Problem]:
    if document.is_continuous and "Orchestrator" not in document:
        yield document.problem(
            "NodeProvisioningMode",
            "no Orchestrator, though scripts cannot provision continuously",
            "write Orchestrator, with one of Eks and Slurm; or remove NodeProvisioningMode",
        )
