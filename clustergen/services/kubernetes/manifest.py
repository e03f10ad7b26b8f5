"""Files of Kubernetes objects, with a comment on their purpose."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from clustergen.base.artifacts import Artifact, Json
from clustergen.base.yaml_text import yaml_text

FOLDER = "manifests"


def file(path: str, comment: Iterable[str], objects: Iterable[Json]) -> Artifact:
    """One file of objects, after ``comment``."""
    head = "".join(f"# {line}".rstrip() + "\n" for line in comment)
    return Artifact(path, head + "---\n".join(yaml_text(item) for item in objects))


def kubernetes_object(
    api: str,
    kind: str,
    name: str,
    *,
    namespace: str = "",
    labels: Mapping[str, str] | None = None,
    **members: Any,
) -> Json:
    """A Kubernetes object; ``members`` are all except its metadata."""
    metadata: Json = {"name": name}
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = dict(labels)
    return {"apiVersion": api, "kind": kind, "metadata": metadata, **members}


def annotated(made: Json, annotations: Mapping[str, str]) -> Json:
    """An object with annotations."""
    if not annotations:
        return made
    return {**made, "metadata": {**made["metadata"], "annotations": dict(annotations)}}
