"""The registry of a spec: every image comes from there, and mirror.sh copies it there."""

import functools
import re
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.services import mirror
from clustergen.services.kubernetes.components import components
from tests.services.kubernetes.planned import files_of, plan_of
from tests.services.kubernetes.specs import SPECS
from tests.support import stub_charts
from tests.support.checking import EXAMPLES
from tests.support.kubernetes_tools import tool
from tests.support.outcomes import rejected, succeeded
from tests.support.registry import Place

REGISTRY = "111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror"
MIRRORED = {
    name: f"{text}\nsoftware: {{registry: {REGISTRY}}}"
    for name, text in SPECS.items()
    if "software:" not in text and "region:" not in text
}


def images_in(item: Any) -> list[str]:
    """The images of containers in an object or values."""
    fields = item if isinstance(item, dict) else {}
    inside = [*fields.values()] if fields else item if isinstance(item, list) else []
    own = [value for key, value in fields.items() if key == "image" and isinstance(value, str)]
    return own + [image for value in inside for image in images_in(value)]


def is_reached(image: str) -> bool:
    """Whether nodes without the internet pull it: from our registry, or AWS's in the region."""
    aws = r"[0-9]{12}\.dkr\.ecr\.us-east-1\.amazonaws\.com/"
    return image.startswith(f"{REGISTRY}/") or bool(re.match(aws, image))


def unreached(images: Iterable[str]) -> list[str]:
    return sorted(image for image in images if not is_reached(image))


def objects_in(files: Mapping[str, str], *folders: str) -> list[Any]:
    texts = [text for path, text in files.items() if path.startswith(folders)]
    return [item for text in texts for item in yaml.load_all(text, yaml.CSafeLoader)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", MIRRORED)
def test_objects_and_jobs_use_images_of_the_registry(name: str) -> None:
    files = files_of(MIRRORED[name])
    found = set(images_in(objects_in(files, "manifests/", "smoke/", "jobs/")))
    assert unreached(found) == []
    listed = {f"{REGISTRY}/{line}" for line in lines(files["images.txt"])}
    assert found <= listed


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def users() -> dict[str, str]:
    """For each chart, a spec that has it."""
    return {each.name: text for text in MIRRORED.values() for each in components(plan_of(text))}


@functools.cache
def rendered(chart: str, values: str) -> Any:
    """What Helm makes of a chart and the values in a bundle."""
    with tempfile.TemporaryDirectory() as folder:
        made = stub_charts.archive(chart, Path(folder))
        command = [str(tool("helm")), "template", chart, str(made), "--values", "-"]
        done = subprocess.run(command, input=values, capture_output=True, text=True, check=True)
    return yaml.safe_load(done.stdout)


CHARTS = sorted(name for name, read in stub_charts.READ.items() if read["images"])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("chart", CHARTS)
def test_charts_use_images_of_the_registry(chart: str) -> None:
    files = files_of(users()[chart])
    pod = rendered(chart, files[f"values/{chart}.yaml"])
    operands = [v for k, v in pod["metadata"]["annotations"].items() if k.startswith("operand")]
    assert unreached((*images_in(pod), *operands)) == []
    listed = {f"{REGISTRY}/{line}" for line in lines(files["images.txt"])}
    assert set(operands) <= listed


def test_an_image_that_stays_public_is_seen() -> None:
    """What the test above relies on."""
    values = yaml.safe_load(files_of(users()["gpu-operator"])["values/gpu-operator.yaml"])
    del values["migManager"]["repository"], values["operator"]["repository"]
    pod = rendered("gpu-operator", yaml.safe_dump(values))
    found = [*images_in(pod), *pod["metadata"]["annotations"].values()]
    assert unreached(image for image in found if ":" in image) == [
        "nvcr.io/nvidia/cloud-native/k8s-mig-manager:v0.14.2",
        "nvcr.io/nvidia/gpu-operator:v26.3.3",
    ]


def test_an_existing_cluster_uses_the_registry_too() -> None:
    text = EXAMPLES["eks-existing-cluster"].read_text(encoding="utf-8")
    files = files_of(f"{text}\nsoftware: {{registry: {REGISTRY}}}\n")
    found = images_in(objects_in(files, "smoke/", "jobs/"))
    assert found
    assert unreached(found) == []


def test_only_registries_of_copied_images_are_logged_in_to() -> None:
    """Credentials of GovCloud are none for the registry of EKS in us-west-2."""
    eks = "602401143452.dkr.ecr.us-west-2"
    assert f"log_in {eks}" in files_of(MIRRORED["smallest"])["mirror.sh"]
    gov = REGISTRY.replace("us-east-1", "us-gov-west-1")
    files = files_of(f"{SPECS['GovCloud']}\nsoftware: {{registry: {gov}}}")
    assert eks not in files["mirror.sh"]
    assert "013241004608" in files["values/aws-efa-k8s-device-plugin.yaml"]


def test_without_a_registry_nothing_is_mirrored() -> None:
    assert not {mirror.SCRIPT, mirror.IMAGES} & set(files_of())


@pytest.fixture
def place(tmp_path: Path) -> Place:
    text = MIRRORED["smallest"]
    made = Place(tmp_path, files_of(text))
    for chart in components(plan_of(text)):
        stub_charts.archive(chart.name, tmp_path / "published")
    return made


def test_everything_is_copied_once(place: Place) -> None:
    done = place.run()
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert '"repository"' not in done.stderr
    to = f"docker://{REGISTRY}"
    assert {
        f"{to}/registry.k8s.io/kueue/kueue:v0.19.2",
        f"{to}/docker.io/mpioperator/mpi-operator:0.8.2",
        f"{to}/602401143452.dkr.ecr.us-west-2.amazonaws.com/eks/aws-efa-k8s-device-plugin:v0.5.20",
        f"{to}/charts/kueue:0.19.2",
    } <= place.pushed
    assert place.calls("login 602401143452.dkr.ecr.us-west-2") or place.calls("AWS")
    before = place.pushed
    succeeded(place.run())
    assert place.pushed == before
    assert not place.calls("skopeo copy")
    assert not place.calls("helm push")
    assert not place.calls("create-repository")


def test_a_failure_that_passes_is_tried_again(place: Place) -> None:
    (place.here / "failures").write_text("x\nx\n")
    succeeded(place.run())
    (place.here / "pushed").unlink()
    (place.here / "failures").write_text("x\nx\nx\n")
    said = rejected(place.run())
    assert "run mirror.sh again" in said.splitlines()[-1]


def test_an_image_outside_the_registry_stops_it(place: Place) -> None:
    values = place.here / "bundle/values/kueue.yaml"
    values.write_text(values.read_text().replace(f"{REGISTRY}/registry.k8s.io", "registry.k8s.io"))
    rejected(
        place.run(),
        "the chart kueue uses registry.k8s.io/kueue/kueue:v0.19.2",
        "set the image to",
        "values/kueue.yaml",
    )


def test_the_list_has_every_image_and_chart_and_copies_nothing(place: Place) -> None:
    done = place.run("--list")
    assert done.returncode == 0, done.stderr
    listed = [line.split("\t")[1].removeprefix("oci://") for line in done.stdout.splitlines()]
    targets = {f"docker://{image}" for image in listed}
    assert place.pushed == set()
    succeeded(place.run())
    assert place.pushed == targets


def test_a_dry_run_calls_nothing(place: Place) -> None:
    succeeded(place.run("--dry-run"), "+ skopeo copy")
    assert not place.calls("")
