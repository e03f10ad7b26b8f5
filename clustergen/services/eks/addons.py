"""Add-ons that EKS manages, and the roles of their pods.

The names, service accounts and policies are from the page of each add-on under
https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html (2026-11)
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.plan.model import Bucket, Efs, FileCache, Lustre, Plan
from clustergen.services.aws import cfn
from clustergen.services.aws import iam as permissions
from clustergen.services.aws.members import filled, present
from clustergen.services.eks import addresses, control_plane, roles
from clustergen.services.foundation import access
from clustergen.services.kubernetes.charts import merged


def _volumes_of_hyperpod(plan: Plan) -> list[Json]:
    """EC2 lets only SageMaker attach volumes to nodes of HyperPod.

    https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-ebs.html
    """
    if not plan.sagemaker:
        return []
    of = "arn:${AWS::Partition}:%s:${AWS::Region}:${AWS::AccountId}:cluster/*"
    attach = permissions.actions("sagemaker", "AttachClusterNodeVolume", "DetachClusterNodeVolume")
    return [
        permissions.allow("Volumes", attach, [cfn.sub(of % "sagemaker")]),
        permissions.allow("Cluster", ["eks:DescribeCluster"], [cfn.sub(of % "eks")]),
    ]


@dataclass(frozen=True, slots=True)
class Addon:
    """An add-on, and its configuration."""

    name: str
    configuration: Mapping[str, Any] | None = None
    service_account: str | None = None
    """The service account that gets a role; None if its pods do not call AWS."""
    policies: tuple[str, ...] = ()
    """AWS managed policies."""
    statements: Callable[[Plan], Iterable[Json]] = lambda _: ()
    """Additional permissions."""


VPC_CNI = Addon(
    "vpc-cni",
    configuration={"env": dict(addresses.SETTINGS)},
    service_account="aws-node",
    policies=("AmazonEKS_CNI_Policy",),
)
KUBE_PROXY = Addon("kube-proxy")
POD_IDENTITY = Addon("eks-pod-identity-agent")
NETWORKING = (VPC_CNI, KUBE_PROXY, POD_IDENTITY)
"""Nodes need these to become ready, so they are created first."""

COREDNS = Addon("coredns")
# Its DaemonSet dcgm-server has no tolerations by default. Without it, the agent reports every GPU
# node as unhealthy: https://github.com/aws/containers-roadmap/issues/2567 (2026-08)
NODE_MONITORING = Addon(
    "eks-node-monitoring-agent",
    configuration={"dcgmAgent": {"tolerations": [{"operator": "Exists"}]}},
)
FSX = Addon(
    "aws-fsx-csi-driver",
    service_account="fsx-csi-controller-sa",
    # Volumes are existing file systems: pods do not create any.
    policies=("AmazonFSxReadOnlyAccess",),
)
EFS = Addon(
    "aws-efs-csi-driver",
    service_account="efs-csi-controller-sa",
    policies=("service-role/AmazonEFSCSIDriverPolicy",),
)
EBS = Addon(
    "aws-ebs-csi-driver",
    service_account="ebs-csi-controller-sa",
    policies=("service-role/AmazonEBSCSIDriverPolicy",),
    statements=_volumes_of_hyperpod,
)
S3 = Addon(
    "aws-mountpoint-s3-csi-driver",
    # By default, its pods do not run on nodes with taints.
    configuration={"node": {"tolerateAllTaints": True}},
    service_account="s3-csi-driver-sa",
    statements=access.buckets,
)
CLOUDWATCH = Addon(
    "amazon-cloudwatch-observability",
    # By default, it instruments the users' services, and sends traces, which cost money.
    # https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/install-CloudWatch-Observability-EKS-addon.html
    configuration={
        "manager": {"applicationSignals": {"autoMonitor": {"monitorAllServices": False}}}
    },
    service_account="cloudwatch-agent",
    policies=("CloudWatchAgentServerPolicy",),
)

KUBE_STATE_METRICS = Addon("kube-state-metrics")

_KNOWN = (*NETWORKING, COREDNS, NODE_MONITORING, FSX, EFS, EBS, S3, CLOUDWATCH, KUBE_STATE_METRICS)
BUILT_IN = {addon.name: addon for addon in _KNOWN}
"""What clustergen installs where a spec needs it."""


def wanted(plan: Plan) -> tuple[Addon, ...]:
    """The add-ons that storage, monitoring and users require, besides :data:`NETWORKING`."""
    monitoring = ((CLOUDWATCH, plan.insights), (KUBE_STATE_METRICS, plan.monitoring.scraped))
    optional = (addon for name, addon in _OPTIONAL if not plan.options.leaves_out(name))
    made = (COREDNS, *optional, *drivers(plan), *(addon for addon, on in monitoring if on))
    known = {addon.name for addon in (*NETWORKING, *made)}
    return (*made, *(Addon(one.name) for one in plan.kubernetes.addons if one.name not in known))


_OPTIONAL = (("node-monitoring", NODE_MONITORING), ("ebs-driver", EBS))
"""What every cluster has, unless ``leave_out`` has its name there."""


def drivers(plan: Plan) -> tuple[Addon, ...]:
    """The drivers that the file systems of a plan require."""
    known = (((Lustre, FileCache), FSX), ((Efs,), EFS), ((Bucket,), S3))
    return tuple(addon for kinds, addon in known if any(isinstance(s, kinds) for s in plan.storage))


def logical_id(addon: Addon) -> str:
    return cfn.logical_id("addon", addon.name)


def resources(
    plan: Plan,
    addons: Iterable[Addon],
    after: Iterable[str] = (),
    cluster: Json | str = control_plane.NAME,
) -> Iterator[tuple[str, Json]]:
    """Add-ons in a cluster, and the roles of their pods.

    ``after`` are nodes, for add-ons that are degraded until their pods run.
    """
    for addon in addons:
        name = logical_id(addon)
        if addon.service_account:
            statements = addon.statements(plan)
            role = roles.pod_role(plan, policies=addon.policies, statements=statements)
            yield f"{name}Role", role
        yield name, cfn.resource("AWS::EKS::Addon", _properties(plan, addon, cluster), after)


def _properties(plan: Plan, addon: Addon, cluster: Json | str) -> Json:
    given = next((one for one in plan.kubernetes.addons if one.name == addon.name), None)
    own = given.configuration if given else {}
    configuration = merged(dict(addon.configuration or {}), dict(own))
    text = json.dumps(configuration, separators=(",", ":")) if configuration else None
    # By default without a version: which ones go with a version of Kubernetes only
    # DescribeAddonVersions says, and EKS's default is one of them.
    # https://docs.aws.amazon.com/eks/latest/APIReference/API_DescribeAddonVersions.html
    return {
        "AddonName": addon.name,
        "ClusterName": cluster,
        # The stack overwrites manual changes.
        "ResolveConflicts": "OVERWRITE",
        **present(
            AddonVersion=given.version if given else None,
            ConfigurationValues=text,
            PodIdentityAssociations=_identities(addon),
        ),
        **filled(Tags=cfn.tags(plan.tags)),
    }


def _identities(addon: Addon) -> list[Json] | None:
    if addon.service_account is None:
        return None
    role = cfn.get_att(f"{logical_id(addon)}Role", "Arn")
    return [{"RoleArn": role, "ServiceAccount": addon.service_account}]
