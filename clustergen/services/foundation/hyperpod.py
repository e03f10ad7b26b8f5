"""The roles of SageMaker HyperPod, in regions that have it."""

from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import words
from clustergen.plan import volumes
from clustergen.plan.model import Database, Iam, NodeGroup, Plan
from clustergen.services.aws import cfn, iam
from clustergen.services.foundation import access, monitoring
from clustergen.services.foundation.parts import Output, Part, has_hyperpod, here, named, serves

POLICY = "AmazonSageMakerClusterInstanceRolePolicy"
EXECUTION_ROLE = "HyperPodExecutionRole"
CLUSTER_ROLE = "HyperPodClusterRole"


def part(plan: Plan) -> Part:
    """The role of instances, and one for the autoscaler if the spec uses it."""
    if not has_hyperpod(plan):
        return Part()
    roles: Json = {}
    outputs: dict[str, Output] = {}
    for name, (whose, own) in _execution_roles(plan).items():
        roles[name] = _execution_role(plan, name, own)
        outputs[f"{name}Arn"] = Output(f"Role of {whose}", cfn.get_att(name, "Arn"))
    own_role = plan.wrote_option("cluster_role")
    scaled = plan.kubernetes.autoscaler == "karpenter" and not own_role
    if serves(plan, "hyperpod-cluster-role") and scaled:
        roles[CLUSTER_ROLE] = _cluster_role(plan)
        outputs[f"{CLUSTER_ROLE}Arn"] = Output(
            "Role with which HyperPod adds and removes nodes", cfn.get_att(CLUSTER_ROLE, "Arn")
        )
    return Part(roles, outputs)


def role_of_machine(plan: Plan, section: str) -> str:
    """The logical id of the role of head or login nodes that the foundation makes."""
    alone = section == "head_node" and reads_secret_alone(plan)
    own = alone or dict(plan.shared.slurm_machines)[section].adds
    return f"HyperPod{cfn.logical_id(*section.split('_'))}Role" if own else EXECUTION_ROLE


def role_of_group(plan: Plan, group: NodeGroup) -> str:
    """The logical id of the role of a node group that the foundation makes."""
    if not group.iam.adds:
        return EXECUTION_ROLE
    id = cfn.logical_id(group.name)
    # Names like cpu-1 and cpu1 make one id.
    alike = [each.name for each in plan.node_groups if cfn.logical_id(each.name) == id]
    number = f"Twin{alike.index(group.name) + 1}" if len(alike) > 1 else ""
    return f"{EXECUTION_ROLE}{id}{number}"


def reads_secret_alone(plan: Plan) -> bool:
    """Whether the controller has a role of its own, so that only it reads the database's password.

    HyperPod cannot change the role of an instance group that exists, so users can do without.
    https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html
    """
    left_out = "controller-role" in plan.shared.unused or not serves(plan, "hyperpod-machines")
    return isinstance(plan.slurm.accounting, Database) and not left_out


def _execution_roles(plan: Plan) -> dict[str, tuple[str, Iam]]:
    """The roles of instances: logical id -> whose it is, and what the user adds to it.

    This depends on the spec alone, as the rest of the foundation does: a plan for EKS has no
    controller and no login nodes.
    """
    machines = plan.shared.slurm_machines if serves(plan, "hyperpod-machines") else ()
    found = [
        *(
            (role_of_machine(plan, section), f"{section} on HyperPod", iam)
            for section, iam in machines
        ),
        *(
            (role_of_group(plan, group), f"HyperPod instances of {group.name}", group.iam)
            for group in plan.node_groups
        ),
    ]
    made = {id: (whose, iam) for id, whose, iam in found if not iam.role}
    shared = {EXECUTION_ROLE: ("HyperPod instances", Iam())} if EXECUTION_ROLE in made else {}
    return {**shared, **{id: each for id, each in made.items() if id not in shared}}


def _execution_role(plan: Plan, id: str, own: Iam) -> Json:
    """The execution role that AWS documents, with its trust policy.

    A spec for both HyperPod targets has one role for node groups: a second one would be another
    role for instance groups that exist, and HyperPod cannot change that.

    It has no condition on ``aws:SourceAccount``: if HyperPod did not send the key, which is not
    documented, no node would start. Roles cannot be passed to a service across accounts, so other
    accounts cannot let HyperPod use this role.
    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites-iam.html
    https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html
    """
    of_groups = id.startswith(EXECUTION_ROLE)
    joins_eks = of_groups and serves(plan, "hyperpod-cluster-role")
    statements = [
        *_interfaces(plan),
        *(_pods(plan) if joins_eks else ()),
        *_reading(),
        *access.listed_scripts(plan),
        *access.user_scripts(plan),
        *access.lifecycle_sources(plan),
        *access.buckets(plan),
        *access.volumes(plan),
        *_keys(plan),
        *_secret(plan, id),
        *monitoring.writing(plan),
        *access.grants(own),
    ]
    properties = {
        "AssumeRolePolicyDocument": iam.trust("sagemaker"),
        "ManagedPolicyArns": [iam.managed(POLICY), *own.policies],
        "Policies": [{"PolicyName": "cluster", "PolicyDocument": iam.document(statements)}],
        "Tags": named(plan, "hyperpod"),
    }
    return iam.role(plan, properties)


_NETWORK = "arn:${AWS::Partition}:ec2:${AWS::Region}:${AWS::AccountId}:"
# The instances that interfaces are attached to are in an account of SageMaker.
_INSTANCES = cfn.sub("arn:${AWS::Partition}:ec2:${AWS::Region}:*:instance/*")
_INTERFACES = cfn.sub(f"{_NETWORK}network-interface/*")
# Subnets and security groups that another account shares have that account in their ARNs.
# https://docs.aws.amazon.com/vpc/latest/userguide/vpc-sharing.html
_SHARED = _NETWORK.replace("${AWS::AccountId}", "*")
_PLACES = (cfn.sub(f"{_SHARED}subnet/*"), cfn.sub(f"{_SHARED}security-group/*"))


def _interfaces(plan: Plan) -> Iterator[Json]:
    """Permissions for network interfaces in the VPC of the spec.

    An interface that does not exist yet has no VPC; its subnet and its security groups do.
    https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2.html
    (2026-06)
    """
    creating = ["ec2:CreateNetworkInterface"]
    kept = words("""
        CreateNetworkInterfacePermission DeleteNetworkInterface DeleteNetworkInterfacePermission
        DetachNetworkInterface
    """)
    yield iam.allow("Interfaces", creating, [_INTERFACES])
    yield iam.allow("InterfacePlaces", creating, _PLACES, _in_vpc(plan))
    yield iam.allow("OwnInterfaces", iam.actions("ec2", *kept), [_INTERFACES], _in_vpc(plan))
    yield iam.allow("InterfaceInstances", ["ec2:DetachNetworkInterface"], [_INSTANCES])
    yield iam.allow("InterfaceTags", ["ec2:CreateTags"], [_INTERFACES])
    # EC2 has no resource-level permissions for Describe actions.
    described = words("NetworkInterfaces Vpcs DhcpOptions Subnets SecurityGroups")
    yield iam.allow("Network", [f"ec2:Describe{what}" for what in described], ["*"])


def _in_vpc(plan: Plan) -> Json:
    """The condition that a resource is in the VPC; a shared VPC is in another account."""
    vpc = cfn.sub("arn:${AWS::Partition}:ec2:${AWS::Region}:*:vpc/${Id}", Id=here(plan.network.vpc))
    return {"ArnLike": {"ec2:Vpc": vpc}}


def _pods(plan: Plan) -> Iterator[Json]:
    """Permissions for the addresses and the identities of pods; Slurm nodes need none of them."""
    used = ("AttachNetworkInterface", "ModifyNetworkInterfaceAttribute")
    addresses = ("AssignPrivateIpAddresses", "UnassignPrivateIpAddresses")
    own = [_INTERFACES, *_PLACES]
    yield iam.allow("PodAddresses", iam.actions("ec2", *used, *addresses), own, _in_vpc(plan))
    yield iam.allow("PodInstances", iam.actions("ec2", *used), [_INSTANCES])
    described = words("DescribeInstances DescribeInstanceTypes DescribeTags")
    yield iam.allow("Instances", iam.actions("ec2", *described), ["*"])
    clusters = "arn:${AWS::Partition}:eks:${AWS::Region}:${AWS::AccountId}:cluster/*"
    yield iam.allow("PodIdentity", ["eks-auth:AssumeRoleForPodIdentity"], [cfn.sub(clusters)])


def _reading() -> Iterator[Json]:
    """Permission to pull container images: those of the account, and those of HyperPod and EKS.

    And to read from FSx whether a file system has EFA, and the alarms at which HyperPod rolls back
    an update.
    """
    repositories = cfn.sub("arn:${AWS::Partition}:ecr:${AWS::Region}:*:repository/*")
    pull = ("BatchCheckLayerAvailability", "BatchGetImage", "GetDownloadUrlForLayer")
    yield iam.allow("Images", iam.actions("ecr", *pull), [repositories])
    # Tokens are for all registries: the action does not support resources.
    # https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelasticcontainerregistry.html
    yield iam.allow("ImageToken", ["ecr:GetAuthorizationToken"], ["*"])
    # https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonfsx.html
    yield iam.allow("FileSystems", ["fsx:DescribeFileSystems"], ["*"])
    alarms = "arn:${AWS::Partition}:cloudwatch:${AWS::Region}:${AWS::AccountId}:alarm:*"
    yield iam.allow("Alarms", ["cloudwatch:DescribeAlarms"], [cfn.sub(alarms)])


def _keys(plan: Plan) -> Iterator[Json]:
    """Permission to encrypt volumes with the user's keys, now and when nodes are added or patched.

    https://docs.aws.amazon.com/sagemaker/latest/dg/smcluster-cmk.html
    """
    if keys := volumes.root_keys(plan):
        yield iam.allow("Keys", iam.actions("kms", "CreateGrant", "DescribeKey"), keys)


def _secret(plan: Plan, id: str) -> Iterator[Json]:
    """Permission to read the password of an external database, for the role of the controller."""
    used = serves(plan, "hyperpod-machines") and id == role_of_machine(plan, "head_node")
    if used and isinstance(plan.slurm.accounting, Database):
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
    return iam.role(plan, properties)
