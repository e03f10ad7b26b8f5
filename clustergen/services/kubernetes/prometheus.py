"""Prometheus and Alertmanager in the cluster, on its system nodes.

Prometheus keeps its samples on an EBS volume, which a pod on another node gets back.
https://prometheus.io/docs/prometheus/latest/storage/
"""

from collections.abc import Iterator
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.base.digests import sha256
from clustergen.base.yaml_text import Lines, yaml_text
from clustergen.plan.images import pulled
from clustergen.plan.model import Plan
from clustergen.services.aws import references
from clustergen.services.kubernetes import labels_and_taints, scraping, storage_class
from clustergen.services.kubernetes.manifest import CONFINED, account, allow, kubernetes_object
from clustergen.services.monitoring import alertmanager, names
from clustergen.services.monitoring.rules import rule_groups

NAMESPACE = "prometheus"
PROMETHEUS = "prometheus"
ALERTMANAGER = "alertmanager"
PROMETHEUS_IMAGE = "quay.io/prometheus/prometheus:v2.53.3"
ALERTMANAGER_IMAGE = "quay.io/prometheus/alertmanager:v0.28.1"
"""The versions that the tests run."""
PROMETHEUS_PORT, ALERTMANAGER_PORT = 9090, 9093
VOLUME_GIB = 100
RETENTION = "30d"

_NOBODY = 65534
"""User and group of both images."""
_CONFIGURATION = "/etc/configuration"
_RULES = "/etc/rules"
_AUTHORITY = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"


def is_on(plan: Plan) -> bool:
    """Whether the cluster stores its metrics itself."""
    return plan.monitoring.metrics == "self-hosted"


def objects(plan: Plan) -> Iterator[Json]:
    """All objects, in order of creation."""
    yield kubernetes_object("v1", "Namespace", NAMESPACE)
    yield from _prometheus(plan)
    if plan.monitoring.alerts.wanted:
        yield from _alertmanager(plan)


def configuration(plan: Plan) -> Json:
    """Prometheus's file: what a managed scraper collects, and where rules and alerts go."""
    scraped = scraping.configuration(plan)
    address = f"{ALERTMANAGER}.{NAMESPACE}.svc:{ALERTMANAGER_PORT}"
    alerting = {"alertmanagers": [{"static_configs": [{"targets": [address]}]}]}
    return {
        "global": {**scraped["global"], "evaluation_interval": "60s"},
        "rule_files": [f"{_RULES}/*.yaml"],
        **({"alerting": alerting} if plan.monitoring.alerts.wanted else {}),
        "scrape_configs": [_verified(job) for job in scraped["scrape_configs"]],
    }


def rules(plan: Plan) -> dict[str, str]:
    """The rules, by file."""
    return {f"{name}.yaml": yaml_text(file) for name, file in rule_groups(plan).items()}


def _verified(job: Json) -> Json:
    """The certificate of the API server is from the cluster's own authority."""
    if "bearer_token_file" not in job or "tls_config" in job:
        return job
    return {**job, "tls_config": {"ca_file": _AUTHORITY}}


def _prometheus(plan: Plan) -> Iterator[Json]:
    own = {"prometheus.yaml": yaml_text(configuration(plan))}
    alerts = rules(plan)
    yield from account(PROMETHEUS, NAMESPACE, _MAY)
    yield _files(PROMETHEUS, own)
    yield _files("rules", alerts)
    yield _service(PROMETHEUS, PROMETHEUS_PORT)
    container = {
        "name": PROMETHEUS,
        "image": pulled(plan, PROMETHEUS_IMAGE),
        "args": [
            f"--config.file={_CONFIGURATION}/prometheus.yaml",
            "--storage.tsdb.path=/prometheus",
            f"--storage.tsdb.retention.time={RETENTION}",
            # Below the size of the volume: a full one stops it.
            f"--storage.tsdb.retention.size={VOLUME_GIB * 8 // 10}GB",
        ],
        "ports": [{"name": "http", "containerPort": PROMETHEUS_PORT}],
        "readinessProbe": _probe("/-/ready"),
        "livenessProbe": {**_probe("/-/healthy"), "failureThreshold": 10},
        "resources": {"requests": {"cpu": "250m", "memory": "1Gi"}, "limits": {"memory": "4Gi"}},
        "securityContext": CONFINED,
        "volumeMounts": [
            _mount("configuration", _CONFIGURATION),
            _mount("rules", _RULES),
            {"name": "data", "mountPath": "/prometheus"},
        ],
    }
    volumes = [_volume("configuration", PROMETHEUS), _volume("rules", "rules")]
    claim = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": storage_class.NAME,
        "resources": {"requests": {"storage": f"{VOLUME_GIB}Gi"}},
    }
    yield _object(
        "apps/v1",
        "StatefulSet",
        PROMETHEUS,
        spec={
            **_template(PROMETHEUS, container, volumes, own | alerts),
            "serviceName": PROMETHEUS,
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": claim}],
        },
    )


def _alertmanager(plan: Plan) -> Iterator[Json]:
    topic = plan.monitoring.alerts.topic or references.placeholder(names.TOPIC_OUTPUT)
    text = yaml_text(alertmanager.configuration(sns_topic=topic, region=plan.region))
    own = {"alertmanager.yaml": text}
    yield _object("v1", "ServiceAccount", ALERTMANAGER)
    yield _files(ALERTMANAGER, own)
    yield _service(ALERTMANAGER, ALERTMANAGER_PORT)
    container = {
        "name": ALERTMANAGER,
        "image": pulled(plan, ALERTMANAGER_IMAGE),
        "args": [
            f"--config.file={_CONFIGURATION}/alertmanager.yaml",
            "--storage.path=/alertmanager",
            "--cluster.listen-address=",  # one replica
        ],
        "ports": [{"name": "http", "containerPort": ALERTMANAGER_PORT}],
        "readinessProbe": _probe("/-/ready"),
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "256Mi"}},
        "securityContext": CONFINED,
        "volumeMounts": [
            _mount("configuration", _CONFIGURATION),
            {"name": "data", "mountPath": "/alertmanager"},
        ],
    }
    volumes = [_volume("configuration", ALERTMANAGER), {"name": "data", "emptyDir": {}}]
    spec = {"replicas": 1, **_template(ALERTMANAGER, container, volumes, own)}
    yield _object("apps/v1", "Deployment", ALERTMANAGER, spec=spec)


def _template(
    name: str, container: Json, volumes: list[Json], configuration: dict[str, str]
) -> dict[str, Any]:
    labels = {"app.kubernetes.io/name": name}
    # A changed configuration is a changed template, and so a new pod.
    version = {"app.kubernetes.io/version": sha256("".join(configuration.values()))[:16]}
    pod = {
        "serviceAccountName": name,
        "nodeSelector": {labels_and_taints.NODE_GROUP_LABEL: labels_and_taints.SYSTEM},
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _NOBODY,
            "runAsGroup": _NOBODY,
            "fsGroup": _NOBODY,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
        "volumes": volumes,
    }
    return {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": {**labels, **version}}, "spec": pod},
    }


def _object(api: str, kind: str, name: str, **members: Any) -> Json:
    return kubernetes_object(api, kind, name, namespace=NAMESPACE, **members)


def _files(name: str, texts: dict[str, str]) -> Json:
    return _object(
        "v1", "ConfigMap", name, data={path: Lines(text) for path, text in texts.items()}
    )


def _service(name: str, port: int) -> Json:
    ports = [{"name": "http", "port": port, "targetPort": "http"}]
    spec = {"selector": {"app.kubernetes.io/name": name}, "ports": ports}
    return _object("v1", "Service", name, spec=spec)


def _probe(path: str) -> Json:
    return {"httpGet": {"path": path, "port": "http"}, "periodSeconds": 15}


def _mount(name: str, path: str) -> Json:
    return {"name": name, "mountPath": path, "readOnly": True}


def _volume(name: str, config_map: str) -> Json:
    return {"name": name, "configMap": {"name": config_map}}


_MAY = [
    allow("", "nodes nodes/metrics services endpoints pods", "get list watch"),
    {"nonResourceURLs": ["/metrics"], "verbs": ["get"]},
]
"""What the jobs of the configuration discover and read."""
