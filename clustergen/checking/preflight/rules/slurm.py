"""An existing PCS cluster to which node groups are added."""

from collections.abc import Iterator
from typing import Final

from clustergen.base.findings import Path, Problem, rule
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about

CLUSTER: Final = "pcs:GetCluster"
_PATH: Final[Path] = ("targets", "pcs", "cluster")


@rule(
    "PRE088",
    "The PCS cluster cannot take the node groups",
    why="PCS adds node groups to an active cluster in the VPC of their subnets. The nodes use the "
    "commands of the cluster's Slurm version, and reach its scheduler by its security groups.",
    source="https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateComputeNodeGroup.html",
    calls=(CLUSTER, network.SUBNETS),
    by_hand=about(
        lambda plan: [plan.existing.cluster] if plan.target == "pcs" else (),
        "{names}: active, in the VPC, with Slurm of the same version",
    ),
    bad="pcs:GetCluster: {cluster: {status: SUSPENDED}}",
    good="pcs:GetCluster: {cluster: {status: ACTIVE}}",
)
def pcs_cluster(case: Case) -> Iterator[Problem]:
    id = case.plan.existing.cluster
    found = (case.find(CLUSTER, clusterIdentifier=id) or {}).get("cluster")
    if not found:
        help = f"aws pcs list-clusters --region {case.region}"
        yield Problem(_PATH, f"there is no PCS cluster {id} in {case.region}", help)
        return
    show = f"aws pcs get-cluster --region {case.region} --cluster-identifier {id}"
    if (status := found.get("status", "ACTIVE")) not in ("ACTIVE", "UPDATING"):
        yield Problem(_PATH, f"the PCS cluster {id} is {status}", show)
    version = found.get("scheduler", {}).get("version")
    wanted = case.plan.slurm.version or case.plan.limits.default_slurm_version
    if version and version != wanted:
        message = f"{id} runs Slurm {version}, and the nodes would use {wanted}"
        yield Problem(("slurm", "version"), message, f'write `slurm: {{version: "{version}"}}`')
    theirs = found.get("networking", {})
    groups, subnets = theirs.get("securityGroupIds", []), theirs.get("subnetIds", [])
    yield from network.misfits(case, id, groups, subnets)
