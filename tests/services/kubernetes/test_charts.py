"""The charts: versions as they were read, and values at paths that the charts have."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.services.kubernetes import charts
from clustergen.services.kubernetes.charts import Chart
from clustergen.services.kubernetes.components import components
from tests.services.kubernetes.planned import files_of, plan_of, values_of
from tests.services.kubernetes.specs import SPECS

READ: dict[str, Any] = json.loads((Path(__file__).parent / "charts.json").read_text())
CHARTS = {chart.name: chart for chart in vars(charts).values() if isinstance(chart, Chart)}


def test_chart_versions_are_those_that_were_read() -> None:
    versions = {name: read["version"] for name, read in READ.items()}
    assert {name: chart.version for name, chart in CHARTS.items()} == versions


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
def test_a_chart_has_one_address(chart: Chart) -> None:
    assert chart.reference.startswith("oci://") != chart.repository.startswith("https://")
    assert chart.source.startswith("https://")


def test_every_chart_is_in_some_spec() -> None:
    used = {component.name for text in SPECS.values() for component in components(plan_of(text))}
    assert used == set(CHARTS)


def leaves(values: Any, at: str = "") -> Iterator[str]:
    """Paths of what is set: a list is one value."""
    if isinstance(values, dict) and values:
        for key, value in values.items():
            yield from leaves(value, f"{at}.{key}" if at else key)
    else:
        yield at


def unknown(chart: str, values: Any) -> list[str]:
    """Paths that the chart would pass over in silence."""
    known = tuple(f"{path}." for kind in ("paths", "defaults") for path in READ[chart][kind])
    return [path for path in leaves(values) if not f"{path}.".startswith(known)]


@pytest.mark.parametrize("name", SPECS)
def test_values_are_at_known_paths(name: str) -> None:
    for component in components(plan_of(SPECS[name])):
        if component.values:
            read = values_of(SPECS[name], component.name)
            assert read == component.values
            assert unknown(component.name, read) == []
        else:
            assert f"values/{component.name}.yaml" not in files_of(SPECS[name])


WRONG = [
    ("karpenter", {"settings": {"interruptionQueueName": "x"}}),
    ("kueue", {"controllerManager": {"replicaCount": 2}}),
    ("gpu-operator", {"drivers": {"enabled": False}}),
    ("neuron-helm-chart", {"devicePlugin": {"enable": True}}),
]


@pytest.mark.parametrize(("chart", "values"), WRONG)
def test_values_at_unknown_paths_are_detected(chart: str, values: Any) -> None:
    assert unknown(chart, values) == list(leaves(values))


EFA = "aws-efa-k8s-device-plugin"
COMPONENTS = [
    ("smallest", f"nvidia-device-plugin {EFA} kueue"),
    (
        "claims of devices",
        "dra-driver-nvidia-gpu neuron-helm-chart aws-dranet kueue kubeflow-trainer",
    ),
    ("Trainium", f"neuron-helm-chart {EFA} kueue"),
    ("partitions", f"gpu-operator {EFA} kueue dcgm-exporter"),
    ("UltraServers", f"nvidia-device-plugin dra-driver-nvidia-gpu {EFA} kueue"),
    ("HPC nodes", f"{EFA} kueue"),
    ("small nodes", "nvidia-device-plugin kueue"),
    ("no operator, no queues", f"nvidia-device-plugin {EFA}"),
    ("Volcano", f"nvidia-device-plugin {EFA} volcano"),
    ("KAI", f"nvidia-device-plugin {EFA} kai-scheduler"),
]


@pytest.mark.parametrize(("spec", "names"), COMPONENTS)
def test_components_of_a_cluster(spec: str, names: str) -> None:
    assert [component.name for component in components(plan_of(SPECS[spec]))] == names.split()


@pytest.mark.parametrize("chart", ["nvidia-device-plugin", EFA])
def test_agents_tolerate_all_taints_of_their_nodes(chart: str) -> None:
    tolerations = values_of(SPECS["taints of the user's own"], chart)["tolerations"]
    tolerated = {(one["key"], one.get("effect", "")) for one in tolerations}
    assert tolerated >= {("team", "NoExecute"), ("nvidia.com/gpu", "NoSchedule")}


@pytest.mark.parametrize(("spec", "plugin"), [("Trainium", True), ("claims of devices", False)])
def test_device_plugins_and_claims_are_exclusive(spec: str, plugin: bool) -> None:
    values = values_of(SPECS[spec], "neuron-helm-chart")
    enabled = [values[part]["enabled"] for part in ("devicePlugin", "draDriver")]
    assert enabled == [plugin, not plugin]


def test_domains_need_no_claims_of_gpus() -> None:
    domains = values_of(SPECS["UltraServers"], "dra-driver-nvidia-gpu")
    assert domains["resources"] == {"gpus": {"enabled": False}, "computeDomains": {"enabled": True}}
    assert "gpuResourcesEnabledOverride" not in domains


def test_partitions_are_configurations_by_the_label_of_the_nodes() -> None:
    manager = values_of(SPECS["partitions"], "gpu-operator")["migManager"]["config"]
    configs = yaml.safe_load(manager["data"]["config.yaml"])["mig-configs"]
    all_devices = {"devices": "all", "mig-enabled": True}
    assert configs == {
        "all-disabled": [{"devices": "all", "mig-enabled": False}],
        "h200": [{**all_devices, "mig-devices": {"1g.18gb": 1, "2g.35gb": 1, "3g.71gb": 1}}],
        "h100": [{**all_devices, "mig-devices": {"3g.40gb": 1, "1g.10gb+me": 1, "1g.10gb": 2}}],
    }
    assert manager["default"] in configs


def test_other_partitions_are_another_object() -> None:
    """The MIG manager reads its configurations when it starts: other ones have to start it."""
    spec = SPECS["partitions"]
    one, other = (
        values_of(text, "gpu-operator")["migManager"]["config"]["name"]
        for text in (spec, spec.replace("1g.10gb: 2", "1g.10gb: 1"))
    )
    assert one != other


def test_the_registry_is_one_that_the_partition_reaches() -> None:
    image = values_of(SPECS["GovCloud"], EFA)["image"]["repository"]
    assert image == f"013241004608.dkr.ecr.us-gov-west-1.amazonaws.com/eks/{EFA}"
    assert "image" not in values_of("", EFA)
