"""The configuration of Kueue's controller, which its chart takes as one text.

All of the chart's defaults are in it, because the text replaces them.
"""

from collections.abc import Mapping
from pathlib import Path

from clustergen.base.artifacts import Json
from clustergen.base.yaml_files import read
from clustergen.base.yaml_text import Lines, yaml_text
from clustergen.facts.catalog import ultraservers
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import claims, karpenter, names

READY_MINUTES = 30
"""How long a job waits for all its pods: a node of Karpenter takes some ten minutes to join, and
large images take as long again."""
TRIES = 10
"""After so many tries a job is deactivated: each try pays for the nodes that did come."""

_DEFAULTS: Json = read(Path(__file__).with_name("kueue_defaults.yaml"))


def values(plan: Plan) -> Json:
    """Values of the chart; empty where its own configuration will do."""
    own = {**_metrics(plan), **_waiting(plan), **_resources(plan)}
    if not own:
        return {}
    configuration = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        **_DEFAULTS,
        **own,
    }
    return {"managerConfig": {"controllerManagerConfigYaml": Lines(yaml_text(configuration))}}


def _metrics(plan: Plan) -> Json:
    """Quotas and their use, which Kueue does not export by default; dashboards show them.

    https://kueue.sigs.k8s.io/docs/reference/metrics/#optional-metrics (2026-08)
    """
    if not plan.monitoring.scraped:
        return {}
    return {"metrics": {**_DEFAULTS["metrics"], "enableClusterQueueResources": True}}


def claimed(plan: Plan, group: NodeGroup) -> Mapping[str, int]:
    """Devices of a node that Kueue counts in claims: name of the quota -> number."""
    found = {quota: count for quota, _, count in _devices(plan, group)}
    return {quota: count for quota, count in found.items() if count}


def _waiting(plan: Plan) -> Json:
    """Gives nodes back where not all of a job's came: Karpenter starts them one by one.

    Without this, three of four nodes would wait for the fourth, and cost money, without an end.
    https://kueue.sigs.k8s.io/docs/tasks/manage/setup_wait_for_pods_ready/ (2026-08)
    """
    if not karpenter.groups(plan):
        return {}
    return {
        "waitForPodsReady": {
            "timeout": f"{READY_MINUTES}m",
            # Of a job that has run, and waits for the replacement of a node.
            "recoveryTimeout": f"{READY_MINUTES}m",
            # Jobs for other nodes do not wait.
            "blockAdmission": False,
            "requeuingStrategy": {
                # Behind other jobs, which may need fewer nodes.
                "timestamp": "Eviction",
                "backoffLimitCount": TRIES,
                "backoffBaseSeconds": 300,
                "backoffMaxSeconds": 3600,
            },
        }
    }


def _resources(plan: Plan) -> Json:
    """Names by which quotas count claims: Kueue admits no job with a device class that has none.

    The gate KueueDRAIntegration is on by default since 0.18 (its pkg/features/kube_features.go).
    https://kueue.sigs.k8s.io/docs/concepts/dynamic_resource_allocation/ (0.19, 2026-08)
    """
    classes = device_classes(plan)
    if not classes:
        return {}
    mappings = [{"name": quota, "deviceClassNames": [kind]} for quota, kind in classes.items()]
    return {"resources": {"deviceClassMappings": mappings}}


def device_classes(plan: Plan) -> Mapping[str, str]:
    """The name of the quota -> the device class that it counts in claims."""
    return {
        quota: device_class
        for group in plan.node_groups
        for quota, device_class, count in _devices(plan, group)
        if count
    }


def _devices(plan: Plan, group: NodeGroup) -> tuple[tuple[str, str, int], ...]:
    """Name of the quota, device class, and number of a node."""
    domains = any(ultraservers.containing(type.name) for type in group.types if type.gpus)
    channels = (names.CHANNEL_RESOURCE, names.CHANNEL_CLASS, int(domains))
    if not claims.is_on(plan):
        return (channels,)
    return (
        (names.GPU_RESOURCE, names.GPU_CLASS, group.type.gpus),
        (names.NEURON_RESOURCE, names.NEURON_CLASS, group.type.neuron_devices),
        (names.EFA_RESOURCE, names.EFA_CLASS, group.efa_interfaces),
        channels,
    )
