"""Autoscaling with Karpenter."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.rules.document import EKS, in_group, in_request, rule

_SCALED = (
    "kubernetes: {autoscaler: karpenter}\nnode_groups: [{name: h200, count: {min: 0, max: 2}}]\n"
)


@rule(
    "OVL321",
    "Autoscaling without its prerequisites",
    why="Autoscaling needs EKS, continuous provisioning and a role of the cluster.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-eks-autoscaling.html",
    bad=in_request("AutoScaling: {Mode: Enable, AutoScalerType: Karpenter}"),
    good=in_request("AutoScaling: {Mode: Disable, AutoScalerType: Karpenter}"),
)
def requirements(document: Document) -> Iterator[Problem]:
    needed = {
        "EKS": document.is_eks,
        "NodeProvisioningMode: Continuous": document.is_continuous,
        "ClusterRole": "ClusterRole" in document,
    }
    missing = [what for what, there in needed.items() if not there]
    if document.is_autoscaled and missing:
        yield document.problem(
            "AutoScaling",
            f"autoscaling without {', '.join(missing)}",
            "add them, or remove AutoScaling",
        )


@rule(
    "OVL338",
    "Training plan or health checks in a group that Karpenter scales",
    why="Karpenter starts neither planned instances nor instances that are checked for an hour "
    "before they take pods. Its groups have no fixed instances.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-eks-autoscaling-nodeclass.html",
    target=EKS,
    bad=_SCALED + in_group("OnStartDeepHealthChecks: [InstanceStress]", EKS),
    good=_SCALED + in_group("KubernetesConfig: {Labels: {example.com/role: train}}", EKS),
)
def scaled_group(document: Document) -> Iterator[Problem]:
    for group in document.all_groups if document.is_autoscaled else []:
        for name in ("TrainingPlanArn", "OnStartDeepHealthChecks"):
            if name in group and not group.data.get("InstanceCount"):
                yield group.problem(name, f"{name} in a group that Karpenter scales", "remove it")
