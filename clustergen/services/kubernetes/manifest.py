"""Files of Kubernetes objects, with a comment on their purpose."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Artifact, Json
from clustergen.base.yaml_text import yaml_text

FOLDER = "manifests"
RBAC = "rbac.authorization.k8s.io"
CONFINED: Json = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "readOnlyRootFilesystem": True,
}
"""Security context of a container that needs no rights."""


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


def account(name: str, namespace: str, rules: list[Json], *, role: str = "") -> Iterator[Json]:
    """A service account, and its rights in the cluster; ``role`` is the name of its role."""
    api, role = f"{RBAC}/v1", role or name
    whole = {"apiGroup": RBAC, "kind": "ClusterRole", "name": role}
    subject = {"kind": "ServiceAccount", "name": name, "namespace": namespace}
    yield kubernetes_object("v1", "ServiceAccount", name, namespace=namespace)
    yield kubernetes_object(api, "ClusterRole", role, rules=rules)
    yield kubernetes_object(api, "ClusterRoleBinding", role, roleRef=whole, subjects=[subject])


def allow(group: str, resources: str, verbs: str) -> Json:
    """A rule of a role: what it may do with the resources of an API group."""
    return {"apiGroups": [group], "resources": resources.split(), "verbs": verbs.split()}


def annotated(made: Json, annotations: Mapping[str, str]) -> Json:
    """An object with annotations."""
    if not annotations:
        return made
    return {**made, "metadata": {**made["metadata"], "annotations": dict(annotations)}}
