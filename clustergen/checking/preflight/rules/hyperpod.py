"""An existing HyperPod cluster to which instance groups are added."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, rule
from clustergen.checking.preflight import names, network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about
from clustergen.plan.model import Plan


def _orchestrator(plan: Plan) -> str:
    return "EKS" if plan.scheduler == "kubernetes" else "Slurm"


@rule(
    "PRE090",
    "The HyperPod cluster cannot take the instance groups",
    why="HyperPod adds instance groups to a cluster in service, in subnets of its VPC, and for the "
    "orchestrator that it has.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html",
    calls=(names.HYPERPOD, network.SUBNETS),
    by_hand=lambda plan: about(
        lambda plan: [names.existing_hyperpod(plan)],
        f"{{names}}: in service, in the VPC, with {_orchestrator(plan)}",
    )(plan),
    bad="sagemaker:DescribeCluster: {ClusterStatus: Failed}",
    good="sagemaker:DescribeCluster: {ClusterStatus: Updating}",
)
def hyperpod_cluster(case: Case) -> Iterator[Problem]:
    name = names.existing_hyperpod(case.plan)
    path = ("targets", case.traits.section, "cluster")
    found = case.find(names.HYPERPOD, ClusterName=name)
    if not found:
        help = f"aws sagemaker list-clusters --region {case.region}"
        yield Problem(path, f"there is no HyperPod cluster {name} in {case.region}", help)
        return
    show = f"aws sagemaker describe-cluster --region {case.region} --cluster-name {name}"
    status = found.get("ClusterStatus", "InService")
    if status in ("Failed", "Deleting"):
        yield Problem(path, f"the HyperPod cluster {name} is {status}", show)
    has = "EKS" if (found.get("Orchestrator") or {}).get("Eks") else "Slurm"
    if has != _orchestrator(case.plan):
        message = f"the HyperPod cluster {name} is orchestrated by {has}"
        yield Problem(path, message, f"use the target hyperpod-{has.lower()}, or another cluster")
    theirs = found.get("VpcConfig") or {}
    if not theirs:
        message = f"the HyperPod cluster {name} was created without a VPC"
        help = "use a cluster with VpcConfig: groups cannot have subnets here"
        yield Problem(path, message, help)
        return
    groups, subnets = theirs.get("SecurityGroupIds", []), theirs.get("Subnets", [])
    yield from network.misfits(case, name, groups, subnets)
