"""HyperPod's chart with the real Helm: a chart within a chart within a chart."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.targets.hyperpod_eks import charts
from tests.support.installing import Folder, chart_installed
from tests.support.kubernetes_tools import tool
from tests.support.outcomes import rejected, succeeded
from tests.support.scripts import programs
from tests.targets.hyperpod_eks.new_cluster import files_of_new
from tests.targets.hyperpod_eks.planned import files_of

MIG = "node_groups: [{name: h200, mig: {1g.18gb: 7}}]"
REGION, OTHER = "us-east-1", "us-west-1"

# What NVIDIA publishes: a chart with the images, selectors and tolerations that it is given.
OPERATOR = {
    "Chart.yaml": "apiVersion: v2\nname: gpu-operator\nversion: v26.3.1\n",
    "values.yaml": "operator: {repository: nvcr.io/nvidia, image: gpu-operator, version: v26.3.1}\n"
    "daemonsets: {tolerations: []}\nnodeSelector: {nvidia.com/gpu.present: 'true'}\n",
    "templates/operator.yaml": """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: gpu-operator}
spec:
  template:
    spec:
      nodeSelector: {{ toJson .Values.nodeSelector }}
      tolerations: {{ toJson .Values.daemonsets.tolerations }}
      containers:
      - name: operator
        {{- with .Values.operator }}
        image: {{ .repository }}/{{ .image }}:{{ .version }}
        {{- end }}
""",
}
# What HyperPod puts around it, with the images of each region.
WRAPPER = {
    "Chart.yaml": """\
apiVersion: v2
name: gpu-operator
version: 0.1.0
dependencies:
- {name: gpu-operator, version: v26.3.1, repository: "file://%s", condition: gpu-operator.enabled}
""",
    "values.yaml": "gpu-operator:\n  enabled: true\n  operator: {image: mirror-gpu-operator}\n"
    "  daemonsets: {tolerations: [{operator: Exists}]}\n",
    f"regional-values/values-{REGION}.yaml": "gpu-operator:\n  operator:\n"
    '    repository: "111122223333.dkr.ecr.us-east-1.amazonaws.com"\n',
}
HYPERPOD = {
    "Chart.yaml": """\
apiVersion: v2
name: hyperpod-helm-chart
version: 0.1.0
dependencies:
- name: gpu-operator
  version: 0.1.0
  repository: "file://charts/gpu-operator"
  condition: gpu-operator.enabled
"""
}
# Helm as it is, except that what it would install is written down: there is no cluster.
# Without --max 0, it would list the first 256 releases only.
HELM = """#!/bin/bash
printf 'helm %s\\n' "$*" >>"$HERE/calls"
if [[ $1 == list ]]; then
  [[ " $* " != *' --max 0 '*' --superseded '* ]] || cat "$HERE/releases"
  exit 0
fi
if [[ $1 == upgrade ]]; then
  shift 2
  exec "$HELM" template "$@" >"$HERE/installed.yaml"
fi
exec "$HELM" "$@"
"""
GIT = f"""#!/bin/bash
case "$*" in
  *checkout*) cp -r "$HERE/published/." "$2/" && touch "$2/checked-out" ;;
  init*) mkdir -p "${{@: -1}}" ;;
  *rev-parse*) [[ -f $2/checked-out ]] && echo {charts.COMMIT} || exit 128 ;;
esac
"""
SILENT = "#!/bin/bash\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def fake(tmp_path: Path) -> Path:
    """A folder of programs, and of what the repository of HyperPod's chart has."""
    made = tmp_path / "fake"
    programs(made, {"helm": HELM, "git": GIT, "aws": SILENT, "kubectl": SILENT})
    chart = made / "published/helm_chart/HyperPodHelmChart"
    (made / "releases").touch()
    write(made / "nvidia", OPERATOR)
    wrapper = {**WRAPPER, "Chart.yaml": WRAPPER["Chart.yaml"] % (made / "nvidia")}
    write(chart, HYPERPOD)
    write(chart / "charts/gpu-operator", wrapper)
    return made


def install(fake: Path, files: dict[str, str]) -> subprocess.CompletedProcess[str]:
    folder = fake.parent / "bundle"
    write(folder, {name: files[name] for name in ("bundle.json", charts.PATH)})
    return chart_installed(folder, Folder(fake, {"HELM": str(tool("helm"))}))


def installed(fake: Path) -> list[dict[str, Any]]:
    return [item for item in yaml.safe_load_all((fake / "installed.yaml").read_text()) if item]


def test_partitions_install_the_operator_with_images_of_the_region(fake: Path) -> None:
    files = dict(files_of_new(MIG))
    for _ in range(2):
        succeeded(install(fake, files))
        [operator] = installed(fake)
        pod = operator["spec"]["template"]["spec"]
        assert pod["tolerations"] == [{"operator": "Exists"}]
        [container] = pod["containers"]
        registry = "111122223333.dkr.ecr.us-east-1.amazonaws.com"
        assert container["image"] == f"{registry}/mirror-gpu-operator:v26.3.1"
        shutil.rmtree(fake.parent / "bundle/.filled/kubeconfig", ignore_errors=True)


def test_without_partitions_there_is_no_operator(fake: Path) -> None:
    succeeded(install(fake, dict(files_of_new(""))))
    assert installed(fake) == []


def test_a_region_without_images_is_reported(fake: Path) -> None:
    regional = fake / "published/helm_chart/HyperPodHelmChart/charts/gpu-operator/regional-values"
    shutil.rmtree(regional)
    rejected(install(fake, dict(files_of_new(MIG))), f"no images of NVIDIA's operator for {REGION}")
    assert "upgrade" not in (fake / "calls").read_text()


# Release, namespace and chart.
RELEASES = [
    ("dependencies", "kube-system", "something-0.1.0"),
    ("hyperpod-dependencies", "hyperpod", "hyperpod-helm-chart-0.1.0"),
]


LABELS = {False: "managed-by=clustergen-example", True: "managed-by=clustergen"}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("new", LABELS)
@pytest.mark.parametrize("row", RELEASES)
def test_a_chart_of_others_is_never_changed(
    fake: Path, row: tuple[str, str, str], new: bool
) -> None:
    files = dict(files_of_new("") if new else files_of(""))
    (fake / "releases").write_text(json.dumps([listed(*row)]))
    rejected(install(fake, files), f"the release {row[0]} in {row[1]}")
    assert "upgrade" not in (fake / "calls").read_text()
    (fake / "releases").write_text(json.dumps([listed("kueue", "kueue-system", "kueue-1")]))
    succeeded(install(fake, files))
    assert f"--labels {LABELS[new]} " in (fake / "calls").read_text()


def listed(name: str, namespace: str, chart: str) -> dict[str, str]:
    return {"name": name, "namespace": namespace, "chart": chart}
