"""The formats of other tools' cluster configurations, by the keys that only they have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

PARALLELCLUSTER: Final = "a ParallelCluster configuration"
HYPERPOD: Final = "a HyperPod cluster"


def recognized(data: Any) -> str:
    """What ``data`` is, for messages; empty if it has no known format."""
    if not isinstance(data, Mapping):
        return ""
    if "HeadNode" in data and ("Scheduling" in data or "Image" in data):
        return PARALLELCLUSTER
    if _is_hyperpod(data) or any(map(_is_hyperpod, data.values())):
        return HYPERPOD
    resources = data.get("Resources")
    if isinstance(resources, Mapping) and any(map(_is_hyperpod_resource, resources.values())):
        return HYPERPOD
    return ""


def _is_hyperpod(value: Any) -> bool:
    """A request, or a description; some tools wrap it."""
    groups = ("InstanceGroups", "RestrictedInstanceGroups")
    return isinstance(value, Mapping) and any(isinstance(value.get(key), list) for key in groups)


def _is_hyperpod_resource(value: Any) -> bool:
    return isinstance(value, Mapping) and value.get("Type") == "AWS::SageMaker::Cluster"
