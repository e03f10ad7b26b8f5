"""The control plane of an EKS cluster: endpoint, access and logs."""

from __future__ import annotations

import ipaddress

import aws_cdk as cdk
from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms
from aws_cdk import aws_logs as logs
from constructs import Construct

from clustergen.aws.logs import retention
from clustergen.cdk.inputs import Inputs
from clustergen.eks import roles, versions
from clustergen.kubernetes import access
from clustergen.plan.model import Plan

LOG_TYPES = ("api", "audit", "authenticator", "controllerManager", "scheduler")


class ControlPlane(Construct):
    """An EKS cluster with its key, role and log group, and its administrators."""

    cluster: eks.CfnCluster
    role: iam.Role
    key: kms.Key
    logs: logs.CfnLogGroup
    admins: tuple[eks.CfnAccessEntry, ...]
    teams: tuple[eks.CfnAccessEntry, ...]

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        plan: Plan,
        inputs: Inputs,
        deletion_protection: bool = False,
    ) -> None:
        super().__init__(scope, id)
        self.role = iam.Role(
            self,
            "Role",
            assumed_by=iam.ServicePrincipal("eks.amazonaws.com"),
            managed_policies=[roles.managed("AmazonEKSClusterPolicy")],
        )
        self.key = kms.Key(
            self,
            "Key",
            description=f"Secrets of the Kubernetes API of {plan.name}",
            enable_key_rotation=True,
            removal_policy=cdk.RemovalPolicy.DESTROY,
        )
        self.logs = _log_group(self, plan)
        self.cluster = _cluster(self, plan, inputs, deletion_protection)
        # EKS would create the log group without a retention period.
        self.cluster.node.add_dependency(self.logs)
        self.teams = tuple(
            eks.CfnAccessEntry(
                self,
                f"Access{number}",
                cluster_name=self.name,
                principal_arn=principal,
                kubernetes_groups=list(groups),
            )
            for number, (principal, groups) in enumerate(access.principals(plan).items(), 1)
        )
        self.admins = tuple(
            self.grant_admin(f"Admin{number}", arn)
            for number, arn in enumerate(plan.kubernetes.admins, 1)
        )

    @property
    def name(self) -> str:
        """The name of the cluster, as a token."""
        return self.cluster.ref

    @property
    def security_group(self) -> str:
        """The id of the security group that EKS creates for the control plane and nodes."""
        return self.cluster.attr_cluster_security_group_id

    def grant_admin(self, id: str, principal: str) -> eks.CfnAccessEntry:
        """Make an IAM role or user an administrator of the cluster."""
        stack = cdk.Stack.of(self)
        return eks.CfnAccessEntry(
            self,
            id,
            cluster_name=self.name,
            principal_arn=principal,
            access_policies=[
                eks.CfnAccessEntry.AccessPolicyProperty(
                    access_scope=eks.CfnAccessEntry.AccessScopeProperty(type="cluster"),
                    policy_arn=f"arn:{stack.partition}:eks::aws:cluster-access-policy/"
                    "AmazonEKSClusterAdminPolicy",
                )
            ],
        )


def log_group_name(cluster: str) -> str:
    """The log group to which EKS writes the logs of a control plane."""
    return f"/aws/eks/{cluster}/cluster"


def service_cidr(plan: Plan) -> str:
    """The CIDR block of services: the first of EKS's two that does not contain the VPC.

    Set explicitly, because nodes with a custom image need it.
    https://docs.aws.amazon.com/eks/latest/APIReference/API_KubernetesNetworkConfigRequest.html
    """
    vpc = ipaddress.ip_network(plan.network.cidr) if plan.network.cidr else None
    free = (c for c in _SERVICE_CIDRS if vpc is None or not vpc.overlaps(ipaddress.ip_network(c)))
    return next(free, _SERVICE_CIDRS[-1])


_SERVICE_CIDRS = ("172.20.0.0/16", "10.100.0.0/16")


def _log_group(scope: Construct, plan: Plan) -> logs.CfnLogGroup:
    group = logs.CfnLogGroup(
        scope,
        "Logs",
        log_group_name=log_group_name(plan.name),
        retention_in_days=retention(plan.monitoring.log_retention_days) or None,
    )
    # The name of the old cluster would block a new cluster with the same name.
    group.apply_removal_policy(cdk.RemovalPolicy.DESTROY)
    return group


def _cluster(
    scope: ControlPlane, plan: Plan, inputs: Inputs, deletion_protection: bool
) -> eks.CfnCluster:
    kubernetes = plan.kubernetes
    return eks.CfnCluster(
        scope,
        "Resource",
        name=plan.name,
        version=kubernetes.version,
        role_arn=scope.role.role_arn,
        resources_vpc_config=_network(plan, inputs),
        access_config=eks.CfnCluster.AccessConfigProperty(
            authentication_mode="API",
            # The deploying identity installs the software of the cluster. Without its access entry,
            # a first deployment without `admins` would lock everybody out.
            bootstrap_cluster_creator_admin_permissions=True,
        ),
        kubernetes_network_config=eks.CfnCluster.KubernetesNetworkConfigProperty(
            service_ipv4_cidr=service_cidr(plan)
        ),
        # Add-ons that EKS manages replace the unmanaged ones.
        bootstrap_self_managed_addons=False,
        encryption_config=[
            eks.CfnCluster.EncryptionConfigProperty(
                provider=eks.CfnCluster.ProviderProperty(key_arn=scope.key.key_arn),
                resources=["secrets"],
            )
        ],
        logging=_logging(),
        upgrade_policy=eks.CfnCluster.UpgradePolicyProperty(
            support_type=versions.support(kubernetes).upper()
        ),
        deletion_protection=deletion_protection,
    )


def _network(plan: Plan, inputs: Inputs) -> eks.CfnCluster.ResourcesVpcConfigProperty:
    public = plan.kubernetes.public_endpoint_from
    return eks.CfnCluster.ResourcesVpcConfigProperty(
        subnet_ids=[inputs.value(subnet.id) for subnet in plan.network.control_plane],
        endpoint_private_access=True,
        endpoint_public_access=bool(public),
        public_access_cidrs=list(public) or None,
    )


def _logging() -> eks.CfnCluster.LoggingProperty:
    kinds = [eks.CfnCluster.LoggingTypeConfigProperty(type=name) for name in LOG_TYPES]
    return eks.CfnCluster.LoggingProperty(
        cluster_logging=eks.CfnCluster.ClusterLoggingProperty(enabled_types=kinds)
    )
