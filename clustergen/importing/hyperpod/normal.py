"""Requests of HyperPod: equal as JSON, whatever the order of groups, tags and checks."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clustergen.facts.schemas import Schema

Json = dict[str, Any]
_NAMES: Final = {
    "InstanceGroups": "InstanceGroupName",
    "RestrictedInstanceGroups": "InstanceGroupName",
    "Tags": "Key",
}


def normal(request: Mapping[str, Any], schema: Schema) -> Json:  # noqa: ARG001 as for other formats
    """The request with its lists in order of names."""
    return {
        key: sorted(value, key=lambda item: str(item.get(_NAMES[key])))
        if key in _NAMES and isinstance(value, list)
        else value
        for key, value in request.items()
    }


def equivalent(document: Mapping[str, Any], original: Mapping[str, Any], schema: Schema) -> Json:  # noqa: ARG001
    """The original, its lists in the order of the document, for the overlay to merge items."""
    return {
        key: _like(document.get(key), value, _NAMES[key])
        if key in _NAMES and isinstance(value, list)
        else value
        for key, value in original.items()
    }


# Of a request that adds groups to a cluster, clustergen only sends these members.
_ADDED: Final = ("ClusterName", "InstanceGroups")


def normal_addition(request: Mapping[str, Any], schema: Schema) -> Json:
    """The normal form of a request that adds groups to a cluster."""
    return {key: value for key, value in normal(request, schema).items() if key in _ADDED}


def equivalent_addition(
    document: Mapping[str, Any], original: Mapping[str, Any], schema: Schema
) -> Json:
    """The document with the groups of the original."""
    found = equivalent(document, original, schema)
    return {**document, **{key: found[key] for key in _ADDED if key in found}}


def _like(document: Any, original: Sequence[Any], name: str) -> list[Any]:
    order = [item.get(name) for item in document] if isinstance(document, list) else []
    return sorted(
        original,
        key=lambda item: order.index(item.get(name)) if item.get(name) in order else len(order),
    )
