"""The control plane that eksctl makes, as settings of EKS."""

from collections.abc import Iterator
from typing import Final

from clustergen.facts.catalog.regions import partition_of
from clustergen.importing.eks.form import CLUSTER
from clustergen.importing.eksctl.keys import Keys
from clustergen.importing.machines import filled
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json, link
from clustergen.services.eks.versions import VERSIONS

# https://docs.aws.amazon.com/eks/latest/eksctl/schema.html, read on 2026-11-22.
_AUTHENTICATION: Final = "API_AND_CONFIG_MAP"
_WITH_ROLES: Final = {
    "vpc-cni": "AmazonEKS_CNI_Policy",
    "aws-ebs-csi-driver": "AmazonEBSCSIDriverPolicy",
    "aws-efs-csi-driver": "AmazonEFSCSIDriverPolicy",
    "aws-fsx-csi-driver": "AmazonFSxFullAccess",
}
"""Add-ons to which clustergen gives roles, and AWS's policies for them."""
_ALL_LOGS: Final = ("api", "audit", "authenticator", "controllerManager", "scheduler")


def cluster(config: Keys, name: str, notes: Notes) -> Json:
    metadata, vpc = config.section("metadata"), config.section("vpc")
    metadata.take("name")
    endpoints = vpc.section("clusterEndpoints")
    access = config.section("accessConfig")
    support = str(config.section("upgradePolicy").take("supportType") or "EXTENDED")
    public = endpoints.take("publicAccess")
    private = endpoints.take("privateAccess")
    if is_private(config):  # eksctl leaves only the private endpoint
        public, private = False, True
    found = {
        "Name": name,
        "RoleArn": config.section("iam").take("serviceRoleARN"),
        "Version": version(config, notes),
        "AccessConfig": {
            "AuthenticationMode": access.take("authenticationMode") or _AUTHENTICATION,
            "BootstrapClusterCreatorAdminPermissions": access.take(
                "bootstrapClusterCreatorAdminPermissions"
            ),
        },
        "UpgradePolicy": {"SupportType": support.upper()},
        "KubernetesNetworkConfig": _network(config),
        "Logging": _logging(config),
        "EncryptionConfig": _encryption(config),
        "ZonalShiftConfig": {"Enabled": config.section("zonalShiftConfig").take("enabled")},
        "ControlPlaneScalingConfig": {
            "Tier": config.section("controlPlaneScalingConfig").take("tier")
        },
        "ResourcesVpcConfig": {
            "EndpointPublicAccess": public if public is not None else True,
            "EndpointPrivateAccess": private if private is not None else False,
            "PublicAccessCidrs": vpc.texts("publicAccessCIDRs"),
            "SubnetIds": control_plane_subnets(config),
            "SecurityGroupIds": vpc.texts("controlPlaneSecurityGroupIDs"),
        },
        **_auto_mode(config),
        "Tags": [
            {"Key": key, "Value": str(value)} for key, value in metadata.table("tags").items()
        ],
    }
    kept: Json = filled(found)
    return kept


def is_private(config: Keys) -> bool:
    """Whether neither nodes reach the internet nor the internet the cluster.

    https://docs.aws.amazon.com/eks/latest/eksctl/eks-private-cluster.html
    """
    return config.section("privateCluster").take("enabled") is True


def version(config: Keys, notes: Notes) -> str | None:
    """The version of Kubernetes, if EKS offers it."""
    value = config.section("metadata").take("version")
    if value in (None, "auto", "latest", "default"):
        return None
    if str(value) not in VERSIONS:
        text = f"EKS does not offer Kubernetes {value}; the spec has the default of clustergen"
        notes.rewritten(("metadata", "version"), text)
        return None
    return str(value)


def _network(config: Keys) -> Json:
    network = config.section("kubernetesNetworkConfig")
    family = network.take("ipFamily")
    return {
        "IpFamily": str(family).lower() if family else None,
        "ServiceIpv4Cidr": network.take("serviceIPv4CIDR"),
    }


def _logging(config: Keys) -> Json:
    types = config.section("cloudWatch").section("clusterLogging").texts("enableTypes")
    every = {"*", "all"} & set(types)
    enabled = [{"Type": each} for each in (_ALL_LOGS if every else types)]
    return {"ClusterLogging": {"EnabledTypes": enabled}} if enabled else {}


def _encryption(config: Keys) -> list[Json]:
    key = config.section("secretsEncryption").take("keyARN")
    return [{"Provider": {"KeyArn": key}, "Resources": ["secrets"]}] if key else []


def _auto_mode(config: Keys) -> Json:
    auto = config.section("autoModeConfig")
    if auto.take("enabled") is not True:
        return {}
    pools = auto.texts("nodePools") or ["general-purpose", "system"]
    return {
        "ComputeConfig": {
            "Enabled": True,
            "NodePools": pools,
            "NodeRoleArn": auto.take("nodeRoleARN"),
        },
        "StorageConfig": {"BlockStorage": {"Enabled": True}},
        "KubernetesNetworkConfig": {**_network(config), "ElasticLoadBalancing": {"Enabled": True}},
    }


def control_plane_subnets(config: Keys) -> list[str]:
    """The subnets of the control plane: those named for it, else all."""
    vpc = config.section("vpc")
    kinds = ("private",) if vpc.take("controlPlaneOnPrivateSubnets") else ("private", "public")
    every = [id for kind in kinds for id in subnets(config, kind).values()]
    return vpc.texts("controlPlaneSubnetIDs") or every


def subnets(config: Keys, kind: str) -> dict[str, str]:
    """The existing subnets of a kind: their ids by the name that the file gives them."""
    return {name: str(each["id"]) for name, each in existing_subnets(config, kind)}


def existing_subnets(config: Keys, *kinds: str) -> Iterator[tuple[str, Json]]:
    """What the file says about existing subnets, and the names that it gives them."""
    for kind in kinds:
        for name, each in config.section("vpc").section("subnets").table(kind).items():
            if isinstance(each, dict) and each.get("id"):
                yield name, each


def zones_of_subnets(config: Keys) -> dict[str, str]:
    """The zones of subnets by their ids, as far as the file says them."""
    found = existing_subnets(config, "private", "public")
    return {str(each["id"]): str(each.get("az") or name) for name, each in found}


def provider(config: Keys, name: str, region: str) -> Json:
    """The identity provider of the cluster, for roles of service accounts."""
    if config.section("iam").take("withOIDC") is not True:
        return {}
    url = link(CLUSTER, name, "OpenIdConnectIssuerUrl")
    audience = f"sts.{partition_of(region).dns_suffix}"
    return {"OidcProvider": {"Url": url, "ClientIdList": [audience]}}


def _report_roles(addon: Keys, name: str, notes: Notes) -> None:
    """The permissions that add-ons of clustergen have without the file; others stay to be read."""
    managed = _WITH_ROLES.get(name)
    if not managed:
        return
    known = ["wellKnownPolicies", "useDefaultPodIdentityAssociations"]
    arns = addon.value("attachPolicyARNs")
    if isinstance(arns, list) and all(str(each).rpartition("/")[2] == managed for each in arns):
        known.append("attachPolicyARNs")
    for key in known:
        if addon.take(key):
            text = f"{key} of the add-on {name}: clustergen gives it a role with AWS's policy"
            notes.dropped((*addon.path, key), text)


def addons(config: Keys, name: str, notes: Notes) -> Json:
    """The add-ons that the file lists."""
    found = {}
    for addon in config.sections("addons"):
        key = str(addon.take("name"))
        _report_roles(addon, key, notes)
        tags = config.section("metadata").table("tags") | addon.table("tags")
        version = addon.take("version")
        found[key] = filled(
            {
                "AddonName": key,
                "ClusterName": link(CLUSTER, name),
                "AddonVersion": version if version not in ("latest", "default") else None,
                "ConfigurationValues": addon.take("configurationValues"),
                "ServiceAccountRoleArn": addon.take("serviceAccountRoleARN"),
                "ResolveConflicts": str(addon.take("resolveConflicts") or "").upper() or None,
                "Tags": [{"Key": tag, "Value": str(value)} for tag, value in tags.items()],
            }
        )
    return found


def access_entries(config: Keys, name: str) -> Json:
    """Who may use the cluster."""
    found = {}
    for entry in config.section("accessConfig").sections("accessEntries"):
        principal = str(entry.take("principalARN"))
        policies = [
            {
                "PolicyArn": policy.take("policyARN"),
                "AccessScope": {
                    "Type": policy.section("accessScope").take("type"),
                    "Namespaces": policy.section("accessScope").texts("namespaces"),
                },
            }
            for policy in entry.sections("accessPolicies")
        ]
        found[principal] = filled(
            {
                "ClusterName": link(CLUSTER, name),
                "PrincipalArn": principal,
                "Type": entry.take("type"),
                "KubernetesGroups": entry.texts("kubernetesGroups"),
                "Username": entry.take("kubernetesUsername"),
                "AccessPolicies": policies,
            }
        )
    return found
