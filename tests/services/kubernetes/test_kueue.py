"""The configuration of Kueue: what it counts, and how long a job waits for its nodes."""

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from clustergen.services.kubernetes import scraping
from clustergen.services.kubernetes.components import components
from tests.services.kubernetes.planned import files_of, objects_of, plan_of
from tests.services.kubernetes.specs import SPECS
from tests.validators.kubernetes import pod_templates
from tests.validators.kueue_configuration import configuration_violations

ULTRASERVERS_AND_CLAIMS = SPECS["UltraServers"] + "\nkubernetes: {devices: dra}"
WITH_KUEUE = {
    **{name: text for name, text in SPECS.items() if plan_of(text).kubernetes.admission == "kueue"},
    "UltraServers, and claims": ULTRASERVERS_AND_CLAIMS,
}
DRIVER = {"channel": "compute-domain-default-channel.nvidia.com"}
"""Of the templates that the driver makes for a ComputeDomain: request -> device class."""


def configuration_of(text: str) -> dict[str, Any] | None:
    """What Kueue is configured with, if not as its chart does."""
    [kueue] = [each for each in components(plan_of(text)) if each.name == "kueue"]
    written = kueue.values.get("managerConfig", {}).get("controllerManagerConfigYaml")
    return yaml.safe_load(written) if written else None


@pytest.mark.parametrize("name", WITH_KUEUE)
def test_kueue_accepts_its_configuration(name: str) -> None:
    configuration = configuration_of(WITH_KUEUE[name])
    assert configuration is None or configuration_violations(configuration) == []


def test_kueue_exports_the_quotas_that_prometheus_keeps() -> None:
    text = "monitoring: {metrics: managed-prometheus}"
    assert "kueue_cluster_queue_nominal_quota" in str(scraping.configuration(plan_of(text)))
    configuration = configuration_of(text) or {}
    assert configuration["metrics"] == {"bindAddress": ":8443", "enableClusterQueueResources": True}
    assert configuration_of("") is None


FAULTS = [
    ({"waitForPodsReady": {"enable": True}}, "'enable' was unexpected"),
    ({"waitForPodsReady": {"timeout": 30}}, "not of type 'string'"),
    ({"resources": {"deviceClassMappings": [{"name": "a", "deviceClassNames": []}]}}, "short"),
]


@pytest.mark.parametrize(("fault", "expected"), FAULTS)
def test_a_fault_is_caught(fault: dict[str, Any], expected: str) -> None:
    configuration = configuration_of(SPECS["Karpenter, Spot and a reservation"]) or {}
    found = configuration_violations({**configuration, **fault})
    assert any(expected in each or "non-empty" in each for each in found), found


def claimed(text: str) -> Iterator[tuple[str, str]]:
    """Namespace and device class of everything that jobs of the bundle claim."""
    templates = {
        (item["metadata"]["namespace"], item["metadata"]["name"]): [
            request["exactly"]["deviceClassName"]
            for request in item["spec"]["spec"]["devices"]["requests"]
        ]
        for item in objects_of(text, "manifests/claims.yaml")
    }
    for path in files_of(text):
        for item in objects_of(text, path) if path.startswith(("smoke/", "jobs/")) else ():
            for template in pod_templates(item):
                for claim in template["spec"].get("resourceClaims", ()):
                    namespace = item["metadata"]["namespace"]
                    key = (namespace, claim["resourceClaimTemplateName"])
                    for kind in templates.get(key, [DRIVER.get(claim["name"], "?")]):
                        yield namespace, kind


@pytest.mark.parametrize("name", WITH_KUEUE)
def test_queues_count_every_device_that_jobs_claim(name: str) -> None:
    """Kueue admits no job with a device class that it has no quota for."""
    text = WITH_KUEUE[name]
    configuration = configuration_of(text) or {}
    mappings = configuration.get("resources", {}).get("deviceClassMappings", ())
    quota_of = {kind: each["name"] for each in mappings for kind in each["deviceClassNames"]}
    covered = {
        item["metadata"]["name"]: {
            resource
            for part in item["spec"]["resourceGroups"]
            for resource in part["coveredResources"]
        }
        for item in objects_of(text, "manifests/kueue.yaml")
        if item["kind"] == "ClusterQueue"
    }
    for namespace, kind in claimed(text):
        assert quota_of[kind] in covered[namespace]


def test_nodes_of_an_ultraserver_have_a_channel_each() -> None:
    queues = objects_of(ULTRASERVERS_AND_CLAIMS, "manifests/kueue.yaml")
    [queue] = [item for item in queues if item["kind"] == "ClusterQueue"]
    [group] = queue["spec"]["resourceGroups"]
    [flavor] = group["flavors"]
    quotas = {each["name"]: each["nominalQuota"] for each in flavor["resources"]}
    assert (quotas["resource.nvidia.com/channel"], quotas["nvidia.com/gpu"]) == ("18", "72")


def test_nodes_of_karpenter_are_given_back_where_not_all_come() -> None:
    configuration = configuration_of(SPECS["Karpenter, Spot and a reservation"]) or {}
    waiting = configuration["waitForPodsReady"]
    assert (waiting["timeout"], waiting["blockAdmission"]) == ("30m", False)
    assert waiting["requeuingStrategy"]["backoffLimitCount"] == 10


def test_other_clusters_have_the_configuration_of_the_chart() -> None:
    assert configuration_of(SPECS["smallest"]) is None
    assert configuration_of("kubernetes: {autoscaler: karpenter}") is None
