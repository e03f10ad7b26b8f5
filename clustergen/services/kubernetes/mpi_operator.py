"""Objects of the MPI operator, which has no chart.

Permissions and arguments: https://github.com/kubeflow/mpi-operator deploy/v2beta1
(0.8, 2026-07).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.plan.images import pulled
from clustergen.plan.model import Plan
from clustergen.services.kubernetes import labels_and_taints
from clustergen.services.kubernetes.manifest import account, allow, kubernetes_object

NAME = "mpi-operator"
"""Name of the operator and its namespace."""
VERSION = "0.8.2"
IMAGE = f"mpioperator/mpi-operator:{VERSION}"
CRD = "mpijobs.kubeflow.org"
API = "kubeflow.org/v2beta1"

_LABELS = {"app": NAME}


def is_on(plan: Plan) -> bool:
    """Whether the cluster has the MPI operator."""
    return plan.kubernetes.jobs == "mpi-operator"


def objects(plan: Plan) -> Iterator[Json]:
    """All objects, in order of creation."""
    yield kubernetes_object("v1", "Namespace", NAME)
    yield kubernetes_object(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", CRD, spec=_definition()
    )
    yield from account(NAME, NAME, _MAY)
    yield kubernetes_object(
        "apps/v1", "Deployment", NAME, namespace=NAME, labels=_LABELS, spec=_deployment(plan)
    )


_Property = Mapping[str, Any]
_ANYTHING: _Property = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_TEXT: _Property = {"type": "string"}


def _members(**properties: _Property) -> Json:
    return {"type": "object", "properties": {name: {**p} for name, p in properties.items()}}


def _map(of: _Property) -> Json:
    return {"type": "object", "additionalProperties": {**of}}


def _number(bits: int, **more: int) -> Json:
    return {"type": "integer", "format": f"int{bits}", **more}


def _flag() -> Json:
    return {"type": "boolean", "default": False}


# Names, types and defaults of v2beta1: the API server rejects others. It validates pods when the
# operator creates them.
# https://github.com/kubeflow/mpi-operator pkg/apis/kubeflow/v2beta1/types.go (0.8.0, 2026-07)
_SPEC: Json = {
    **_members(
        launcherCreationPolicy={**_TEXT, "default": "AtStartup"},
        mpiImplementation={**_TEXT, "default": "OpenMPI", "enum": ["OpenMPI", "Intel", "MPICH"]},
        mpiReplicaSpecs=_map(
            _members(replicas=_number(32), restartPolicy=_TEXT, template=_ANYTHING)
        ),
        runLauncherAsWorker=_flag(),
        runPolicy=_members(
            activeDeadlineSeconds=_number(64),
            backoffLimit=_number(32),
            cleanPodPolicy=_TEXT,
            managedBy=_TEXT,
            schedulingPolicy=_members(
                minAvailable=_number(32),
                minResources=_map({"x-kubernetes-int-or-string": True}),
                priorityClass=_TEXT,
                queue=_TEXT,
                scheduleTimeoutSeconds=_number(32),
            ),
            suspend=_flag(),
            ttlSecondsAfterFinished=_number(32),
        ),
        slotsPerWorker=_number(32, default=1),
        sshAuthMountPath={**_TEXT, "default": "/root/.ssh"},
    ),
    "required": ["mpiReplicaSpecs"],
}


def _definition() -> Json:
    schema = _members(
        apiVersion=_TEXT, kind=_TEXT, metadata={"type": "object"}, spec=_SPEC, status=_ANYTHING
    )
    return {
        "group": "kubeflow.org",
        "names": {
            "kind": "MPIJob",
            "listKind": "MPIJobList",
            "plural": "mpijobs",
            "singular": "mpijob",
        },
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v2beta1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": schema},
            }
        ],
    }


_MAY = [
    allow("", "configmaps secrets services", "create list watch update"),
    allow("", "pods", "create get list watch delete update patch"),
    # The operator grants it to the launcher, and so must have it too.
    allow("", "pods/exec", "create"),
    allow("", "endpoints", "create get update"),
    allow("", "events", "create patch"),
    allow("batch", "jobs", "create get list watch update patch delete"),
    allow("apiextensions.k8s.io", "customresourcedefinitions", "create get"),
    allow("kubeflow.org", "mpijobs mpijobs/finalizers mpijobs/status", "*"),
    allow("coordination.k8s.io", "leases", "*"),
    allow("scheduling.volcano.sh", "queues podgroups", "*"),
    allow("scheduling.x-k8s.io", "podgroups", "*"),
    allow("scheduling.k8s.io", "priorityclasses", "get list watch"),
]


def _deployment(plan: Plan) -> Json:
    together = ["--gang-scheduling=volcano"] if plan.kubernetes.scheduler == "volcano" else []
    container: dict[str, Any] = {
        "name": NAME,
        "image": pulled(plan, IMAGE),
        "args": ["-alsologtostderr", f"--lock-namespace={NAME}", *together],
        "resources": {
            "requests": {"cpu": "100m", "memory": "128Mi"},
            "limits": {"memory": "512Mi"},
        },
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    pod = {
        "serviceAccountName": NAME,
        "nodeSelector": labels_and_taints.on_system_nodes(plan),
        "containers": [container],
    }
    return {
        "replicas": 1,
        "selector": {"matchLabels": _LABELS},
        "template": {"metadata": {"labels": _LABELS}, "spec": pod},
    }
