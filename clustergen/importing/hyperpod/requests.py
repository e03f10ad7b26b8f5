"""The CreateCluster request in a file: itself, a description, or a resource of a template."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.findings import Path
from clustergen.importing.notes import Notes
from clustergen.words import word_set

Json = dict[str, Any]
GROUPS: Final = ("InstanceGroups", "RestrictedInstanceGroups")
RESOURCE: Final = "AWS::SageMaker::Cluster"
_PARAMETERS: Final = "workload_manager"
"""A key of provisioning_parameters.json, and of no other file."""

# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeCluster.html and
# API_ClusterInstanceGroupDetails.html, read on 2026-11-22: members that a request does not have.
_STATE: Final = word_set("""
    ClusterStatus CreationTime FailureMessage CurrentCount Status TrainingPlanStatus
    ActiveOperations CurrentImageId CurrentInstanceType DesiredImageId InstanceTypeDetails
    SoftwareUpdateStatus ActiveSoftwareUpdateConfig CurrentInstanceTypes
""")
_RENAMED: Final = {
    "TargetCount": "InstanceCount",
    "MinCount": "MinInstanceCount",
    "DesiredInstanceTypes": "InstanceTypes",
    "DesiredLabels": "Labels",
    "DesiredTaints": "Taints",
}
_OBSERVED: Final = frozenset(("CurrentLabels", "CurrentTaints"))


def is_request(data: Any) -> bool:
    """Whether ``data`` has the members of a cluster."""
    return isinstance(data, Mapping) and any(key in data for key in GROUPS)


def is_parameters(data: Any) -> bool:
    """Whether ``data`` is a provisioning_parameters.json."""
    return isinstance(data, Mapping) and _PARAMETERS in data


def found(data: Any) -> tuple[Path, Any] | None:
    """The place of the request in ``data``, and the request: at the top, or one level below."""
    if is_request(data):
        return (), data
    if not isinstance(data, Mapping):
        return None
    resources = data.get("Resources")
    for name, resource in resources.items() if isinstance(resources, Mapping) else ():
        if isinstance(resource, Mapping) and resource.get("Type") == RESOURCE:
            values = dict(_defaults(data.get("Parameters")))
            return ("Resources", name, "Properties"), _resolved(resource.get("Properties"), values)
    return next((((key,), value) for key, value in data.items() if is_request(value)), None)


def parameters_in(data: Any) -> Json:
    """The provisioning parameters that stand beside a request."""
    if is_parameters(data):
        return dict(data)
    inner = data.values() if isinstance(data, Mapping) else ()
    return next((dict(value) for value in inner if is_parameters(value)), {})


def _defaults(parameters: Any) -> Iterator[tuple[str, Any]]:
    for name, parameter in parameters.items() if isinstance(parameters, Mapping) else ():
        if isinstance(parameter, Mapping) and "Default" in parameter:
            yield name, parameter["Default"]


def _resolved(value: Any, values: Mapping[str, Any]) -> Any:
    """``value`` with the defaults of the template's parameters."""
    if isinstance(value, Mapping):
        if set(value) == {"Ref"} and value["Ref"] in values:
            return values[value["Ref"]]
        if set(value) == {"Fn::Sub"} and isinstance(value["Fn::Sub"], str):
            text = value["Fn::Sub"]
            for name, default in values.items():
                text = text.replace(f"${{{name}}}", str(default))
            return text
        return {key: _resolved(inner, values) for key, inner in value.items()}
    return [_resolved(each, values) for each in value] if isinstance(value, list) else value


def requested(data: Mapping[str, Any], notes: Notes, place: Path) -> Json:
    """A request without the state of a cluster that a description has."""
    if "ClusterStatus" not in data and "ClusterArn" not in data:
        request: Json = _plain(data)
        return request
    notes.dropped(place, "the state of the cluster, which a description has beside its settings")
    # An EKS cluster has an ARN of the same name, which stays.
    request = _plain(_stateless({k: v for k, v in data.items() if k != "ClusterArn"}))
    name = str(data.get("ClusterName") or data.get("ClusterArn", "")).rpartition("/")[2]
    return {"ClusterName": name, **request}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            str(key): _plain(inner)
            for key, inner in value.items()
            if inner is not None and not str(key).startswith("_")
        }
    return [_plain(each) for each in value] if isinstance(value, list) else value


def _stateless(value: Any) -> Any:
    if isinstance(value, Mapping):
        image = {"ImageId": value["DesiredImageId"]} if "DesiredImageId" in value else {}
        return {
            _RENAMED.get(key, key): _stateless(inner)
            for key, inner in value.items()
            if key not in _STATE and key not in _OBSERVED
        } | image
    return [_stateless(each) for each in value] if isinstance(value, list) else value
