"""The EKS cluster of the nodes: an existing one, or one that the bundle creates first."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.plan.model import Id, Plan, Ref
from clustergen.services.hyperpod import memberships
from clustergen.targets.hyperpod_eks.options import Options

OUTPUTS: Mapping[str, str] = MappingProxyType(
    {
        "EksClusterArn": "ARN of the EKS cluster",
        "EksClusterName": "Name of the EKS cluster",
        "EksClusterSecurityGroupId": "Security group that EKS makes for the cluster",
    }
)
"""Outputs of the stack of a new EKS cluster that later stacks use: name -> description."""


def is_new(plan: Plan) -> bool:
    """Whether the bundle creates the EKS cluster."""
    return plan.options_as(Options).creates_eks


def arn(plan: Plan) -> Id:
    """The ARN of the EKS cluster."""
    return Ref("EksClusterArn") if is_new(plan) else plan.options_as(Options).eks_cluster


def name(plan: Plan) -> str:
    """The name of the EKS cluster; for a new one, the name of the spec."""
    return plan.kubernetes_name


def security_groups(plan: Plan) -> tuple[Id, ...]:
    """The security groups of nodes: the node group for EFA, and that of a new EKS cluster.

    The second allows traffic between pods, controllers on other nodes and the control plane,
    without new rules in existing groups.
    https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
    """
    own = memberships.of_all(plan)
    return (*own, Ref("EksClusterSecurityGroupId")) if is_new(plan) else own
