"""The CreateCluster request in a file: itself, a description, or a resource of a template."""

from collections.abc import Mapping
from typing import Any, Final

from clustergen.base.findings import Path
from clustergen.importing.notes import Notes
from clustergen.services.hyperpod.described import without_state

Json = dict[str, Any]
GROUPS: Final = ("InstanceGroups", "RestrictedInstanceGroups")
_PARAMETERS: Final = "workload_manager"
"""A key of provisioning_parameters.json, and of no other file."""


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
    request = _plain(without_state({k: v for k, v in data.items() if k != "ClusterArn"}))
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
