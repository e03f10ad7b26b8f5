"""Names that an overlay must not change, because other files of the bundle contain them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from clustergen.findings import Finding, Path
from clustergen.overlay.parts import as_map
from clustergen.overlay.rules.names import RENAMED

_PROPERTIES: Final = MappingProxyType(
    {
        "AWS::Batch::JobQueue": "JobQueueName",
        "AWS::EKS::Cluster": "Name",
        "AWS::EKS::Nodegroup": "NodegroupName",
        "AWS::PCS::Cluster": "Name",
        "AWS::PCS::ComputeNodeGroup": "Name",
        "AWS::PCS::Queue": "Name",
    }
)
"""Resource type -> its name property."""


def renamed(document: Mapping[str, Any], merged: Mapping[str, Any]) -> Iterator[Finding]:
    """Names of ``document`` that differ in ``merged``."""
    for path, field in _names(document):
        before, now = _at(document, path), _at(merged, path)
        removed = _at(merged, path[:-1]) is None
        if before is not None and now != before and not removed:
            yield RENAMED.at(
                path,
                f"{path[-1]} is no longer {before}, the name that the other files use",
                help=f"write the name in the spec, as {field}, and leave it out of the overlay",
            )


def _names(document: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """The path of each name, and the field of the spec that it comes from."""
    # A HyperPod request. Its groups are merged by name, so none can be renamed.
    yield ("ClusterName",), "`name`"
    for id, resource in as_map(document.get("Resources")).items():
        type = as_map(resource).get("Type", "")
        if key := _PROPERTIES.get(type):
            field = "`name`" if type.endswith("::Cluster") else "`name` of the node group or queue"
            yield ("Resources", id, "Properties", key), field


def _at(document: Any, path: Path) -> Any:
    for step in path:
        document = as_map(document).get(str(step))
    return document
