"""The control plane of an EKS cluster: endpoint, access and logs."""

import ipaddress
from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.base.digests import sha256
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.aws import cfn, iam, logs
from clustergen.services.aws.members import filled
from clustergen.services.eks import roles, versions
from clustergen.services.kubernetes import access

LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")

CLUSTER = "Cluster"
"""The logical id of the EKS cluster; the ids of its other resources begin with it."""
NAME = cfn.ref(CLUSTER)
ARN = cfn.get_att(CLUSTER, "Arn")
SECURITY_GROUP = cfn.get_att(CLUSTER, "ClusterSecurityGroupId")
"""The security group that EKS creates for the control plane and nodes."""

_ROLE, _KEY, _LOGS, _API = "ClusterRole", "ClusterKey", "ClusterLogs", "ClusterApiFromVpc"
# The log groups of Container Insights:
# https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/Container-Insights-reference.html
INSIGHTS = ("application", "dataplane", "host", "performance")


def resources(plan: Plan, *, deletion_protection: bool = False) -> Iterator[tuple[str, Json]]:
    """An EKS cluster with its key, role and log group, and its access entries."""
    yield _ROLE, roles.role(plan, "eks", policies=["AmazonEKSClusterPolicy"])
    if _has_key(plan):
        yield _KEY, {**_key(plan), "UpdateReplacePolicy": "Delete", "DeletionPolicy": "Delete"}
    # EKS and Container Insights would create log groups without a retention period.
    for id, name in _log_groups(plan).items():
        yield id, logs.group(plan, name, "Retain")
    after = [_LOGS] if _has_logs(plan) else []
    yield CLUSTER, cfn.resource("AWS::EKS::Cluster", _cluster(plan, deletion_protection), after)
    if plan.network.cidr and not plan.kubernetes.public_endpoint_from:
        yield _API, _reachable(plan.network.cidr)
    for principal, groups in access.principals(plan).items():
        yield entry_id(principal), access_entry(plan, principal, KubernetesGroups=list(groups))
    for principal in plan.kubernetes.admins:
        yield entry_id(principal), admin(plan, principal)


def entry_id(principal: str) -> str:
    """The logical id of an access entry, which others do not change.

    EKS has one entry for each principal, and CloudFormation creates before it deletes.
    """
    return f"ClusterAccess{sha256(principal)[:10]}"


def entries(plan: Plan) -> dict[str, str]:
    """The principal of each access entry of a role or user, by logical id."""
    principals = (*access.principals(plan), *plan.kubernetes.admins)
    return {entry_id(principal): principal for principal in principals}


def _reachable(cidr: str) -> Json:
    """What lets the machine that deploys reach the API, if only the VPC can.

    The group that EKS creates lets in its own members alone: other machines in the VPC time out.
    https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html
    """
    properties = {
        "GroupId": SECURITY_GROUP,
        "Description": "Kubernetes API, from the VPC",
        "IpProtocol": "tcp",
        "FromPort": 443,
        "ToPort": 443,
        "CidrIp": cidr,
    }
    return cfn.resource("AWS::EC2::SecurityGroupIngress", properties)


def access_entry(plan: Plan, principal: str | Json, **more: object) -> Json:
    """What lets an IAM role or user into the cluster."""
    properties = {
        "ClusterName": NAME,
        "PrincipalArn": principal,
        **more,
        **filled(Tags=cfn.tags(plan.tags)),
    }
    return cfn.resource("AWS::EKS::AccessEntry", properties)


def admin(plan: Plan, principal: str | Json) -> Json:
    """The access entry of an administrator of the cluster."""
    policy = "arn:${AWS::Partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy"
    granted = {"AccessScope": {"Type": "cluster"}, "PolicyArn": cfn.sub(policy)}
    return access_entry(plan, principal, AccessPolicies=[granted])


def security_groups(plan: Plan, group: NodeGroup | None = None) -> list[Json | str]:
    """The groups of system nodes, or of a node group: the cluster's, to join, and their own."""
    return [SECURITY_GROUP, *own_groups(plan, group)]


def own_groups(plan: Plan, group: NodeGroup | None) -> list[Json | str]:
    """The security groups that the spec gives nodes."""
    left_out = plan.options.leaves_out("security-groups")
    ours = () if left_out else plan.network.node_security_groups
    return [cfn.value(id) for id in (*ours, *(group.security_groups if group else ()))]


def log_group_name(cluster: str) -> str:
    """The log group to which EKS writes the logs of a control plane."""
    return f"/aws/eks/{cluster}/cluster"


def _log_groups(plan: Plan) -> dict[str, str]:
    own = {_LOGS: log_group_name(plan.name)} if _has_logs(plan) else {}
    kinds = INSIGHTS if plan.insights else ()
    insights = f"/aws/containerinsights/{plan.name}"
    return own | {f"{kind.capitalize()}Logs": f"{insights}/{kind}" for kind in kinds}


def service_cidr(plan: Plan) -> str:
    """The CIDR block of services: the first of EKS's two that does not contain the VPC.

    Set explicitly, because nodes with a custom image need it.
    https://docs.aws.amazon.com/eks/latest/APIReference/API_KubernetesNetworkConfigRequest.html
    """
    vpc = ipaddress.ip_network(plan.network.cidr) if plan.network.cidr else None
    free = (c for c in _SERVICE_CIDRS if vpc is None or not vpc.overlaps(ipaddress.ip_network(c)))
    return next(free, _SERVICE_CIDRS[-1])


_SERVICE_CIDRS = ("172.20.0.0/16", "10.100.0.0/16")


_ENCRYPTION: Json = {"Provider": {"KeyArn": cfn.get_att(_KEY, "Arn")}, "Resources": ["secrets"]}
_LOGGING: Json = {"ClusterLogging": {"EnabledTypes": [{"Type": name} for name in LOG_TYPES]}}


def _has_key(plan: Plan) -> bool:
    """Whether secrets are encrypted with a key of the account; without one, EKS has a key.

    https://docs.aws.amazon.com/eks/latest/userguide/envelope-encryption.html
    """
    return not plan.options.leaves_out("secrets-key")


def _has_logs(plan: Plan) -> bool:
    return not plan.options.leaves_out("control-plane-logs")


def _key(plan: Plan) -> Json:
    root = cfn.sub("arn:${AWS::Partition}:iam::${AWS::AccountId}:root")
    account = {"Effect": "Allow", "Principal": {"AWS": root}, "Action": "kms:*", "Resource": "*"}
    properties = {
        "Description": f"Secrets of the Kubernetes API of {plan.name}",
        "EnableKeyRotation": True,
        "KeyPolicy": iam.document([account]),
        **filled(Tags=cfn.tags(plan.tags)),
    }
    return cfn.resource("AWS::KMS::Key", properties)


def _cluster(plan: Plan, deletion_protection: bool) -> Json:
    kubernetes = plan.kubernetes
    return {
        "Name": plan.name,
        "Version": kubernetes.version,
        "RoleArn": cfn.get_att(_ROLE, "Arn"),
        "ResourcesVpcConfig": _network(plan),
        "AccessConfig": {
            "AuthenticationMode": "API",
            # The deploying identity installs the software of the cluster. Without its access entry,
            # a first deployment without `admins` would lock everybody out.
            "BootstrapClusterCreatorAdminPermissions": True,
        },
        "KubernetesNetworkConfig": {"ServiceIpv4Cidr": service_cidr(plan)},
        # Add-ons that EKS manages replace the unmanaged ones.
        "BootstrapSelfManagedAddons": False,
        **({"EncryptionConfig": [_ENCRYPTION]} if _has_key(plan) else {}),
        **({"Logging": _LOGGING} if _has_logs(plan) else {}),
        "UpgradePolicy": {"SupportType": versions.support(kubernetes).upper()},
        "DeletionProtection": deletion_protection,
        **filled(Tags=cfn.tags(plan.tags)),
    }


def _network(plan: Plan) -> Json:
    public = list(plan.kubernetes.public_endpoint_from)
    return {
        "SubnetIds": [cfn.value(subnet.id) for subnet in plan.network.control_plane],
        "EndpointPrivateAccess": True,
        "EndpointPublicAccess": bool(public),
        **filled(PublicAccessCidrs=public),
    }


def log_groups(plan: Plan) -> list[str]:
    """The names of the log groups that remain of a new cluster."""
    return [*_log_groups(plan).values()]
