"""The roles of SageMaker HyperPod, in regions that have it."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.artifacts import Json
from clustergen.aws import cfn, iam
from clustergen.foundation import access, monitoring
from clustergen.foundation.part import NOTHING, Output, Part, has_hyperpod, named, serves
from clustergen.plan import volumes
from clustergen.plan.model import Database, Iam, NodeGroup, Plan
from clustergen.words import words

EXECUTION_ROLE = "HyperPodExecutionRole"
CLUSTER_ROLE = "HyperPodClusterRole"


def part(plan: Plan) -> Part:
    """The role of instances, and one for the autoscaler if the spec uses it."""
    if not has_hyperpod(plan):
        return NOTHING
    roles: Json = {}
    outputs: dict[str, Output] = {}
    for name, (whose, own) in _execution_roles(plan).items():
        roles[name] = _execution_role(plan, own)
        outputs[f"{name}Arn"] = Output(f"Role of {whose}", cfn.get_att(name, "Arn"))
    own_role = plan.wrote("targets", "hyperpod-eks", "cluster_role")
    scaled = plan.kubernetes.autoscaler == "karpenter" and not own_role
    if serves(plan, "hyperpod-eks") and scaled:
        roles[CLUSTER_ROLE] = _cluster_role(plan)
        outputs[f"{CLUSTER_ROLE}Arn"] = Output(
            "Role with which HyperPod adds and removes nodes", cfn.get_att(CLUSTER_ROLE, "Arn")
        )
    return Part(roles, outputs)


def machine_role(section: str) -> str:
    """The logical id of the role of head or login nodes with permissions of their own."""
    return f"HyperPod{cfn.logical_id(*section.split('_'))}Role"


def group_role(plan: Plan, group: NodeGroup) -> str:
    """The logical id of the role of a node group with permissions of its own."""
    id = cfn.logical_id(group.name)
    # Names like cpu-1 and cpu1 make one id.
    twins = [each.name for each in plan.node_groups if cfn.logical_id(each.name) == id]
    number = f"Twin{twins.index(group.name) + 1}" if len(twins) > 1 else ""
    return f"{EXECUTION_ROLE}{id}{number}"


def _execution_roles(plan: Plan) -> dict[str, tuple[str, Iam]]:
    """The roles of instances: logical id -> whose it is, and what the user adds to it.

    This depends on the spec alone, as the rest of the foundation does: a plan for EKS has no
    controller and no login nodes.
    """
    machines = plan.slurm_machines if serves(plan, "hyperpod-slurm") else ()
    named = {machine_role(name): (f"{name} on HyperPod", iam) for name, iam in machines}
    named |= {
        group_role(plan, group): (f"HyperPod instances of {group.name}", group.iam)
        for group in plan.node_groups
    }
    lacking = {id: each for id, each in named.items() if not each[1].role}
    adding = {id: each for id, each in lacking.items() if each[1].adds}
    shared = {EXECUTION_ROLE: ("HyperPod instances", Iam())} if len(adding) < len(lacking) else {}
    return {**shared, **adding}


def _execution_role(plan: Plan, own: Iam) -> Json:
    """The execution role that AWS documents, with its trust policy.

    It has no condition on ``aws:SourceAccount``: if HyperPod did not send the key, which is not
    documented, no node would start. Roles cannot be passed to a service across accounts, so other
    accounts cannot let HyperPod use this role.
    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html
    https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html
    """
    managed = "arn:${AWS::Partition}:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy"
    statements = [
        *_interfaces(),
        *_pods(),
        *_images(),
        *_files(),
        *_alarms(),
        *access.user_scripts(plan),
        *access.lifecycle_sources(plan),
        *access.buckets(plan),
        *access.volumes(plan),
        *_keys(plan),
        *_secret(plan),
        *monitoring.writing(plan),
        *access.grants(own),
    ]
    properties = {
        "AssumeRolePolicyDocument": iam.trust("sagemaker"),
        "ManagedPolicyArns": [cfn.sub(managed), *own.policies],
        "Policies": [{"PolicyName": "cluster", "PolicyDocument": iam.document(statements)}],
        "Tags": named(plan, "hyperpod"),
    }
    return {"Type": "AWS::IAM::Role", "Properties": properties}


def _interfaces() -> Iterator[Json]:
    """Permissions to create network interfaces in an existing VPC."""
    network = "arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:"
    made = ("CreateNetworkInterface", "CreateNetworkInterfacePermission")
    ended = words("""
        DeleteNetworkInterface DeleteNetworkInterfacePermission
        DetachNetworkInterface AttachNetworkInterface ModifyNetworkInterfaceAttribute
        AssignPrivateIpAddresses UnassignPrivateIpAddresses
    """)
    own = [
        cfn.sub(f"{network}{kind}/*") for kind in ("network-interface", "subnet", "security-group")
    ]
    # The instances that they are attached to are in an account of SageMaker.
    instances = cfn.sub("arn:${AWS::Partition}:ec2:${AWS::Region}:*:instance/*")
    yield iam.allow("Interfaces", iam.actions("ec2", *made, *ended), [*own, instances])
    yield iam.allow("InterfaceTags", ["ec2:CreateTags"], own[:1])
    # EC2 has no resource-level permissions for Describe actions.
    # https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
    described = words("""
        NetworkInterfaces Vpcs DhcpOptions Subnets SecurityGroups
        Instances InstanceTypes Tags
    """)
    yield iam.allow("Network", [f"ec2:Describe{what}" for what in described], ["*"])


def _pods() -> Iterator[Json]:
    """Permission for pod identity in the EKS clusters of the account; Slurm nodes do not use it."""
    clusters = "arn:${AWS::Partition}:eks:${AWS::Region}:${AWS::AccountId}:cluster/*"
    yield iam.allow("PodIdentity", ["eks-auth:AssumeRoleForPodIdentity"], [cfn.sub(clusters)])


def _images() -> Iterator[Json]:
    """Permission to pull container images: those of the account, and those of HyperPod and EKS."""
    repositories = cfn.sub("arn:${AWS::Partition}:ecr:${AWS::Region}:*:repository/*")
    pull = ("BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer")
    yield iam.allow("Images", iam.actions("ecr", *pull), [repositories])
    # Tokens are for all registries: the action does not support resources.
    # https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelasticcontainerregistry.html
    yield iam.allow("ImageToken", ["ecr:GetAuthorizationToken"], ["*"])


def _files() -> Iterator[Json]:
    """Permission to read from FSx whether a file system has EFA; not a resource-level action.

    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonfsx.html
    """
    yield iam.allow("FileSystems", ["fsx:DescribeFileSystems"], ["*"])


def _alarms() -> Iterator[Json]:
    """Permission to read the alarms at which HyperPod rolls back an update."""
    alarms = "arn:${AWS::Partition}:cloudwatch:${AWS::Region}:${AWS::AccountId}:alarm:*"
    yield iam.allow("Alarms", ["cloudwatch:DescribeAlarms"], [cfn.sub(alarms)])


def _keys(plan: Plan) -> Iterator[Json]:
    """Permission to encrypt volumes with the user's keys, now and when nodes are added or patched.

    https://docs.aws.amazon.com/sagemaker/latest/dg/smcluster-cmk.html
    """
    if keys := volumes.root_keys(plan):
        yield iam.allow("Keys", iam.actions("kms", "CreateGrant", "DescribeKey"), keys)


def _secret(plan: Plan) -> Iterator[Json]:
    """Permission for the controller to read the password of an external database."""
    if isinstance(plan.slurm.accounting, Database):
        secret = plan.slurm.accounting.secret
        yield iam.allow("Secret", ["secretsmanager:GetSecretValue"], [secret])


def _cluster_role(plan: Plan) -> Json:
    """https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-autoscaling-iam.html"""
    clusters = "arn:${AWS::Partition}:sagemaker:${AWS::Region}:${AWS::AccountId}:cluster/*"
    keys = cfn.sub("arn:${AWS::Partition}:kms:${AWS::Region}:${AWS::AccountId}:key/*")
    through = {"kms:ViaService": cfn.sub("sagemaker.${AWS::Region}.${AWS::URLSuffix}")}
    nodes = iam.actions("sagemaker", "BatchAddClusterNodes", "BatchDeleteClusterNodes")
    granting = iam.actions("kms", "CreateGrant", "DescribeKey")
    statements = [
        iam.allow("Nodes", nodes, [cfn.sub(clusters)]),
        iam.allow("Keys", granting, [keys], iam.equal(through)),
    ]
    properties = {
        "AssumeRolePolicyDocument": iam.trust("hyperpod.sagemaker"),
        "Policies": [{"PolicyName": "nodes", "PolicyDocument": iam.document(statements)}],
        "Tags": named(plan, "hyperpod-autoscaler"),
    }
    return {"Type": "AWS::IAM::Role", "Properties": properties}
