"""What dcgm-exporter measures in a cluster: a ConfigMap that its chart mounts."""

from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.base.yaml_text import Lines
from clustergen.plan.model import Plan
from clustergen.services.kubernetes import charts
from clustergen.services.kubernetes.manifest import kubernetes_object
from clustergen.services.monitoring import counters

_NAME = "dcgm-counters"
_FILE = "counters.csv"
_FOLDER = "/etc/clustergen"


def is_on(plan: Plan) -> bool:
    """Whether a Prometheus collects the metrics."""
    gpus = any(group.type.gpus for group in plan.node_groups)
    return gpus and plan.monitoring.scraped


def objects() -> Iterator[Json]:
    """All objects, in order of creation; the chart needs them."""
    namespace = charts.DCGM_EXPORTER.namespace
    yield kubernetes_object("v1", "Namespace", namespace)
    data = {_FILE: Lines(counters.csv())}
    yield kubernetes_object("v1", "ConfigMap", _NAME, namespace=namespace, data=data)


def values() -> Json:
    """Of the chart.

    https://github.com/NVIDIA/dcgm-exporter/blob/main/deployment/values.yaml
    """
    return {
        "arguments": ["-f", f"{_FOLDER}/{_FILE}"],
        "extraConfigMapVolumes": [{"name": _NAME, "configMap": {"name": _NAME}}],
        "extraVolumeMounts": [{"name": _NAME, "mountPath": _FOLDER, "readOnly": True}],
    }
