"""Scrape configuration of Prometheus: the API server, nodes, and annotated pods.

https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html#AMP-collector-configuration
"""

from __future__ import annotations

from typing import Any

from clustergen.artifacts import Json

INTERVAL = "30s"

_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"  # noqa: S105 a path
_AUTHORIZED: Json = {"scheme": "https", "bearer_token_file": _TOKEN}


def configuration() -> Json:
    """The configuration of the scraper, for :func:`clustergen.yaml_text.yaml_text`."""
    return {
        "global": {"scrape_interval": INTERVAL},
        "scrape_configs": [
            _job("kubernetes-apiservers", "endpoints", _API_SERVER, **_AUTHORIZED),
            _job("kubernetes-nodes", "node", _through_api("metrics"), **_AUTHORIZED),
            _job("kubernetes-cadvisor", "node", _through_api("metrics/cadvisor"), **_AUTHORIZED),
            _job("kubernetes-pods", "pod", _ANNOTATED),
        ],
    }


def _job(name: str, role: str, relabel: list[Json], **more: Any) -> Json:
    return {
        "job_name": name,
        **more,
        "kubernetes_sd_configs": [{"role": role}],
        "relabel_configs": relabel,
    }


_API_SERVER: list[Json] = [
    {
        "source_labels": [
            "__meta_kubernetes_namespace",
            "__meta_kubernetes_service_name",
            "__meta_kubernetes_endpoint_port_name",
        ],
        "action": "keep",
        "regex": "default;kubernetes;https",
    }
]


def _through_api(path: str) -> list[Json]:
    """Metrics of kubelets through the API server."""
    return [
        {"action": "labelmap", "regex": "__meta_kubernetes_node_label_(.+)"},
        {"target_label": "__address__", "replacement": "kubernetes.default.svc:443"},
        {
            "source_labels": ["__meta_kubernetes_node_name"],
            "regex": "(.+)",
            "target_label": "__metrics_path__",
            "replacement": f"/api/v1/nodes/$1/proxy/{path}",
        },
    ]


_POD = "__meta_kubernetes_pod_annotation_prometheus_io"
_ANNOTATED: list[Json] = [
    {"source_labels": [f"{_POD}_scrape"], "action": "keep", "regex": "true"},
    {
        "source_labels": [f"{_POD}_path"],
        "action": "replace",
        "regex": "(.+)",
        "target_label": "__metrics_path__",
    },
    {
        "source_labels": ["__address__", f"{_POD}_port"],
        "action": "replace",
        "regex": r"([^:]+)(?::\d+)?;(\d+)",
        "replacement": "$1:$2",
        "target_label": "__address__",
    },
    {"source_labels": ["__meta_kubernetes_namespace"], "target_label": "namespace"},
    {"source_labels": ["__meta_kubernetes_pod_name"], "target_label": "pod"},
    {"source_labels": ["__meta_kubernetes_pod_node_name"], "target_label": "node"},
]
