"""The CreateCluster request in a file: itself, a description, or a resource of a template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clustergen.base.findings import Path
from clustergen.base.text_lists import word_set
from clustergen.importing.notes import Notes

Json = dict[str, Any]
GROUPS: Final = ("InstanceGroups", "RestrictedInstanceGroups")
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
    """The place of the request in ``data``, and the request: at the top, or one level below.

    A file for ``--instance-groups`` only has the list of them.
    """
    if isinstance(data, list):
        return (), {GROUPS[0]: data}
    if is_request(data):
        return (), data
    if not isinstance(data, Mapping):
        return None
    return next((((key,), value) for key, value in data.items() if is_request(value)), None)


def parameters_in(data: Any) -> Json:
    """The provisioning parameters that stand beside a request."""
    if is_parameters(data):
        return dict(data)
    inner = data.values() if isinstance(data, Mapping) else ()
    return next((dict(value) for value in inner if is_parameters(value)), {})


def requested(data: Mapping[str, Any], notes: Notes) -> Json:
    """A request without the state of a cluster that a description has."""
    if "ClusterStatus" not in data and "ClusterArn" not in data:
        request: Json = _plain(data)
        return request
    notes.dropped((), "the state of the cluster, which a description has beside its settings")
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
