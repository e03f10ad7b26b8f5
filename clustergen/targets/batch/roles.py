"""The role of nodes, and its instance profile. Batch's own role is linked to the service."""

from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.plan.model import Iam, NodeGroup, Plan
from clustergen.services.aws import cfn, iam, session_manager
from clustergen.services.foundation import access
from clustergen.services.nodes.node_scripts import BUCKET
from clustergen.targets.batch import names, user_data

_NOTHING = Iam()
ECS_POLICY = "service-role/AmazonEC2ContainerServiceforEC2Role"


def resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    """The role of all nodes, and the roles and instance profiles of groups with their own."""
    if not all(group.iam.exists or group.iam.adds for group in plan.node_groups):
        yield names.NODE_ROLE, _role(plan, "node")
        yield names.NODE_PROFILE, _profile(cfn.ref(names.NODE_ROLE))
    for group in plan.node_groups:
        id = names.node_role(group)
        if group.iam.role:
            yield f"{id}Profile", _profile(group.iam.role.rpartition("/")[2])
        elif group.iam.adds and not group.iam.exists:
            yield id, _role(plan, group.name, group.iam)
            yield f"{id}Profile", _profile(cfn.ref(id))


def profile(group: NodeGroup) -> Json | str:
    """The instance profile of a group's nodes."""
    if group.iam.instance_profile:
        return group.iam.instance_profile
    own = group.iam.role or group.iam.adds
    return cfn.get_att(f"{names.node_role(group)}Profile" if own else names.NODE_PROFILE, "Arn")


def _role(plan: Plan, name: str, own: Iam = _NOTHING) -> Json:
    statements = [*_statements(plan), *access.grants(own)]
    ecs = cfn.sub(f"arn:${{AWS::Partition}}:iam::aws:policy/{ECS_POLICY}")
    role = {
        "AssumeRolePolicyDocument": iam.trust("ec2"),
        "ManagedPolicyArns": [ecs, *own.policies],
        "Policies": [{"PolicyName": "nodes", "PolicyDocument": iam.document(statements)}],
        "Tags": cfn.tags(plan.tags, Name=f"{plan.name}-{name}"),
    }
    return iam.role(plan, role)


def _profile(role: Json | str) -> Json:
    return {"Type": "AWS::IAM::InstanceProfile", "Properties": {"Roles": [role]}}


def _statements(plan: Plan) -> Iterator[Json]:
    yield from session_manager.statements(plan)
    if user_data.used(plan):
        objects = cfn.sub(f"arn:${{AWS::Partition}}:s3:::${{{BUCKET}}}/*")
        yield iam.allow("OwnScripts", ["s3:GetObject"], [objects])
    yield from access.user_scripts(plan)
    yield from access.buckets(plan)
    yield from access.volumes(plan)
