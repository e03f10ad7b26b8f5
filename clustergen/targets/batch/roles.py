"""The role of nodes, and its instance profile. Batch's own role is linked to the service."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.artifacts import Json
from clustergen.aws import cfn, iam, session_manager
from clustergen.foundation import access
from clustergen.node_scripts import BUCKET
from clustergen.plan.model import Plan
from clustergen.targets.batch import names, user_data

_ECS = "service-role/AmazonEC2ContainerServiceforEC2Role"


def resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    role = {
        "AssumeRolePolicyDocument": iam.trust("ec2"),
        "ManagedPolicyArns": [cfn.sub(f"arn:${{AWS::Partition}}:iam::aws:policy/{_ECS}")],
        "Policies": [{"PolicyName": "nodes", "PolicyDocument": iam.document(_statements(plan))}],
        "Tags": cfn.tags(plan.tags, Name=f"{plan.name}-node"),
    }
    yield names.NODE_ROLE, {"Type": "AWS::IAM::Role", "Properties": role}
    profile = {"Roles": [cfn.ref(names.NODE_ROLE)]}
    yield names.NODE_PROFILE, {"Type": "AWS::IAM::InstanceProfile", "Properties": profile}


def _statements(plan: Plan) -> Iterator[Json]:
    yield session_manager.statement()
    if user_data.used(plan):
        objects = cfn.sub(f"arn:${{AWS::Partition}}:s3:::${{{BUCKET}}}/*")
        yield iam.allow("OwnScripts", ["s3:GetObject"], [objects])
    yield from access.user_scripts(plan)
    yield from access.buckets(plan)
    yield from access.volumes(plan)
