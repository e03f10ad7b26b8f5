"""The calls that a deployment makes, for the permissions that it needs."""

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.base.text_lists import words
from clustergen.deployment import printing
from clustergen.deployment.kinds import Eks, HyperPod, NodesInEks
from clustergen.deployment.model import Bundle
from clustergen.deployment.software.model import Software

EVERY: Final = words("""
    cloudformation:CreateChangeSet cloudformation:DeleteChangeSet cloudformation:DeleteStack
    cloudformation:DescribeChangeSet cloudformation:DescribeStackEvents
    cloudformation:DescribeStacks cloudformation:ExecuteChangeSet cloudformation:GetStackPolicy
    cloudformation:GetTemplate cloudformation:GetTemplateSummary
    cloudformation:ListStackResources cloudformation:SetStackPolicy
    ec2:DescribeNetworkInterfaces ec2:DescribeSecurityGroups fsx:DescribeFileSystems
    logs:DescribeLogGroups logs:FilterLogEvents s3:DeleteObject s3:GetObject s3:HeadObject
    s3:PutObject sagemaker:DescribeCluster sagemaker:ListClusters ssm:GetParameter
    sts:GetCallerIdentity
""")
"""Those of every service."""
ADVISED: Final = words("cloudformation:ContinueUpdateRollback")
"""Those of commands without which a message leads nowhere."""
SPOT: Final = words("iam:CreateServiceLinkedRole iam:GetRole")
"""Where nodes are Spot instances."""
OWN: Final[Mapping[str, tuple[str, ...]]] = {
    "aws-batch": words("""
        batch:DeregisterJobDefinition batch:DescribeComputeEnvironments
        batch:DescribeJobDefinitions batch:UpdateComputeEnvironment
        ec2:TerminateInstances ecs:DescribeContainerInstances ecs:ListContainerInstances
        ecs:UpdateContainerInstancesState
    """),
    "amazon-eks": words("""
        ec2:DescribeInstances ec2:TerminateInstances eks:DescribeAddon eks:DescribeCluster
        eks:DescribeNodegroup eks:ListAccessEntries eks:ListFargateProfiles eks:ListNodegroups
        eks:UpdateNodegroupConfig
    """),
    "aws-parallelcluster": words("""
        ec2:DescribeSubnets ec2:DescribeVpcAttribute ec2:TerminateInstances
        ssm:GetCommandInvocation ssm:SendCommand
    """),
    "aws-pcs": words("""
        ec2:DescribeCapacityReservations ec2:DescribeInstances ec2:TerminateInstances pcs:GetCluster
        pcs:GetComputeNodeGroup pcs:ListComputeNodeGroups pcs:UpdateComputeNodeGroup
        ssm:GetCommandInvocation ssm:SendCommand
    """),
    "hyperpod": words("""
        sagemaker:AddTags sagemaker:BatchReplaceClusterNodes sagemaker:CreateCluster
        sagemaker:DeleteCluster sagemaker:DescribeClusterEvent sagemaker:DescribeTrainingPlan
        sagemaker:ListClusterEvents sagemaker:ListClusterNodes sagemaker:UpdateCluster
    """),
}
"""By the kind of service in ``bundle.json``."""
NODES_IN_EKS: Final = words("""
    eks:DescribeAddon eks:DescribeCluster eks:ListAccessEntries eks:ListFargateProfiles
    eks:ListNodegroups
""")
"""Where nodes of HyperPod join an EKS cluster."""
UNGOVERNED: Final = words("""
    sagemaker:DeleteClusterSchedulerConfig sagemaker:DeleteComputeQuota
    sagemaker:DescribeClusterSchedulerConfig sagemaker:DescribeComputeQuota
    sagemaker:ListClusterSchedulerConfigs sagemaker:ListComputeQuotas
""")
"""Where an earlier bundle of such a cluster may have made quotas."""
GOVERNED: Final = words("""
    sagemaker:CreateClusterSchedulerConfig sagemaker:CreateComputeQuota
    sagemaker:UpdateClusterSchedulerConfig sagemaker:UpdateComputeQuota
""")
"""Where the bundle has quotas."""


VOLUMES: Final = ("fsx:DescribeVolumes",)
"""Where pods mount a volume of FSx that exists: only FSx knows its path."""
REGISTRY: Final = ("ecr:GetAuthorizationToken",)
"""Where charts come from a registry of ECR."""


def commands(bundle: Bundle) -> Iterator[str]:
    """The calls as commands of the AWS CLI: service and operation."""
    spot = SPOT if bundle.spot else ()
    own = OWN[bundle.service.kind]
    for call in (*EVERY, *ADVISED, *spot, *own, *_in_eks(bundle), *_of_software(bundle)):
        *_, service, operation = printing.aws(call, {}, "")
        yield f"{service} {operation}"


def _of_software(bundle: Bundle) -> tuple[str, ...]:
    service = bundle.service
    cluster = service.eks if isinstance(service, HyperPod) else service
    software = cluster.software if isinstance(cluster, Eks | NodesInEks) else Software()
    volumes = VOLUMES if software.volumes else ()
    return (*volumes, *(REGISTRY if software.registry_region else ()))


def _in_eks(bundle: Bundle) -> tuple[str, ...]:
    service = bundle.service
    if not isinstance(service, HyperPod) or not service.eks:
        return ()
    if service.joins:
        return NODES_IN_EKS
    return (*NODES_IN_EKS, *UNGOVERNED, *(GOVERNED if service.eks.quotas else ()))
