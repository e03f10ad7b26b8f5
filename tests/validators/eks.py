"""What EKS and EC2 ask of a template beyond their service models, by their documentation.

Pages of https://docs.aws.amazon.com/eks/latest/userguide/ (read 2026-11-20): [lt] launch-templates,
[ml] ml-node-groups, [efa] device-management-efa, [net] network-reqs, [ami] ml-eks-optimized-ami,
[repair] node-repair, [taints] node-taints-managed-node-groups, [access] access-entries,
[pod] pod-id-role, [addons] workloads-add-ons-available-eks, [versions] kubernetes-versions;
[model] the documentation strings of botocore's model.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.validators.cloudformation.intrinsics import Resource, resolve
from tests.validators.instance_types import all_types
from tests.validators.network_interfaces import interface_violations
from tests.validators.placeholders import resource_id

Json = Mapping[str, Any]

# What the validator's GetAtt gives for the group that EKS makes.
_CLUSTER_GROUP = "sg-0e1b2c3d4e5f60718"


@dataclass(frozen=True, slots=True)
class _Nodes:
    """A managed node group together with its launch template's data."""

    group: Json
    data: Json

    @property
    def names(self) -> list[str]:
        named = [self.data["InstanceType"]] if "InstanceType" in self.data else []
        return [*named, *self.group.get("InstanceTypes", [])]

    @property
    def facts(self) -> list[Json]:
        return [all_types()[name] for name in self.names if name in all_types()]

    @property
    def market(self) -> str | None:
        market: str | None = self.data.get("InstanceMarketOptions", {}).get("MarketType")
        return market

    @property
    def reserved(self) -> Json:
        specification = self.data.get("CapacityReservationSpecification", {})
        target: Json = specification.get("CapacityReservationTarget", {})
        return target


def eks_violations(template: Json, region: str = "us-east-1") -> list[str]:
    """Violations as `logical id: message`; empty for a template without EKS."""
    try:
        resources = resolve(template, region=region)
    except LookupError:
        return []  # the validator of templates says so
    if not _of(resources, "AWS::EKS::Cluster"):
        return []
    return [f"{where}: {what}" for where, what in _violations(resources)]


def _violations(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    for cluster in _of(resources, "AWS::EKS::Cluster"):
        yield from ((cluster.logical_id, b) for b in _cluster(cluster.properties, resources))
    templates = {
        resource_id("lt", r.logical_id): r.properties.get("LaunchTemplateData", {})
        for r in _of(resources, "AWS::EC2::LaunchTemplate")
    }
    for group in _of(resources, "AWS::EKS::Nodegroup"):
        used = group.properties.get("LaunchTemplate", {})
        data = templates.get(used.get("Id"))
        if data is None:
            yield group.logical_id, "no launch template of this stack"
            continue
        for rule in _OF_NODES:
            yield from ((group.logical_id, b) for b in rule(_Nodes(group.properties, data)))
    for entry in _of(resources, "AWS::EKS::AccessEntry"):
        yield from ((entry.logical_id, b) for b in _entry(entry.properties))
    for addon in _of(resources, "AWS::EKS::Addon"):
        yield from ((addon.logical_id, b) for b in _addon(addon.properties))
    yield from _pod_roles(resources)


def _of(resources: Sequence[Resource], type: str) -> list[Resource]:
    return [resource for resource in resources if resource.type == type]


# The cluster ----------------------------------------------------------------------------------

_VERSIONS = ("1.31", "1.32", "1.33", "1.34", "1.35", "1.36")  # [versions]
_NEEDED = ("vpc-cni", "kube-proxy", "coredns")


def _cluster(cluster: Json, resources: Sequence[Resource]) -> Iterator[str]:
    network = cluster["ResourcesVpcConfig"]
    if len(set(network["SubnetIds"])) < 2:
        yield "subnets of two zones are needed [net]"
    if not network.get("EndpointPrivateAccess") and not network.get("EndpointPublicAccess", True):
        yield "the API has neither a public nor a private endpoint [model]"
    if network.get("EndpointPublicAccess", True) and not network.get("PublicAccessCidrs"):
        yield "the API is open to 0.0.0.0/0, the default [model]"
    if cluster.get("Version") not in _VERSIONS:
        yield f"no Kubernetes {cluster.get('Version')} [versions]"
    mode = cluster.get("AccessConfig", {}).get("AuthenticationMode", "CONFIG_MAP")
    if mode == "CONFIG_MAP" and _of(resources, "AWS::EKS::AccessEntry"):
        yield "access entries with authentication by CONFIG_MAP [access]"
    auto = [
        cluster.get("ComputeConfig", {}).get("Enabled"),
        cluster.get("StorageConfig", {}).get("BlockStorage", {}).get("Enabled"),
        cluster.get("KubernetesNetworkConfig", {}).get("ElasticLoadBalancing", {}).get("Enabled"),
    ]
    if any(auto) and not all(auto):
        yield "Auto Mode is on in part [model]"
    yield from _basic_addons(cluster, resources)


def _basic_addons(cluster: Json, resources: Sequence[Resource]) -> Iterator[str]:
    """Without the self-managed ones, nodes have no network until the add-ons are there."""
    names = {addon.properties.get("AddonName") for addon in _of(resources, "AWS::EKS::Addon")}
    if cluster.get("BootstrapSelfManagedAddons") is False and not all(
        cluster.get(part, {}).get("Enabled") for part in ("ComputeConfig",)
    ):
        for name in _NEEDED:
            if name not in names:
                yield f"no add-on {name}, and no self-managed one [model]"


# Nodes ----------------------------------------------------------------------------------------

_PROHIBITED = ("IamInstanceProfile", "InstanceInitiatedShutdownBehavior", "HibernationOptions")


def _separated(nodes: _Nodes) -> Iterator[str]:
    """[lt] and [model] LaunchTemplateSpecification: what stands where."""
    group, data = nodes.group, nodes.data
    for member in _PROHIBITED:
        if member in data:
            yield f"{member} in the launch template [lt]"
    if any("SubnetId" in interface for interface in data.get("NetworkInterfaces", [])):
        yield "SubnetId in the launch template [lt]"
    if nodes.market == "spot":
        yield "a spot request in the launch template [lt]"
    for member in ("DiskSize", "RemoteAccess"):
        if member in group:
            yield f"{member} with a launch template [lt]"
    for member in ("AmiType", "Version", "ReleaseVersion"):
        if "ImageId" in data and member in group:
            yield f"{member} with an image of the launch template [lt]"
    if "InstanceType" in data and group.get("InstanceTypes"):
        yield "instance types in the launch template and in the node group [lt]"
    if not nodes.names:
        yield "no instance type: t3.medium is started [lt]"
    used = group["LaunchTemplate"]
    if ("Id" in used) == ("Name" in used):
        yield "the launch template is named by one of Id and Name [model]"


def _bought(nodes: _Nodes) -> Iterator[str]:
    """[ml] and EC2's rules of reservations."""
    kind = nodes.group.get("CapacityType", "ON_DEMAND")
    block = kind == "CAPACITY_BLOCK"
    if block != (nodes.market == "capacity-block"):
        yield f"CapacityType {kind} with MarketType {nodes.market} [ml]"
    if block and "CapacityReservationId" not in nodes.reserved:
        yield "a Capacity Block without its id [ml]"
    if block and "InstanceType" not in nodes.data:
        yield "a Capacity Block without InstanceType in the launch template [ml]"
    if block and not {"AmiType", "ImageId"} & (nodes.group.keys() | nodes.data.keys()):
        yield "a Capacity Block without AmiType [ml]"
    if block and nodes.data.get("Placement", {}).get("GroupName"):
        yield "a placement group beside a Capacity Block"
    if len(nodes.reserved) > 1:
        yield "a reservation by id and by group [model]"
    specification = nodes.data.get("CapacityReservationSpecification", {})
    if nodes.reserved and "CapacityReservationPreference" in specification:
        yield "a preference beside a reservation that is named [model]"
    if kind == "SPOT" and nodes.reserved:
        yield "Spot from a reservation"
    usage = {"SPOT": "spot", "CAPACITY_BLOCK": "capacity-block"}.get(kind, "on-demand")
    for fact in nodes.facts:
        if usage not in fact.get("SupportedUsageClasses", [usage]):
            yield f"{fact['InstanceType']} cannot be had as {kind}"


def _placed(nodes: _Nodes) -> Iterator[str]:
    """[efa] and [ml]: one zone."""
    kinds = {i.get("InterfaceType") for i in nodes.data.get("NetworkInterfaces", [])}
    tied = bool(kinds & {"efa", "efa-only"}) or nodes.group.get("CapacityType") == "CAPACITY_BLOCK"
    if tied and len(nodes.group.get("Subnets", [])) != 1:
        yield f"{len(nodes.group['Subnets'])} subnets for nodes of one zone [efa]"


_PLAIN = [{"DeviceIndex": 0, "Groups": [_CLUSTER_GROUP]}]


def _connected(nodes: _Nodes) -> Iterator[str]:
    """[lt] security groups, and the cards of each type."""
    interfaces = nodes.data.get("NetworkInterfaces", [])
    at_top = nodes.data.get("SecurityGroupIds", [])
    if interfaces and at_top:
        yield "security groups at the top and on interfaces [lt]"
    for groups in [i.get("Groups", []) for i in interfaces] + ([at_top] if at_top else []):
        if _CLUSTER_GROUP not in groups:
            yield "security groups without the cluster's own [lt]"
            break
    yield from (f"no instance type {name}" for name in nodes.names if name not in all_types())
    for fact in nodes.facts:
        for violation in interface_violations(interfaces or _PLAIN, fact):
            yield f"{fact['InstanceType']}: {violation}"
    for interface in interfaces:
        if interface.get("InterfaceType", "interface") not in ("interface", "efa", "efa-only"):
            yield f"no interface type {interface['InterfaceType']}"


def _booted(nodes: _Nodes) -> Iterator[str]:
    """[ami]: architecture and drivers."""
    image = nodes.group.get("AmiType", "")
    for fact in nodes.facts if image else ():
        name = fact["InstanceType"]
        arm = "arm64" in fact["ProcessorInfo"]["SupportedArchitectures"]
        if arm != ("ARM_64" in image):
            yield f"{image} on {name} of another architecture [ami]"
        if _nvidia(fact) != ("NVIDIA" in image or "GPU" in image):
            yield f"{image} on {name}: the driver of NVIDIA [ami]"
        if ("NeuronInfo" in fact or name.startswith(("trn", "inf"))) != ("NEURON" in image):
            yield f"{image} on {name}: the driver of Neuron [ami]"
    if image.startswith("AL2_"):
        yield f"{image}: no image of Amazon Linux 2 since Kubernetes 1.33 [versions]"


def _nvidia(fact: Json) -> bool:
    gpus = fact.get("GpuInfo", {}).get("Gpus", [])
    return any(gpu.get("Manufacturer") == "NVIDIA" for gpu in gpus)


def _counted(nodes: _Nodes) -> Iterator[str]:
    """[model] NodegroupScalingConfig, NodegroupUpdateConfig, NodeRepairConfig; [repair]."""
    scaling = nodes.group.get("ScalingConfig", {})
    # What a parameter decides is not known before the deployment; by default it is nothing.
    given = [scaling[k] for k in ("MinSize", "DesiredSize", "MaxSize") if k in scaling]
    sizes = [0 if isinstance(size, dict) else size for size in given]
    if sizes != sorted(sizes):
        yield f"MinSize, DesiredSize and MaxSize are {sizes}"
    update, repair = nodes.group.get("UpdateConfig", {}), nodes.group.get("NodeRepairConfig", {})
    for given, stem, one, other in (
        (update, "MaxUnavailable", "", "Percentage"),
        (repair, "MaxUnhealthyNodeThreshold", "Count", "Percentage"),
        (repair, "MaxParallelNodesRepaired", "Count", "Percentage"),
    ):
        if stem + one in given and stem + other in given:
            yield f"{stem} by count and by percentage"
    for override in repair.get("NodeRepairConfigOverrides", []):
        lacking = {"NodeMonitoringCondition", "NodeUnhealthyReason"} - override.keys()
        lacking |= {"MinRepairWaitTimeMins", "RepairAction"} - override.keys()
        if lacking:
            yield f"an override of repair without {', '.join(sorted(lacking))} [repair]"


# https://github.com/aws/containers-roadmap/issues/1451
_RESERVED = ("kubernetes.io/", "k8s.io/", "eks.amazonaws.com/")


def _marked(nodes: _Nodes) -> Iterator[str]:
    """[taints] and reserved names."""
    taints = nodes.group.get("Taints", [])
    keys = [*nodes.group.get("Labels", {}), *(taint.get("Key", "") for taint in taints)]
    yield from (f"{key} is reserved" for key in keys if any(r in key for r in _RESERVED))
    pairs = Counter((taint.get("Key"), taint.get("Effect")) for taint in taints)
    yield from (f"the taint {pair} twice [taints]" for pair, n in pairs.items() if n > 1)
    if len(taints) > 50:
        yield f"{len(taints)} taints [taints]"


_OF_NODES = (_separated, _bought, _placed, _connected, _booted, _counted, _marked)


# Access and add-ons ---------------------------------------------------------------------------


def _entry(entry: Json) -> Iterator[str]:
    """[access] and [model] CreateAccessEntry."""
    policies = entry.get("AccessPolicies", [])
    if entry.get("Type") in ("EC2_LINUX", "EC2_WINDOWS") and (
        policies or entry.get("KubernetesGroups")
    ):
        yield "policies or groups in an entry of nodes [model]"
    for policy in policies:
        scope = policy.get("AccessScope", {})
        if (scope.get("Type") == "namespace") != bool(scope.get("Namespaces")):
            yield f"a scope {scope.get('Type')} with namespaces {scope.get('Namespaces')} [model]"


# [addons], and the page of community add-ons.
_ADDONS = frozenset(
    """vpc-cni coredns kube-proxy eks-pod-identity-agent aws-ebs-csi-driver aws-efs-csi-driver
    aws-fsx-csi-driver aws-mountpoint-s3-csi-driver snapshot-controller eks-node-monitoring-agent
    amazon-cloudwatch-observability adot aws-guardduty-agent aws-network-flow-monitoring-agent
    aws-secrets-store-csi-driver-provider amazon-sagemaker-hyperpod-taskgovernance
    amazon-sagemaker-hyperpod-observability amazon-sagemaker-hyperpod-training-operator
    amazon-sagemaker-hyperpod-inference amazon-sagemaker-spaces metrics-server kube-state-metrics
    prometheus-node-exporter cert-manager external-dns fluent-bit""".split()  # noqa: SIM905
)


def _addon(addon: Json) -> Iterator[str]:
    if addon.get("AddonName") not in _ADDONS:
        yield f"no add-on is called {addon.get('AddonName')} [addons]"
    values = addon.get("ConfigurationValues")
    if values is not None:
        try:
            read = json.loads(values)
        except ValueError:
            read = None
        if not isinstance(read, dict):
            yield "ConfigurationValues are no JSON object"


_PODS = "pods.eks.amazonaws.com"


def _pod_roles(resources: Sequence[Resource]) -> Iterator[tuple[str, str]]:
    """[pod]: the agent, and a trust policy with both actions."""
    names = {addon.properties.get("AddonName") for addon in _of(resources, "AWS::EKS::Addon")}
    used = [
        *(r.properties for r in _of(resources, "AWS::EKS::PodIdentityAssociation")),
        *(
            association
            for addon in _of(resources, "AWS::EKS::Addon")
            for association in addon.properties.get("PodIdentityAssociations", [])
        ),
    ]
    if used and "eks-pod-identity-agent" not in names:
        yield "template", "roles of pods without the add-on eks-pod-identity-agent [pod]"
    arns = [str(association.get("RoleArn", "")) for association in used]
    for role in _of(resources, "AWS::IAM::Role"):
        # The validator's ARN of a role without a name holds its logical id between hyphens.
        name = role.properties.get("RoleName", f"-{role.logical_id}-")
        if any(name in arn for arn in arns) and not _trusts(role):
            yield role.logical_id, f"{_PODS} may not assume it and tag the session [pod]"


def _trusts(role: Resource) -> bool:
    allowed: set[str] = set()
    for statement in role.properties.get("AssumeRolePolicyDocument", {}).get("Statement", []):
        services = statement.get("Principal", {}).get("Service", [])
        if _PODS in ([services] if isinstance(services, str) else services):
            actions = statement.get("Action", [])
            allowed |= {actions} if isinstance(actions, str) else set(actions)
    return {"sts:AssumeRole", "sts:TagSession"} <= allowed
