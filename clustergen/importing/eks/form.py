"""The resources of an EKS cluster, and the defaults of the service."""

from typing import Final

from clustergen.importing.settings import NO_GROUP, Form, Kind
from clustergen.services.kubernetes.labels_and_taints import SYSTEM

CLUSTER, NODE_GROUPS, ADDONS, ACCESS = "Cluster", "NodeGroups", "Addons", "AccessEntries"
PROVIDERS = "OidcProviders"
QUEUES = ("LocalQueue", "ClusterQueue", "ResourceFlavor")
"""Objects of Kueue that say what queues are."""
EFFECTS: Final = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}
"""Effects of taints in the words of Kubernetes, by those of EKS."""
_DATA: Final = "NodeGroups.*.LaunchTemplateProperties.LaunchTemplateData"

# https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateCluster.html,
# API_CreateNodegroup.html and API_CreateAddon.html, and for launch templates
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html,
# read on 2026-11-22.
FORM: Final = Form(
    kinds=(
        Kind("AWS::EKS::Cluster", CLUSTER, "Name"),
        Kind("AWS::EKS::Nodegroup", NODE_GROUPS, "NodegroupName"),
        Kind("AWS::EKS::Addon", ADDONS, "AddonName"),
        Kind("AWS::EKS::AccessEntry", ACCESS, "PrincipalArn"),
        Kind("AWS::IAM::OIDCProvider", PROVIDERS, ""),
    ),
    template="LaunchTemplate",
    template_id="Id",
    defaults={
        "Cluster.*.AccessConfig.BootstrapClusterCreatorAdminPermissions": True,
        "Cluster.*.DeletionProtection": False,
        "Cluster.*.KubernetesNetworkConfig.IpFamily": "ipv4",
        "Cluster.*.ResourcesVpcConfig.EndpointPrivateAccess": False,
        "Cluster.*.ResourcesVpcConfig.EndpointPublicAccess": True,
        "Cluster.*.ResourcesVpcConfig.PublicAccessCidrs": ["0.0.0.0/0"],
        "Cluster.*.UpgradePolicy.SupportType": "EXTENDED",
        "Cluster.*.ZonalShiftConfig.Enabled": False,
        "AccessEntries.*.Type": "STANDARD",
        "Addons.*.ResolveConflicts": "NONE",
        "NodeGroups.*.CapacityType": "ON_DEMAND",
        "NodeGroups.*.NodeRepairConfig.Enabled": False,
        "NodeGroups.*.UpdateConfig.MaxUnavailable": 1,
        "NodeGroups.*.UpdateConfig.UpdateStrategy": "DEFAULT",
        f"{_DATA}.MetadataOptions.HttpEndpoint": "enabled",
        f"{_DATA}.NetworkInterfaces.*.InterfaceType": "interface",
        f"{_DATA}.NetworkInterfaces.*.NetworkCardIndex": 0,
    },
    unordered=frozenset(("SecurityGroupIds", "Groups", "EnabledTypes", "SubnetIds")),
    # Both only matter when the cluster is created.
    left_out=frozenset(
        (
            "Cluster.*.BootstrapSelfManagedAddons",
            "Cluster.*.KubernetesNetworkConfig.ServiceIpv4Cidr",
        )
    ),
    # The spec always names the version; what EKS would choose depends on the day.
    kept=frozenset(("Cluster.*.Version", "NodeGroups.*.Version")),
    own=(Kind("AWS::IAM::Role", "Roles", ""),),
    open=frozenset((ADDONS, f"{NODE_GROUPS}.{SYSTEM}", f"{NODE_GROUPS}.{NO_GROUP}")),
)
