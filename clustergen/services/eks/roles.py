"""IAM roles of nodes, and of pods that call AWS."""

from collections.abc import Iterable, Sequence

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn, iam, session_manager
from clustergen.services.aws.members import filled

# The VPC CNI manages addresses of pods, with its own role.
# https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html
NODE_POLICIES = ("AmazonEKSWorkerNodePolicy", "AmazonEC2ContainerRegistryPullOnly")


def role(
    plan: Plan,
    service: str,
    *,
    actions: Sequence[str] = ("sts:AssumeRole",),
    policies: Sequence[str] = (),
    statements: Iterable[Json] = (),
) -> Json:
    """A role for a service, with ``policies`` and ``statements`` of its own.

    ``policies`` are names of AWS's policies, or ARNs of other policies. The names of these services
    are the same in every partition.
    """
    trusted = {"Effect": "Allow", "Principal": {"Service": f"{service}.amazonaws.com"}}
    own = list(statements)
    inline = [{"PolicyName": "cluster", "PolicyDocument": iam.document(own)}] if own else []
    return iam.role(
        plan,
        {
            "AssumeRolePolicyDocument": iam.document([{**trusted, "Action": list(actions)}]),
            **filled(
                ManagedPolicyArns=[
                    (name if name.startswith("arn:") else iam.managed(name)) for name in policies
                ],
                Policies=inline,
                Tags=cfn.tags(plan.tags),
            ),
        },
    )


def node_role(plan: Plan, statements: Iterable[Json] = (), policies: Sequence[str] = ()) -> Json:
    """The role of nodes, with additional policy ``statements`` and ``policies``."""
    own = [*session_manager.statements(plan), *statements]
    return role(plan, "ec2", policies=(*NODE_POLICIES, *policies), statements=own)


def pod_role(plan: Plan, *, policies: Sequence[str] = (), statements: Iterable[Json] = ()) -> Json:
    """A role that pods get through EKS Pod Identity.

    https://docs.aws.amazon.com/eks/latest/userguide/pod-id-role.html
    """
    actions = ("sts:AssumeRole", "sts:TagSession")
    return role(plan, "pods.eks", actions=actions, policies=policies, statements=statements)


def pod_identity(plan: Plan, cluster: Json, namespace: str, account: str, role: str) -> Json:
    """What gives the pods of a service account the role with the logical id ``role``."""
    return cfn.resource(
        "AWS::EKS::PodIdentityAssociation",
        {
            "ClusterName": cluster,
            "Namespace": namespace,
            "ServiceAccount": account,
            "RoleArn": cfn.get_att(role, "Arn"),
            **filled(Tags=cfn.tags(plan.tags)),
        },
    )
