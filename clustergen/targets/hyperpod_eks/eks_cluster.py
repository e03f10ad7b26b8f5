"""The EKS cluster of the nodes: an existing one, or one that the bundle creates first."""

from collections.abc import Mapping

from clustergen.plan.model import Id, Plan, Ref
from clustergen.services.hyperpod import memberships
from clustergen.targets.hyperpod_eks.options import Options

OUTPUTS: Mapping[str, str] = {
    "EksClusterArn": "ARN of the EKS cluster",
    "EksClusterName": "Name of the EKS cluster",
    "EksClusterSecurityGroupId": "Security group that EKS makes for the cluster",
}
"""Outputs of the stack of a new EKS cluster that later stacks use: name -> description."""


def arn(plan: Plan) -> Id:
    """The ARN of the EKS cluster."""
    options = plan.options_as(Options)
    return Ref("EksClusterArn") if options.creates_eks else options.eks_cluster


def security_groups(plan: Plan) -> tuple[Id, ...]:
    """The security groups of nodes: the node group for EFA, and that of a new EKS cluster.

    The second allows traffic between pods, controllers on other nodes and the control plane,
    without new rules in existing groups.
    https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
    """
    own = memberships.of_all(plan)
    return (*own, Ref("EksClusterSecurityGroupId")) if plan.options.creates_eks else own
