"""Metrics of nodes: a pod on each, with the script that nodes of the other services run."""

from collections.abc import Iterator
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.base.digests import sha256
from clustergen.base.yaml_text import Lines
from clustergen.plan.images import PYTHON, pulled
from clustergen.plan.model import Plan
from clustergen.services.kubernetes.manifest import CONFINED, kubernetes_object
from clustergen.services.monitoring import files

NAME = "node-metrics"
NAMESPACE = "node-metrics"
PORT = 9101

_LABELS = {"app.kubernetes.io/name": NAME}
_FOLDER = "/opt/clustergen"
# On the root volume, where the container, kubelet and the logs of pods are on local disks, too:
# https://github.com/awslabs/amazon-eks-ami, setup-local-disks (2026-11)
_ON_ROOT_VOLUME = "/var/log"


def is_on(plan: Plan) -> bool:
    """Whether a Prometheus collects the metrics."""
    return plan.monitoring.scraped


def objects(plan: Plan) -> Iterator[Json]:
    """All objects, in order of creation."""
    script = files.node_metrics()
    yield kubernetes_object("v1", "Namespace", NAMESPACE)
    yield kubernetes_object(
        "v1", "ConfigMap", NAME, namespace=NAMESPACE, data={"node_metrics.py": Lines(script)}
    )
    yield kubernetes_object(
        "apps/v1",
        "DaemonSet",
        NAME,
        namespace=NAMESPACE,
        spec=_daemon_set(plan, sha256(script)[:16]),
    )


def _daemon_set(plan: Plan, version: str) -> dict[str, Any]:
    # A changed script is a changed template, and so new pods.
    labels = {**_LABELS, "app.kubernetes.io/version": version}
    return {
        "selector": {"matchLabels": _LABELS},
        "updateStrategy": {"rollingUpdate": {"maxUnavailable": "10%"}},
        "template": {"metadata": {"labels": labels}, "spec": _pod(plan)},
    }


def _pod(plan: Plan) -> dict[str, Any]:
    """It sees the node's processes and devices, and changes nothing: it has no rights there."""
    places = {"proc": "/proc", "sys": "/sys", "log": _ON_ROOT_VOLUME}
    return {
        "hostNetwork": True,
        "hostPID": True,
        "automountServiceAccountToken": False,
        "priorityClassName": "system-node-critical",
        # Nodes of all groups, whatever their taints.
        "tolerations": [{"operator": "Exists"}],
        "containers": [
            {
                "name": NAME,
                "image": pulled(plan, PYTHON),
                "command": _command(),
                "ports": [{"name": "metrics", "containerPort": PORT}],
                "resources": {
                    "requests": {"cpu": "20m", "memory": "32Mi"},
                    "limits": {"memory": "128Mi"},
                },
                "securityContext": CONFINED,
                "volumeMounts": [
                    {"name": "script", "mountPath": _FOLDER, "readOnly": True},
                    *(
                        {"name": name, "mountPath": f"/host{path}", "readOnly": True}
                        for name, path in places.items()
                    ),
                ],
            }
        ],
        "volumes": [
            {"name": "script", "configMap": {"name": NAME}},
            *({"name": name, "hostPath": {"path": path}} for name, path in places.items()),
        ],
    }


def _command() -> list[str]:
    script = ["python3", f"{_FOLDER}/node_metrics.py", "--listen", f"0.0.0.0:{PORT}"]
    places = ("--sys", "/host/sys", "--proc", "/host/proc", "--root", f"/host{_ON_ROOT_VOLUME}")
    return [*script, "--host", *places]
