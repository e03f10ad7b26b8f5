"""deploy.sh of both targets, run in an account that remembers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import botocore.session
import pytest

from clustergen import targets
from clustergen.hyperpod import deploy, scripts
from clustergen.hyperpod.steps import Mode
from tests.checking import Fragments
from tests.hyperpod.planned import TARGETS, plan_of
from tests.hyperpod.test_lifecycle import SPEC
from tests.oracles.shell import script_violations
from tests.support.cloud.commands import Bundle, reaching

EKS = """
targets:
  hyperpod-eks: {eks_cluster: "arn:aws:eks:us-east-1:111122223333:cluster/training"}
"""
SPECS = {"slurm": SPEC, "eks": EKS}
HERE = "--region us-east-1 sagemaker"


def files_of(spec: str, orchestrator: str) -> Mapping[str, str]:
    return Fragments(TARGETS[orchestrator]).files(spec)


@pytest.fixture(params=["slurm", "eks"])
def bundle(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files_of(SPECS[request.param], request.param)) as made:
        yield made


def calls(made: Bundle, words: str) -> list[str]:
    """The calls of SageMaker that hold `words`."""
    return [c.removeprefix(f"aws {HERE} ") for c in made.account.calling(f"aws {HERE}", words)]


def filled(made: Bundle, name: str) -> Mapping[str, object]:
    document: Mapping[str, object] = json.loads((made.folder / ".filled" / name).read_text())
    return document


def test_a_deployment(bundle: Bundle) -> None:
    done = bundle.deploy()
    assert done.returncode == 0, done.stderr
    assert calls(bundle, "create-cluster") == [
        "create-cluster --cli-input-json file://.filled/create-cluster.json"
    ]
    assert calls(bundle, "update-cluster") == []
    assert "InService" in done.stderr
    assert "${" not in (bundle.folder / ".filled/create-cluster.json").read_text()


def test_scripts_are_at_the_location_in_the_request(bundle: Bundle) -> None:
    bundle.deploy()
    (upload,) = bundle.account.calling("s3 cp --recursive")
    groups = filled(bundle, "create-cluster.json")["InstanceGroups"]
    assert isinstance(groups, list)
    assert {group["LifeCycleConfig"]["SourceS3Uri"] for group in groups} == {upload.split()[-1]}
    uploaded = bundle.account.uploaded("/lifecycle/")
    assert sorted(uploaded) == sorted(path.name for path in (bundle.folder / "lifecycle").iterdir())
    assert not [text for name, text in uploaded.items() if name.endswith(".json") and "${" in text]


def test_a_second_run_sends_only_updatable_members(bundle: Bundle) -> None:
    bundle.deploy()
    done = bundle.deploy()
    assert done.returncode == 0, done.stderr
    assert calls(bundle, "create-cluster") == []
    assert calls(bundle, "update-cluster") == [
        "update-cluster --cli-input-json file://.filled/update-cluster.json"
    ]
    created, updated = (filled(bundle, f"{verb}-cluster.json") for verb in ("create", "update"))
    assert {"VpcConfig", "Tags"}.isdisjoint(updated)
    assert updated == {name: created[name] for name in updated}


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_tags_are_added_to_a_cluster_that_exists(orchestrator: str, tmp_path: Path) -> None:
    tagged = SPECS[orchestrator] + "tags: {team: research}\n"
    with reaching(tmp_path, files_of(SPECS[orchestrator], orchestrator)) as bundle:
        bundle.deploy()
        bundle.render(files_of(tagged, orchestrator))
        done = bundle.deploy()
        assert done.returncode == 0, done.stderr
        assert bundle.account.hyperpod.tags == [{"Key": "team", "Value": "research"}]


def test_the_fields_of_an_update_are_those_of_the_api() -> None:
    model = botocore.session.get_session().get_service_model("sagemaker")
    members = model.operation_model("UpdateCluster").input_shape.members
    assert set(deploy.UPDATABLE) == set(members) - {"InstanceGroupsToDelete"}


def test_a_removed_group_is_reported_last(bundle: Bundle) -> None:
    bundle.deploy()
    bundle.account.hyperpod.groups["old"] = 2
    bundle.account.hyperpod.current["old"] = 2
    done = bundle.deploy()
    *_, lines, end = done.stderr.splitlines()
    assert "The instance group old runs and costs money, but is not in the spec" in lines
    assert "--instance-groups-to-delete old" in lines
    assert "instance group h200 runs" not in done.stderr
    assert end == "example is deployed."


def test_a_second_controller_group_is_rejected(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(SPEC, "slurm")) as made:
        made.deploy()
        hyperpod = made.account.hyperpod
        hyperpod.groups["controller-machine"] = hyperpod.groups.pop("controller")
        done = made.deploy()
        assert done.returncode == 2
        assert "runs without an instance group controller, so another" in done.stderr
        assert "controller-machine" in done.stderr
        assert calls(made, "update-cluster") == []
        assert made.account.calling("create-change-set") == []


def test_a_failure_prints_the_reason_and_the_logs(bundle: Bundle) -> None:
    bundle.account.hyperpod.failure = "Lifecycle scripts did not run successfully."
    done = bundle.deploy()
    assert done.returncode == 2
    assert "HyperPod reports: Lifecycle scripts did not run successfully." in done.stderr
    assert "/aws/sagemaker/Clusters/example/abc123" in done.stderr
    assert "LifecycleConfig/h200/i-h200 (Failure)" in done.stderr
    done = bundle.deploy()
    assert done.returncode == 2
    assert "the cluster is Failed and cannot be updated" in done.stderr.splitlines()[-1]
    assert calls(bundle, "update-cluster") == []


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_without_continuous_provisioning_a_failure_has_no_events(
    orchestrator: str, tmp_path: Path
) -> None:
    base = SPEC if orchestrator == "slurm" else EKS.replace("}\n", ", provisioning: all-at-once}\n")
    if orchestrator == "slurm":
        base += "targets: {hyperpod-slurm: {provisioning: all-at-once}}\n"
    files = files_of(base, orchestrator)
    assert [path for path, text in files.items() if "list-cluster-events" in text] == []
    with reaching(tmp_path, files) as made:
        made.account.hyperpod.failure = "Lifecycle scripts did not run successfully."
        done = made.deploy()
        assert done.returncode == 2
        assert "HyperPod reports: Lifecycle scripts did not run successfully." in done.stderr
        assert "LifecycleConfig/h200/i-h200 (Failure)" in done.stderr
        assert "run deploy.sh --destroy" in made.deploy().stderr.splitlines()[-1]


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_a_cluster_of_the_other_orchestrator_is_left_alone(
    orchestrator: str, tmp_path: Path
) -> None:
    """One spec for both targets gives both clusters the same name."""
    first, second = orchestrator, "eks" if orchestrator == "slurm" else "slurm"
    with reaching(tmp_path, files_of(SPECS[first], first)) as made:
        assert made.deploy().returncode == 0
        made.render(files_of(SPECS[second], second))
        before = dict(made.account.hyperpod.groups)
        for action in ((), ("--pause",), ("--resume",), ("--destroy",)):
            done = made.deploy(*action)
            assert done.returncode == 2
            assert "so it belongs to another bundle. Nothing was changed" in done.stderr
            assert calls(made, "update-cluster") + calls(made, "delete-cluster") == []
        assert made.account.hyperpod.groups == before


def test_an_update_that_was_rolled_back_is_a_failure(bundle: Bundle) -> None:
    bundle.deploy()
    hyperpod = bundle.account.hyperpod
    bundle.account.answers["sagemaker describe-cluster"] = {
        "ClusterStatus": "InService",
        "FailureMessage": "Partition configuration drift detected.",
        "ClusterArn": "arn:x",
        "Orchestrator": hyperpod.request["Orchestrator"],
        "InstanceGroups": [],
    }
    done = bundle.deploy()
    assert hyperpod.status
    assert (done.returncode, "drift detected" in done.stderr) == (2, True)


def test_starting_nodes_are_waited_for(bundle: Bundle) -> None:
    done = bundle.deploy()
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.startswith("example: ")]
    assert lines[0] == "example: Creating"
    assert lines[1].startswith("example: InService, starting:")
    assert " h200 0 of 2" in lines[1]
    assert lines[2] == "example: InService"


CHECKED = (
    "node_groups: [{name: h200, instance_type: p5en.48xlarge, health_checks: [instance-stress]}]"
)


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_deep_health_checks_are_waited_for(orchestrator: str, tmp_path: Path) -> None:
    """Nodes take no work meanwhile, and HyperPod rejects updates of the cluster."""
    spec = EKS + CHECKED if orchestrator == "eks" else CHECKED
    with reaching(tmp_path, files_of(spec, orchestrator)) as made:
        hyperpod = made.account.hyperpod
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        assert "example: InService, 1 of h200 in DeepHealthCheckInProgress" in done.stderr
        for action in ((), ("--pause",), ("--resume",)):
            # An operator started them, or HyperPod has replaced a node.
            hyperpod.checked["h200"] = made.account.clock + 200
            done = made.deploy(*action)
            assert done.returncode == 0, done.stderr
            assert "Waiting for example to accept an update" in done.stderr
            assert "1 of h200 in DeepHealthCheckInProgress" in done.stderr
            assert len(calls(made, "update-cluster")) == 1
        hyperpod.checked["h200"] = made.account.clock + 999
        done = made.deploy("--destroy")
        assert done.returncode == 0, done.stderr
        assert "Waiting for example to accept" not in done.stderr


def test_the_minimum_of_nodes_is_enough(tmp_path: Path) -> None:
    spec = EKS + "node_groups: [{name: h200, count: {min: 1, max: 4}}]\n"
    with reaching(tmp_path, files_of(spec, "eks")) as made:
        made.account.no_capacity = True
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        assert made.account.hyperpod.current == {"h200": 1}


def test_missing_nodes_are_a_failure_with_events(bundle: Bundle) -> None:
    bundle.account.no_capacity = True
    done = bundle.deploy("--wait", "5")
    assert (done.returncode, "is not done after 5 minutes" in done.stderr) == (2, True)
    done = bundle.deploy("--wait", "40")
    assert "Insufficient capacity for ml.p5en.48xlarge" in done.stderr
    assert "LifecycleConfig/h200/i-h200 (Failure)" in done.stderr


def test_destroy_deletes_only_the_cluster_and_its_monitoring(bundle: Bundle) -> None:
    bundle.deploy()
    done = bundle.deploy("--destroy")
    assert done.returncode == 0, done.stderr
    assert calls(bundle, "delete") == ["delete-cluster --cluster-name example"]
    stacks = {call.split()[-1] for call in bundle.account.calling("delete-stack")}
    assert stacks <= {"example-hyperpod-slurm-monitoring"}


@pytest.mark.parametrize("refused", [True, False])
def test_a_cluster_is_deleted_during_its_creation(bundle: Bundle, refused: bool) -> None:
    assert bundle.deploy().returncode == 0
    hyperpod = bundle.account.hyperpod
    hyperpod.status, hyperpod.next = "Creating", "InService"
    hyperpod.until = bundle.account.clock + 600
    if refused:
        bundle.account.fail("delete-cluster --cluster", ("ConflictException", "it is Creating"))
    done = bundle.deploy("--destroy")
    assert done.returncode == 0, done.stderr
    assert len(calls(bundle, "delete-cluster --cluster-name")) == (2 if refused else 1)
    assert hyperpod.status == ""


def test_karpenters_counts_are_kept(tmp_path: Path) -> None:
    spec = EKS + "kubernetes: {autoscaler: karpenter}\n"
    with reaching(tmp_path, files_of(spec, "eks")) as made:
        made.deploy()
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        assert calls(made, "update-cluster") == []
        assert "Karpenter sizes its groups" in done.stderr
        done = made.deploy("--pause")
        assert (done.returncode, "Karpenter sizes the groups" in done.stderr) == (2, True)


def test_a_cluster_without_scripts_uploads_none(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of("", "slurm")) as made:
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        assert made.account.calling("s3 cp --recursive") == []
        assert not (made.folder / "lifecycle").exists()


def test_with_mode_legacy_parameters_are_filled(tmp_path: Path) -> None:
    # Nothing installs Pyxis in this mode.
    spec = SPEC.replace("containers: pyxis", "containers: none")
    spec += "targets: {hyperpod-slurm: {mode: legacy}}\n"
    with reaching(tmp_path, files_of(spec, "slurm")) as made:
        assert made.deploy().returncode == 0
        parameters = json.loads(
            made.account.uploaded("/lifecycle/")["provisioning_parameters.json"]
        )
        assert parameters["fsx_dns_name"] == "storagefsxdnsname-0a1b"
        assert parameters["controller_group"] == "controller"


@pytest.mark.parametrize("orchestrator", TARGETS)
@pytest.mark.parametrize("text", ["", "whole"])
def test_validators_accept_deploy_and_verify(orchestrator: str, text: str) -> None:
    plan = plan_of(SPECS[orchestrator] if text or orchestrator == "eks" else "", orchestrator)
    target = targets.load(TARGETS[orchestrator])
    document = target.document(plan)
    mode: Mode = "kubernetes" if orchestrator == "eks" else "extended"
    found = scripts.lifecycle(plan, mode) if text else ()
    files = {file.path: file.text for file in deploy.files(plan, document, found)}
    assert script_violations({name: files[name] for name in ("deploy.sh", "verify.sh")}) == []


def test_a_group_has_its_minimum_again_after_a_pause(tmp_path: Path) -> None:
    spec = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: {min: 2, max: 4}}]"
    with reaching(tmp_path, files_of(spec, "slurm")) as made:
        for action in ((), ("--pause",), ("--pause",), ("--resume",)):
            assert made.deploy(*action).returncode == 0
        hyperpod = made.account.hyperpod
        assert (hyperpod.groups["h200"], hyperpod.minimums["h200"]) == (4, 2)


def test_a_resumed_group_finds_the_scripts_of_a_changed_bundle(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(SPEC, "slurm")) as made:
        assert made.deploy().returncode == 0
        assert made.deploy("--pause").returncode == 0
        made.render(files_of(SPEC.replace("name: alice", "name: carol"), "slurm"))
        assert made.deploy("--resume").returncode == 0
        [config] = {
            json.dumps(group["LifeCycleConfig"])
            for group in json.loads((made.folder / ".filled/scale-cluster.json").read_text())[
                "InstanceGroups"
            ]
        }
        prefix = json.loads(config)["SourceS3Uri"].removeprefix("s3://").rstrip("/")
        assert any(key.startswith(f"{prefix}/") for key in made.account.objects), prefix


def test_a_pause_leaves_groups_alone_that_the_cluster_does_not_have(tmp_path: Path) -> None:
    """A group that the spec has got since is added by the next deployment, not by a pause."""
    one = "{name: h200, instance_type: p5en.48xlarge, count: 4}"
    two = "{name: cpu, instance_type: m7i.4xlarge, count: 2}"
    first, more = (f"node_groups: [{text}]\n" for text in (one, f"{one}, {two}"))
    with reaching(tmp_path, files_of(first, "slurm")) as made:
        hyperpod = made.account.hyperpod
        assert made.deploy().returncode == 0
        made.render(files_of(more, "slurm"))
        for action, count in (("--pause", 0), ("--resume", 4)):
            done = made.deploy(action)
            assert done.returncode == 0, done.stderr
            assert (hyperpod.groups["h200"], "cpu" in hyperpod.groups) == (count, False)
        assert made.deploy().returncode == 0
        assert hyperpod.groups["cpu"] == 2
        assert made.deploy("--pause").returncode == 0
        del hyperpod.groups["cpu"]
        done = made.deploy("--resume")
        assert done.returncode == 0, done.stderr
        assert "The instance group cpu is not in the spec, or no longer in" in done.stderr
        assert (hyperpod.groups["h200"], "cpu" in hyperpod.groups) == (4, False)
