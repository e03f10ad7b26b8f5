"""mirror.sh and a deployment with a registry: HyperPod's chart goes there, and comes from there."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.services.kubernetes.test_mirror import REGISTRY, images_in, is_reached, lines
from tests.support.outcomes import rejected, succeeded
from tests.support.registry import Place
from tests.support.tables import flow
from tests.support.tiers import IN_REAL
from tests.targets.hyperpod_eks.new_cluster import files_of_new
from tests.targets.hyperpod_eks.test_install import GIT, SILENT, write

SCHEDULED = pytest.mark.repeated()
REGISTERED = f"software: {{registry: {REGISTRY}}}"
GPUS = REGISTERED
TRAINIUM = f"{REGISTERED}\nnode_groups: [{{name: h200, instance_type: trn1.32xlarge}}]"
MIG = f"{REGISTERED}\nnode_groups: [{{name: h200, mig: {{1g.18gb: 7}}}}]"


def pod(image: str) -> str:
    return (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: {{ .Chart.Name }}}\n"
        f"spec:\n  containers:\n  - name: a\n    image: {image}\n"
    )


def chart(name: str, values: str, image: str) -> dict[str, str]:
    head = f"apiVersion: v2\nname: {name}\nversion: 0.1.0\n"
    return {"Chart.yaml": head, "values.yaml": values, "templates/pod.yaml": pod(image)}


# The images of HyperPod's chart and its dependencies, as its templates name them.
# https://github.com/aws/sagemaker-hyperpod-cli helm_chart/HyperPodHelmChart (2026-11)
NESTED = "{{ .Values.image.repository }}"
# By chart: its values, its image, and the value that switches it on.
PARTS: Mapping[str, tuple[str, str, str]] = flow(
    """
nvidia-device-plugin: ['image: {repository: nvcr.io/nvidia/k8s-device-plugin}', '$NESTED:v0.16.1',
  nvidia-device-plugin.devicePlugin.enabled]
aws-efa-k8s-device-plugin: [
  'image: {repository: 602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/efa}', '$NESTED:v0.5.13',
  aws-efa-k8s-device-plugin.devicePlugin.enabled]
neuron-device-plugin: ['{}', 'public.ecr.aws/neuron/neuron-device-plugin:2.19.16.0',
  neuron-device-plugin.devicePlugin.enabled]
mpi-operator: ['mpiOperator: {image: {repository: mpioperator/mpi-operator}}',
  '{{ .Values.mpiOperator.image.repository }}:0.5', mpi-operator.enabled]
training-operators: ['image: {repository: kubeflow/training-operator}', '$NESTED:v1-855e096',
  trainingOperators.enabled]
health-monitoring-agent: ['{}',
  '767398015722.dkr.ecr.us-east-1.amazonaws.com/hyperpod-health-monitoring-agent:1.0',
  health-monitoring-agent.enabled]
""",
    NESTED=NESTED,
)


def publish(place: Place) -> None:
    """What the repository of HyperPod's chart has."""
    made = place.here / "published/helm_chart/HyperPodHelmChart"
    dependencies = []
    for name, (values, image, condition) in PARTS.items():
        write(made / "charts" / name, chart(name, f"{values}\n", image))
        source = f"file://charts/{name}"
        row = {"name": name, "version": "0.1.0", "repository": source, "condition": condition}
        dependencies.append(row)
    operator = place.here / "nvidia"
    features = operator / "charts/node-feature-discovery"
    write(operator, chart("gpu-operator", "operator: {repository: nvcr.io/nvidia}\n",
                          "{{ .Values.operator.repository }}/gpu-operator:v26.3.1"))  # fmt: skip
    write(features, chart("node-feature-discovery",
                          "image: {repository: registry.k8s.io/nfd/node-feature-discovery}\n",
                          f"{NESTED}:v0.18.3"))  # fmt: skip
    wrapper = {"name": "gpu-operator", "version": "0.1.0", "repository": f"file://{operator}"}
    write(
        made / "charts/gpu-operator",
        {
            "Chart.yaml": yaml.safe_dump(
                {"apiVersion": "v2", "name": "gpu-operator", "version": "0.1.0",
                 "dependencies": [wrapper]}
            ),
            "regional-values/values-us-east-1.yaml": "\n".join(
                ["gpu-operator:", "  operator:",
                 "    repository: 463470961310.dkr.ecr.us-east-1.amazonaws.com", ""]
            ),
        },
    )  # fmt: skip
    row = {"name": "gpu-operator", "version": "0.1.0", "repository": "file://charts/gpu-operator",
           "condition": "gpu-operator.enabled"}  # fmt: skip
    own = {"apiVersion": "v2", "name": "hyperpod-helm-chart", "version": "0.1.0",
           "dependencies": [*dependencies, row]}  # fmt: skip
    write(made, {"Chart.yaml": yaml.safe_dump(own)})


@pytest.mark.parametrize(
    ("text", "copied"),
    [
        pytest.param(GPUS, "nvcr.io/nvidia/k8s-device-plugin:v0.16.1", marks=SCHEDULED),
        (TRAINIUM, "public.ecr.aws/neuron/neuron-device-plugin:2.19.16.0"),
        pytest.param(MIG, "registry.k8s.io/nfd/node-feature-discovery:v0.18.3", marks=SCHEDULED),
    ],
)
def test_the_chart_goes_through_the_registry(tmp_path: Path, text: str, copied: str) -> None:
    place = Place(tmp_path, files_of_new(text), {"git": GIT, "kubectl": SILENT})
    publish(place)
    succeeded(place.run())
    assert f"docker://{REGISTRY}/{copied}" in place.pushed
    assert f"docker://{REGISTRY}/docker.io/kubeflow/training-operator:v1-855e096" in place.pushed
    before = place.pushed
    succeeded(place.run())
    assert place.pushed == before
    (place.here / "bin/git").unlink()
    succeeded(place.install())
    assert not place.calls("dependency")
    installed = list(yaml.safe_load_all((place.here / "installed.yaml").read_text()))
    found = images_in(installed)
    assert f"{REGISTRY}/{copied}" in found
    assert [image for image in found if not is_reached(image)] == []


@IN_REAL
def test_partitions_may_be_added_later(tmp_path: Path) -> None:
    """The chart in the registry lacks NVIDIA's operator, and its version is never replaced."""
    place = Place(tmp_path, files_of_new(GPUS), {"git": GIT, "kubectl": SILENT})
    publish(place)
    succeeded(place.run())
    place.render(files_of_new(MIG))
    rejected(place.install(), "run ./mirror.sh")
    assert not place.calls("upgrade")
    succeeded(place.run())
    succeeded(place.install())
    installed = (place.here / "installed.yaml").read_text()
    assert "463470961310.dkr.ecr.us-east-1.amazonaws.com/gpu-operator" in installed


def test_downloads_of_the_chart_are_tried_again(tmp_path: Path) -> None:
    fetch = """  *" fetch "*)
    if [[ -s $HERE/fetches ]]; then
      sed -i 1d "$HERE/fetches"
      exit 1
    fi
    ;;
esac"""
    place = Place(tmp_path, files_of_new(GPUS), {"git": GIT.replace("esac", fetch)})
    publish(place)
    for name in ("fetches", "failures"):
        (place.here / name).write_text("x\nx\n")
    succeeded(place.run())
    assert len(place.calls("dependency update")) == 3


def test_objects_and_jobs_use_images_of_the_registry() -> None:
    files = files_of_new(f"{GPUS}\nstorage: [{{mount: /fsx, type: fsx-lustre, size: 9600GiB}}]")
    folders = ("manifests/", "smoke/", "jobs/")
    texts = [t for path, t in files.items() if path.startswith(folders) and "values" not in path]
    objects = [item for text in texts for item in yaml.safe_load_all(text)]
    found = set(images_in(objects))
    assert found
    assert {i.removeprefix(f"{REGISTRY}/") for i in found} <= set(lines(files["images.txt"]))
