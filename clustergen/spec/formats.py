"""The formats of other tools' cluster configurations, by the keys that only they have."""

from collections.abc import Mapping
from typing import Any, Final

PARALLELCLUSTER: Final = "a ParallelCluster configuration"
PARALLELCLUSTER_STACK: Final = "a template with a ParallelCluster configuration"
HYPERPOD: Final = "a HyperPod cluster"
PCS: Final = "an AWS PCS cluster"
EKSCTL: Final = "an eksctl configuration"
EKS: Final = "an EKS cluster"
BATCH: Final = "an AWS Batch environment"

_TYPES: Final[Mapping[str, str]] = {
    "AWS::SageMaker::Cluster": HYPERPOD,
    "AWS::PCS::Cluster": PCS,
    "AWS::PCS::ComputeNodeGroup": PCS,
    "AWS::PCS::Queue": PCS,
    "AWS::Batch::ComputeEnvironment": BATCH,
    "AWS::Batch::JobQueue": BATCH,
    "AWS::Batch::JobDefinition": BATCH,
    "AWS::EKS::Cluster": EKS,
    "AWS::EKS::Nodegroup": EKS,
}
"""Types of resources in templates, the more telling ones first."""
_MEMBERS: Final[Mapping[str, tuple[str, str]]] = {
    "cluster": ("scheduler", PCS),
    "computeNodeGroup": ("scalingConfiguration", PCS),
    "queue": ("computeNodeGroupConfigurations", PCS),
    "nodegroup": ("nodegroupName", EKS),
    "accessEntry": ("principalArn", EKS),
    "addon": ("addonName", EKS),
    "association": ("serviceAccount", EKS),
}
"""Members of what the AWS CLI prints: what is in them tells the service."""
_LISTS: Final[Mapping[str, str]] = {
    "computeEnvironments": BATCH,
    "jobQueues": BATCH,
    "jobDefinitions": BATCH,
    "schedulingPolicies": BATCH,
    "associatedAccessPolicies": EKS,
}


def recognized(data: Any) -> str:
    """What ``data`` is, for messages; empty if it has no known format."""
    if isinstance(data, list):
        return HYPERPOD if data and all(map(_is_instance_group, data)) else ""
    if not isinstance(data, Mapping):
        return ""
    if "HeadNode" in data and ("Scheduling" in data or "Image" in data):
        return PARALLELCLUSTER
    if str(data.get("apiVersion")).startswith("eksctl.io/") or data.get("kind") == "ClusterConfig":
        return EKSCTL
    if _is_hyperpod(data) or any(map(_is_hyperpod, data.values())):
        return HYPERPOD
    resources = data.get("Resources")
    if isinstance(resources, Mapping):
        return _of_template(resources)
    return _described(data)


def _of_template(resources: Mapping[str, Any]) -> str:
    if any(map(is_parallelcluster_resource, resources.values())):
        return PARALLELCLUSTER_STACK
    types = {str(each.get("Type")) for each in resources.values() if isinstance(each, Mapping)}
    return next((format for type, format in _TYPES.items() if type in types), "")


def is_parallelcluster_resource(resource: Any) -> bool:
    """Whether a resource is a cluster for ParallelCluster's provider; users choose its type.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudformation-v3.html
    """
    properties = resource.get("Properties") if isinstance(resource, Mapping) else None
    found = properties.get("ClusterConfiguration") if isinstance(properties, Mapping) else None
    return isinstance(found, Mapping) and "HeadNode" in found


def _described(data: Mapping[str, Any]) -> str:
    """The service whose description this is, as the AWS CLI prints it."""
    for key, (member, format) in _MEMBERS.items():
        inner = data.get(key)
        if isinstance(inner, Mapping):
            if member in inner:
                return format
            if "resourcesVpcConfig" in inner:
                return EKS
    return next((each for key, each in _LISTS.items() if isinstance(data.get(key), list)), "")


def _is_instance_group(value: Any) -> bool:
    """An item of what ``--instance-groups`` gets."""
    return isinstance(value, Mapping) and "InstanceGroupName" in value


def _is_hyperpod(value: Any) -> bool:
    """A request, or a description; some tools wrap it."""
    groups = ("InstanceGroups", "RestrictedInstanceGroups")
    return isinstance(value, Mapping) and any(isinstance(value.get(key), list) for key in groups)
