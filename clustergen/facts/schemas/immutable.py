"""Fields of Kubernetes objects that the API server never changes.

Those of custom resources are in ``kubernetes-updates.json``, which ``tools/schemas/immutable.py``
makes from their definitions. Built-in kinds have no definitions, and the rules of webhooks are
code: both are listed here, each with its source.
"""

import functools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from clustergen.base.text_lists import words

_FILE = Path(__file__).with_name("kubernetes-updates.json")

Fixed = Literal["value", "presence", "once", "always"]
"""How a field is fixed.

``value``: another value is rejected; it may come and go. ``presence``: it neither comes nor goes.
``once``: once set, it stays as it is. ``always``: no change is accepted.
"""


class Field(NamedTuple):
    """A field, by its path: ``[name]`` stands for the items of a list, known by that key."""

    path: str
    fixed: Fixed
    source: str
    only_while: str = ""
    """A field that the old object has to have; empty if the rule always applies."""
    but: tuple[str, ...] = ()
    """The fields below it that can change."""
    unless_last: tuple[str, str] | None = None
    """Key and value that the last item of the list has before and after a change it accepts."""


_KUBERNETES = "https://github.com/kubernetes/kubernetes/blob/v1.35.0/pkg/apis"
_CORE = f"{_KUBERNETES}/core/validation/validation.go"
_APPS = f"{_KUBERNETES}/apps/validation/validation.go"
_RBAC = f"{_KUBERNETES}/rbac/validation/validation.go"
_STORAGE = f"{_KUBERNETES}/storage/validation/validation.go"
_RESOURCE = f"{_KUBERNETES}/resource/validation/validation.go"
_KUEUE = "https://github.com/kubernetes-sigs/kueue/blob/v0.19.2/pkg/webhooks"
_VOLCANO = "https://github.com/volcano-sh/volcano/blob/v1.15.1/pkg/webhooks/admission"
_TRAINING = "https://github.com/kubeflow/training-operator/blob/v1.9.0/pkg/common/util/webhooks.go"


def _always(source: str, paths: str) -> tuple[Field, ...]:
    return tuple(Field(path, "always", source) for path in words(paths))


_SEALED = _always(_CORE, "immutable data binaryData stringData")
_WORKLOAD = _always(_APPS, "spec.selector")
_JOB = f"{_KUBERNETES}/batch/validation/validation.go"
_QUEUE = _always(f"{_KUEUE}/clusterqueue_webhook.go", "spec.concurrentAdmissionPolicy")
_STATEFUL = words("""
    spec.replicas spec.ordinals spec.template spec.updateStrategy
    spec.persistentVolumeClaimRetentionPolicy spec.minReadySeconds spec.revisionHistoryLimit
""")

BUILT_IN: Mapping[str, tuple[Field, ...]] = {
    "apps/v1/DaemonSet": _WORKLOAD,
    "apps/v1/Deployment": _WORKLOAD,
    "apps/v1/StatefulSet": (Field("spec", "always", _APPS, but=_STATEFUL),),
    "batch/v1/Job": _always(
        _JOB,
        """
        spec.template spec.selector spec.completionMode spec.completions spec.podFailurePolicy
        spec.successPolicy spec.backoffLimitPerIndex spec.managedBy
        """,
    ),
    "node.k8s.io/v1/RuntimeClass": _always(
        f"{_KUBERNETES}/node/validation/validation.go", "handler"
    ),
    "rbac.authorization.k8s.io/v1/ClusterRoleBinding": _always(_RBAC, "roleRef"),
    "rbac.authorization.k8s.io/v1/RoleBinding": _always(_RBAC, "roleRef"),
    "resource.k8s.io/v1/ResourceClaim": _always(_RESOURCE, "spec"),
    "resource.k8s.io/v1/ResourceClaimTemplate": _always(_RESOURCE, "spec"),
    "scheduling.k8s.io/v1/PriorityClass": _always(
        f"{_KUBERNETES}/scheduling/validation/validation.go", "value preemptionPolicy"
    ),
    "storage.k8s.io/v1/CSIDriver": _always(
        _STORAGE, "spec.attachRequired spec.volumeLifecycleModes"
    ),
    "storage.k8s.io/v1/StorageClass": _always(
        _STORAGE, "parameters provisioner reclaimPolicy volumeBindingMode"
    ),
    "v1/ConfigMap": tuple(each._replace(only_while="immutable=true") for each in _SEALED),
    "v1/PersistentVolume": (
        *_always(_CORE, "spec.csi spec.nfs spec.hostPath spec.local spec.volumeMode"),
        Field("spec.nodeAffinity", "once", _CORE),
    ),
    # Requests grow where the class allows it, which clustergen.bundle.effects decides.
    "v1/PersistentVolumeClaim": (
        Field(
            "spec",
            "always",
            _CORE,
            but=("spec.resources.requests", "spec.volumeAttributesClassName"),
        ),
    ),
    "v1/Secret": (
        *_always(_CORE, "type"),
        *(each._replace(only_while="immutable=true") for each in _SEALED),
    ),
    "v1/Service": (Field("spec.clusterIP", "value", _CORE),),
}

WEBHOOKS: Mapping[str, tuple[Field, ...]] = {
    "batch.volcano.sh/v1alpha1/Job": (
        Field(
            "spec",
            "always",
            f"{_VOLCANO}/jobs/validate/admit_job.go",
            but=(
                "spec.minAvailable",
                "spec.priorityClassName",
                "spec.tasks[name].replicas",
                "spec.tasks[name].minAvailable",
            ),
        ),
    ),
    "kubeflow.org/v1/PyTorchJob": _always(_TRAINING, "spec.runPolicy.managedBy"),
    "kueue.x-k8s.io/v1beta1/ClusterQueue": _QUEUE,
    "kueue.x-k8s.io/v1beta2/ClusterQueue": _QUEUE,
}


def fields(api_version: str, kind: str) -> tuple[Field, ...]:
    """The fixed fields of a kind; of another version of its API, those of the version known."""
    key = f"{api_version}/{kind}"
    known = _all()
    return known.get(key) or known.get(f"{api_version.rpartition('/')[0]}/*/{kind}", ())


@functools.cache
def _all() -> Mapping[str, tuple[Field, ...]]:
    """By ``apiVersion/kind``, and by ``group/*/kind`` for versions that are not listed."""
    found: dict[str, tuple[Field, ...]] = {}
    for key, rows in (*BUILT_IN.items(), *WEBHOOKS.items(), *_custom()):
        found[key] = (*found.get(key, ()), *rows)
    for key, rows in dict(found).items():
        group, _, kind = key.rpartition("/")
        found[f"{group.rpartition('/')[0]}/*/{kind}"] = rows
    return found


def _custom() -> Iterator[tuple[str, tuple[Field, ...]]]:
    data = json.loads(_FILE.read_text(encoding="utf-8"))
    for key, rows in data["$defs"].items():
        yield (
            key,
            tuple(
                Field(
                    row["path"],
                    row["fixed"],
                    data["projects"][row["project"]]["source"],
                    row.get("while", ""),
                    unless_last=next(iter(row.get("unless_last", {}).items()), None),
                )
                for row in rows
            ),
        )
