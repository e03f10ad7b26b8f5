"""Instance groups that are added to an existing HyperPod cluster with EKS."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, put, unsafe
from clustergen.plan.model import NEW, Plan
from clustergen.services.hyperpod.rules.existing import VPC
from clustergen.services.kubernetes import karpenter
from clustergen.targets.hyperpod_eks import limits
from clustergen.targets.hyperpod_eks.options import Options
from clustergen.targets.hyperpod_eks.rules import CLUSTER, rule, warning

_EKS: Path = ("targets", "hyperpod-eks", "eks_cluster")
_AUTOSCALER: Path = ("kubernetes", "autoscaler")
_JOINED = (
    f"{VPC}\ntargets: {{hyperpod-eks: {{cluster: platform, eks_cluster: '{CLUSTER}', "
    "cluster_security_group: sg-0a1b2c3d4e5f67891}}"
)
_GOVERNANCE = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateClusterSchedulerConfig.html"


@rule(
    "K8S438",
    "Existing HyperPod cluster without its EKS cluster",
    why="The nodes of a HyperPod cluster join the one EKS cluster with which it was created.",
    source=limits.EKS_PREREQUISITES,
    bad=f"{VPC}\ntargets: {{hyperpod-eks: {{cluster: platform, eks_cluster: new}}}}",
    good=_JOINED,
)
def unknown_eks_cluster(plan: Plan) -> Iterator[Problem]:
    if not plan.creates_cluster and plan.options_as(Options).eks_cluster == NEW:
        yield Problem(
            _EKS if plan.wrote(*_EKS) else ("targets", "hyperpod-eks", "cluster"),
            "cluster names an existing HyperPod cluster, but eks_cluster is new",
            help="write eks_cluster: arn..., that of aws sagemaker describe-cluster --cluster-name "
            f"{plan.cluster_name} --query Orchestrator.Eks.ClusterArn",
        )


@rule(
    "K8S439",
    "Karpenter on an existing HyperPod cluster",
    why="Whether HyperPod runs Karpenter is a setting of the whole cluster, with a role of the "
    "cluster. An added group that Karpenter scales would stay at zero nodes without it.",
    source=limits.NODE_CLASS,
    bad=f"kubernetes: {{autoscaler: karpenter}}\n{_JOINED}",
)
def autoscaler(plan: Plan) -> Iterator[Problem]:
    if not plan.creates_cluster and karpenter.is_on(plan):
        yield Problem(
            _AUTOSCALER,
            "the autoscaler belongs to the existing cluster",
            help="write autoscaler: none and fixed counts; for groups that Karpenter scales, have "
            "the owner of the cluster add them to a HyperpodNodeClass",
            fix=unsafe(put(_AUTOSCALER, "none")),
        )


@warning(
    "K8S442",
    "Two targets in an existing EKS cluster",
    why="The script of a bundle deletes what an earlier version of the bundle made. It knows these "
    "objects by the name of the spec, which the bundles of both targets have.",
    source="docs/how-to/existing-cluster.md",
    bad=f"{VPC}\ntargets: {{eks: {{cluster: train}}, hyperpod-eks: {{eks_cluster: '{CLUSTER}'}}}}",
    good=f"{VPC}\ntargets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}'}}}}",
)
def shared_with_eks(plan: Plan) -> Iterator[Problem]:
    other: Path = ("targets", "eks", "cluster")
    if plan.options_as(Options).eks_cluster != NEW and plan.wrote(*other):
        yield Problem(
            other,
            f"if this is {plan.kubernetes_name}, the EKS cluster of hyperpod-eks, the bundles of "
            "both targets delete each other's objects",
            help="write a spec for each target, with a name of its own",
        )


@warning(
    "K8S440",
    "Quotas of queues on an existing HyperPod cluster",
    why="Quotas of task governance share the one scheduler configuration of a cluster, which its "
    "owner manages.",
    source=_GOVERNANCE,
    bad=f"queues: [{{name: train, node_groups: [h200]}}]\n{_JOINED}",
    good=_JOINED,
)
def quotas(plan: Plan) -> Iterator[Problem]:
    if not plan.creates_cluster and plan.wrote("queues", 0):
        yield Problem(
            ("queues",),
            "queues do not become quotas on an existing cluster",
            help="remove them; have the owner of the cluster add a compute quota for the groups",
            fix=unsafe(put(("queues",), [])),
        )
