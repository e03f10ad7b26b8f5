"""Objects of the MPI operator, which has no chart.

Permissions and arguments: https://github.com/kubeflow/mpi-operator deploy/v2beta1
(0.8, 2026-07).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.base.yaml_files import read
from clustergen.deployment.software.model import MPI, MPI_JOBS
from clustergen.plan.images import pulled
from clustergen.plan.model import Plan
from clustergen.services.kubernetes import labels_and_taints
from clustergen.services.kubernetes.manifest import account, allow, kubernetes_object

NAME = MPI
"""Name of the operator and its namespace."""
VERSION = "0.8.2"
IMAGE = f"mpioperator/mpi-operator:{VERSION}"
CRD = MPI_JOBS
API = "kubeflow.org/v2beta1"

_LABELS = {"app": NAME}


def is_on(plan: Plan) -> bool:
    """Whether the cluster has the MPI operator."""
    return plan.kubernetes.jobs == "mpi-operator"


def objects(plan: Plan) -> Iterator[Json]:
    """All objects, in order of creation."""
    yield kubernetes_object("v1", "Namespace", NAME)
    spec = read(Path(__file__).with_name("mpijobs.yaml"))
    yield kubernetes_object("apiextensions.k8s.io/v1", "CustomResourceDefinition", CRD, spec=spec)
    yield from account(NAME, NAME, _MAY)
    yield kubernetes_object(
        "apps/v1", "Deployment", NAME, namespace=NAME, labels=_LABELS, spec=_deployment(plan)
    )


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
