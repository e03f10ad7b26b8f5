"""IAM roles of nodes, and of pods that call AWS."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_iam as iam
from constructs import Construct

from clustergen.aws import session_manager

# The VPC CNI manages addresses of pods, with its own role.
# https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html
NODE_POLICIES = (
    "AmazonEKSWorkerNodePolicy",
    "AmazonEC2ContainerRegistryPullOnly",
)


def node_role(scope: Construct, id: str, statements: Iterable[dict[str, Any]] = ()) -> iam.Role:
    """The role of nodes, with additional policy ``statements`` in CloudFormation's form."""
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
    """A role that pods get through EKS Pod Identity.

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
    """An AWS managed policy, by name (and path)."""
    return iam.ManagedPolicy.from_aws_managed_policy_name(name)


def inline(statements: Iterable[dict[str, Any]]) -> dict[str, iam.PolicyDocument] | None:
    """``statements`` as the only inline policy of a role; None if there are none."""
    made = [iam.PolicyStatement.from_json(_tokens(statement)) for statement in statements]
    return {"cluster": iam.PolicyDocument(statements=made)} if made else None


def _tokens(statement: dict[str, Any]) -> dict[str, Any]:
    """A statement with intrinsic functions as CDK tokens."""
    resources = [
        cdk.Token.as_string(resource) if isinstance(resource, dict) else resource
        for resource in statement["Resource"]
    ]
    return {**statement, "Resource": resources}
