"""What the managed scraper collects, and what of it is kept.

Each job keeps the metrics that alerts and dashboards read: samples cost money, and a kubelet alone
has thousands of series. Pods of users are collected whole if they ask for it.
https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html#AMP-collector-configuration
"""

from collections.abc import Iterator
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import words
from clustergen.plan.model import Plan
from clustergen.services.kubernetes import charts, karpenter, kueue, node_metrics
from clustergen.services.monitoring import names

_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount/token"  # noqa: S105 a path
_AUTHORIZED: Json = {"scheme": "https", "bearer_token_file": _TOKEN}


def configuration(plan: Plan) -> Json:
    """The configuration of the scraper, for :func:`clustergen.base.yaml_text.yaml_text`."""
    return {
        "global": {"scrape_interval": f"{plan.monitoring.interval_seconds}s"},
        "scrape_configs": [_labelled(plan, job) for job in _jobs(plan)],
    }


def _jobs(plan: Plan) -> Iterator[Json]:
    yield _job("kubernetes-apiservers", "endpoints", _API_SERVER, _API_METRICS, **_AUTHORIZED)
    yield _kubelet(plan, "kubernetes-nodes", "/metrics", _KUBELET)
    yield _kubelet(plan, "kubernetes-cadvisor", "/metrics/cadvisor", _CADVISOR)
    yield _job(names.HOST, "pod", [_pods_of(node_metrics.NAME), _NODE_OF_POD])
    if any(group.type.gpus for group in plan.node_groups):
        dropped = {"action": "labeldrop", "regex": "|".join(names.DROPPED_LABELS)}
        yield _job(names.DCGM, "pod", [_pods_of("dcgm-exporter"), _NODE_OF_POD], [dropped])
    yield _job(names.KUBE_STATE, "endpoints", [_port("kube-state-metrics", "http")], _KUBE_STATE)
    if kueue.is_on(plan):
        service = "kueue-controller-manager-metrics-service"
        # Its certificate is its own.
        own = {**_AUTHORIZED, "tls_config": {"insecure_skip_verify": True}}
        # A Service of this name elsewhere, which users may create, would get the token.
        only = {**_IN_NAMESPACE, "regex": charts.KUEUE.namespace}
        yield _job(names.KUEUE, "endpoints", [only, _port(service, "https")], _KUEUE, **own)
    if karpenter.is_on(plan):
        yield _job(names.KARPENTER, "endpoints", [_port("karpenter", "http-metrics")], _KARPENTER)
    yield _job("kubernetes-pods", "pod", _ANNOTATED)


def _job(
    name: str, role: str, relabel: list[Json], metrics: list[Json] | None = None, **more: Any
) -> Json:
    return {
        "job_name": name,
        **more,
        "kubernetes_sd_configs": [{"role": role}],
        "relabel_configs": relabel,
        **({"metric_relabel_configs": metrics} if metrics else {}),
    }


def _labelled(plan: Plan, job: Json) -> Json:
    """With the label that rules and dashboards select a cluster by."""
    cluster = {"target_label": names.CLUSTER, "replacement": plan.name}
    return {**job, "relabel_configs": [*job["relabel_configs"], cluster]}


def _kept(text: str) -> list[Json]:
    return [{"source_labels": ["__name__"], "action": "keep", "regex": "|".join(words(text))}]


_API_METRICS = _kept("""
    apiserver_request_total apiserver_request_duration_seconds_sum
    apiserver_request_duration_seconds_count apiserver_current_inflight_requests
""")
_KUBELET = _kept("""
    kubelet_running_pods kubelet_running_containers kubelet_node_name
    kubelet_volume_stats_available_bytes kubelet_volume_stats_capacity_bytes
""")
_CADVISOR = [
    *_kept("""
        container_cpu_usage_seconds_total container_memory_working_set_bytes
        container_network_receive_bytes_total container_network_transmit_bytes_total
        container_oom_events_total
    """),
    # Those of control groups above containers would be one series, without their ids.
    {
        "source_labels": ["__name__", "container"],
        "action": "drop",
        "regex": "container_(cpu|memory|oom)_.*;",
    },
    {"action": "labeldrop", "regex": "id|name|image"},
]
_KUBE_STATE = _kept("""
    kube_node_status_condition kube_node_spec_unschedulable kube_node_status_allocatable
    kube_node_status_capacity kube_pod_status_phase kube_pod_container_status_restarts_total
    kube_pod_container_resource_requests kube_job_status_failed kube_job_status_succeeded
""")
_KUEUE = _kept("""
    kueue_pending_workloads kueue_admitted_active_workloads kueue_evicted_workloads_total
    kueue_preempted_workloads_total kueue_admission_wait_time_seconds_bucket
    kueue_admission_wait_time_seconds_sum kueue_admission_wait_time_seconds_count
    kueue_cluster_queue_resource_usage kueue_cluster_queue_nominal_quota
    kueue_cluster_queue_status
""")
_KARPENTER = _kept("""
    karpenter_nodeclaims_created_total karpenter_nodeclaims_terminated_total
    karpenter_cloudprovider_instance_launch_failures_total
    karpenter_interruption_received_messages_total karpenter_nodepools_limit
    karpenter_nodepools_usage
""")
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


def _port(service: str, port: str) -> Json:
    """The endpoints of a port of a service."""
    labels = ["__meta_kubernetes_service_name", "__meta_kubernetes_endpoint_port_name"]
    return {"source_labels": labels, "action": "keep", "regex": f"{service};{port}"}


_NAME = "__meta_kubernetes_pod_label_app_kubernetes_io_name"
_NODE_OF_POD: Json = {
    "source_labels": ["__meta_kubernetes_pod_node_name"],
    "target_label": names.NODE,
}


def _pods_of(app: str) -> Json:
    return {"source_labels": [_NAME], "action": "keep", "regex": app}


def _kubelet(plan: Plan, name: str, path: str, metrics: list[Json]) -> Json:
    """Metrics of each node's kubelet.

    The managed scraper asks the API server, for which AWS gives it nodes/proxy. With that, a token
    can run commands in every pod, so that our own Prometheus asks the kubelets, with nodes/metrics:
    https://kubernetes.io/docs/reference/access-authn-authz/kubelet-authn-authz/
    """
    node = "__meta_kubernetes_node_name"
    relabel: list[Json] = [{"source_labels": [node], "target_label": names.NODE}]
    if plan.monitoring.metrics == "self-hosted":
        return _job(name, "node", relabel, metrics, metrics_path=path, **_AUTHORIZED)
    proxied = {"target_label": "__metrics_path__", "replacement": f"/api/v1/nodes/$1/proxy{path}"}
    relabel += [
        {"target_label": "__address__", "replacement": "kubernetes.default.svc:443"},
        {"source_labels": [node], "regex": "(.+)", **proxied},
    ]
    return _job(name, "node", relabel, metrics, **_AUTHORIZED)


_IN_NAMESPACE: Json = {"source_labels": ["__meta_kubernetes_namespace"], "action": "keep"}
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
