"""Objects in the EKS cluster, beside those of others."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.services.hyperpod.test_existing_cluster import SPECS, theirs
from tests.services.kubernetes.clusters import Cluster
from tests.support.cloud.commands import Bundle, reaching
from tests.support.outcomes import succeeded
from tests.targets.hyperpod_eks.new_cluster import files_of_new
from tests.targets.hyperpod_eks.planned import HYPERPOD

pytestmark = pytest.mark.scenarios(6)

STORED = "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB}]\n"
EMPTY = SPECS["eks"]
JOINED = EMPTY + STORED
VOLUME = ("persistentvolumes", "", "example-fsx.default")
CLAIM = ("persistentvolumeclaims", "default", "example-fsx")


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, HYPERPOD.files(JOINED)) as made:
        made.account.hyperpod.join(theirs("eks"))
        yield made


def apply(cluster: Cluster, text: str, *arguments: str) -> str:
    return succeeded(cluster.run(HYPERPOD.files(text), *arguments))


def volume(name: str, **labels: str) -> dict[str, Any]:
    head = {"apiVersion": "v1", "kind": "PersistentVolume"}
    return {**head, "metadata": {"name": name, "labels": labels}, "spec": {}}


def test_volumes_of_others_with_usual_names_stay(cluster: Cluster) -> None:
    claim = {**volume("fsx"), "kind": "PersistentVolumeClaim"}
    others = {
        ("persistentvolumes", "", "fsx.default"): volume("fsx.default"),
        ("persistentvolumeclaims", "default", "fsx"): claim,
    }
    cluster.api.objects.update(others)
    apply(cluster, JOINED)
    made = list(cluster.api.changes)
    apply(cluster, JOINED)
    assert cluster.api.changes == made
    assert {VOLUME, CLAIM} < set(cluster.api.objects)
    apply(cluster, JOINED, "--remove")
    assert cluster.api.objects == others


def test_names_of_others_stop_it_before_anything_changes(cluster: Cluster) -> None:
    labels = {"app.kubernetes.io/managed-by": "clustergen-another"}
    cluster.api.objects[VOLUME] = volume(VOLUME[2], **labels)
    for arguments in (("--check",), ()):
        done = cluster.run(HYPERPOD.files(JOINED), *arguments)
        assert done.returncode == 2
        assert "persistentvolumes example-fsx.default, which this bundle did not" in done.stderr
    assert set(cluster.api.objects) == {VOLUME}


def test_what_the_api_rejects_is_known_before_anything_changes(cluster: Cluster) -> None:
    apply(cluster, JOINED, "--check")
    assert cluster.api.objects == {}
    apply(cluster, JOINED)
    before = dict(cluster.api.objects)
    cluster.api.rejecting.add(VOLUME[0])
    done = cluster.run(HYPERPOD.files(JOINED), "--check")
    assert done.returncode == 2
    assert "is immutable" in done.stderr
    assert "manifests/volumes.yaml: a field of the object named above cannot change" in done.stderr
    assert cluster.api.objects == before


def test_volumes_that_left_the_spec_are_deleted(cluster: Cluster) -> None:
    apply(cluster, JOINED)
    apply(cluster, EMPTY, "--prune")
    assert cluster.api.objects == {}


def test_a_new_eks_cluster_loses_volumes_that_left_the_spec(cluster: Cluster) -> None:
    for text, left in ((STORED, {"fsx"}), ("", set())):
        succeeded(cluster.run(files_of_new(text)))
        assert cluster.api.names("persistentvolumeclaims") == left


def test_pods_name_the_claims() -> None:
    files = HYPERPOD.files(JOINED)
    for path in ("manifests/ownership.yaml", "jobs/h200-torchrun.yaml"):
        assert "claimName: example-fsx\n" in files[path]


def order(bundle: Bundle, *words: str) -> list[str]:
    return [word for line in bundle.account.calls for word in words if word in line]


def test_the_cluster_is_looked_at_first_and_cleaned_in_the_end(bundle: Bundle) -> None:
    bundle.deployed()
    steps = ("api-resources", "create-change-set", "update-cluster", "conflicts --request")
    assert list(dict.fromkeys(order(bundle, *steps))) == list(steps)
    bundle.deployed("--destroy")
    removed = ("api-resources", "update-cluster")
    assert list(dict.fromkeys(order(bundle, *removed))) == list(removed)


def test_without_access_to_the_api_nothing_changes(bundle: Bundle) -> None:
    bundle.account.fail("readyz", ("", "no route to host"), times=99)
    done = bundle.deploy()
    assert (done.returncode, "The API of training does not" in done.stderr) == (2, False)
    assert "the API of training does not respond" in done.stderr
    assert bundle.account.calling("create-change-set") == []


def test_without_access_what_stays_is_named(bundle: Bundle) -> None:
    bundle.deployed()
    bundle.account.fail("readyz", ("", "no route to host"), times=99)
    done = bundle.deployed("--destroy")
    assert "with the label app.kubernetes.io/managed-by=clustergen-example" in done.stderr


def test_without_objects_access_to_the_api_is_not_needed(tmp_path: Path) -> None:
    with reaching(tmp_path, HYPERPOD.files(EMPTY)) as made:
        made.account.hyperpod.join(theirs("eks"))
        made.account.fail("readyz", ("", "no route to host"), times=99)
        assert "Objects of an earlier bundle stay in it" in made.deployed().stderr


def test_an_api_that_answers_late_loses_nothing(tmp_path: Path) -> None:
    """Its node pools were not looked at, and those that left the spec may have nodes."""
    with reaching(tmp_path, HYPERPOD.files(EMPTY)) as made:
        made.account.hyperpod.join(theirs("eks"))
        made.deployed()
        assert made.account.calling("api-resources")
        made.account.fail("readyz", ("", "no route to host"))
        assert "Objects of an earlier bundle stay in it" in made.deployed().stderr
        assert made.account.calling("api-resources") == []


def test_jobs_that_open_file_systems_run_on_nodes_of_the_bundle() -> None:
    text = HYPERPOD.files(JOINED)["manifests/ownership.yaml"]
    assert "key: sagemaker.amazonaws.com/instance-group-name" in text
    assert "activeDeadlineSeconds" not in text


def test_the_timetable_has_the_name_of_the_bundle() -> None:
    plan = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/large"
    dates = f"capacity: {{training_plan: '{plan}', starts: 2026-12-10T11:30:00Z, "
    dated = JOINED.replace("count: 2", f"count: 2, {dates}ends: 2026-12-17T11:30:00Z}}")
    text = HYPERPOD.files(dated)["manifests/timetable.yaml"]
    assert "name: timetable-example\n" in text
    assert "name: timetable\n" not in text.replace("- name: timetable\n", "")
