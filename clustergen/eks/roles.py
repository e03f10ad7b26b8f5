"""IAM roles of a cluster: of nodes, and of pods that call AWS."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from clustergen.aws import session_manager

# Addresses of pods are the VPC CNI's own business, which has a role for that.
# https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html
NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEC2ContainerRegistryPullOnly",
)


def node_role(scope: Construct, id: str, statements: Iterable[dict[str, Any]] = ()) -> iam.Role:
    """The role of nodes, with ``statements`` (as CloudFormation has them) beside the usual."""
    return iam.Role(
        scope,
        id,
        assumed_by=iam.ServicePrincipal("ec2.amazonaws.com"),
        managed_policies=[managed(name) for name in NODE_POLICIES],
        inline_policies=inline([session_manager.statement(), *statements]),
    )


def pod_role(
    scope: Construct,
    id: str,
    *,
    policies: Sequence[str] = (),
    statements: Iterable[dict[str, Any]] = (),
) -> iam.Role:
    """A role that pods get by EKS Pod Identity.

    https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
    """
    return iam.Role(
        scope,
        id,
        assumed_by=iam.SessionTagsPrincipal(iam.ServicePrincipal("pods.eks.amazonaws.com")),
        managed_policies=[managed(name) for name in policies],
        inline_policies=inline(statements),
    )


def managed(name: str) -> iam.IManagedPolicy:
    """A policy that AWS manages, by name (and path)."""
    return iam.ManagedPolicy.from_aws_managed_policy_name(name)


def inline(statements: Iterable[dict[str, Any]]) -> dict[str, iam.PolicyDocument] | None:
    """``statements`` as the one inline policy of a role; None where there are none."""
    made = [iam.PolicyStatement.from_json(_tokens(statement)) for statement in statements]
    return {"cluster": iam.PolicyDocument(statements=made)} if made else None


def _tokens(statement: dict[str, Any]) -> dict[str, Any]:
    """A statement whose intrinsic functions are the CDK's."""
    resources = [
        cdk.Token.as_string(resource) if isinstance(resource, dict) else resource
        for resource in statement["Resource"]
    ]
    return {**statement, "Resource": resources}
