"""deploy.sh of both targets, run in an account that remembers."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clustergen.services.hyperpod import deploy
from tests.services.hyperpod.planned import TARGETS
from tests.services.hyperpod.test_lifecycle import SPEC
from tests.support import service_models
from tests.support.checking import Fragments
from tests.support.cloud.answers import Request
from tests.support.cloud.commands import Bundle, reaching
from tests.support.outcomes import rejected, succeeded

pytestmark = pytest.mark.scenarios(10)

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


def filled(made: Bundle, name: str) -> Any:
    return json.loads((made.folder / ".filled" / name).read_text())


def test_a_deployment(bundle: Bundle) -> None:
    said = succeeded(bundle.deploy())
    # It waits for nodes that start.
    lines = re.findall(r"^example: (?!a new cluster with).*", said, re.MULTILINE)
    assert lines[0] == "example: Creating"
    assert lines[1].startswith("example: InService, nodes:")
    assert " h200 0 of 2" in lines[1]
    assert lines[2] == "example: InService"
    request = "file://.filled/create-cluster.json"
    assert calls(bundle, "create-cluster") == [f"create-cluster --cli-input-json {request}"]
    assert calls(bundle, "update-cluster") == []
    assert "${" not in (bundle.folder / ".filled/create-cluster.json").read_text()
    # Scripts are at the location in the request.
    groups = filled(bundle, "create-cluster.json")["InstanceGroups"]
    [place] = {group["LifeCycleConfig"]["SourceS3Uri"].rstrip("/") for group in groups}
    keys = {key.rpartition("/")[0] for key in bundle.account.objects if "/lifecycle/" in key}
    assert {place.removeprefix("s3://")} == keys
    uploaded = bundle.account.uploaded("/lifecycle/")
    assert sorted(uploaded) == sorted(path.name for path in (bundle.folder / "lifecycle").iterdir())
    assert not [text for name, text in uploaded.items() if name.endswith(".json") and "${" in text]


def test_a_second_run_sends_only_updatable_members(bundle: Bundle) -> None:
    bundle.deploy()
    succeeded(bundle.deploy())
    assert calls(bundle, "create-cluster") == []
    request = "file://.filled/update-cluster.json"
    assert calls(bundle, "update-cluster") == [f"update-cluster --cli-input-json {request}"]
    created, updated = (filled(bundle, f"{verb}-cluster.json") for verb in ("create", "update"))
    assert {"VpcConfig", "Tags"}.isdisjoint(updated)
    assert updated == {name: created[name] for name in updated}


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_tags_are_added_to_a_cluster_that_exists(orchestrator: str, tmp_path: Path) -> None:
    tagged = SPECS[orchestrator] + "tags: {team: research}\n"
    with reaching(tmp_path, files_of(SPECS[orchestrator], orchestrator)) as bundle:
        bundle.deploy()
        bundle.render(files_of(tagged, orchestrator))
        succeeded(bundle.deploy())
        assert bundle.account.hyperpod.tags == [{"Key": "team", "Value": "research"}]


def test_the_fields_of_an_update_are_those_of_the_api() -> None:
    members = service_models.model("sagemaker").operation_model("UpdateCluster").input_shape.members
    assert set(deploy.UPDATABLE) == set(members) - {"InstanceGroupsToDelete"}


def test_a_removed_group_is_reported_last(bundle: Bundle) -> None:
    bundle.deploy()
    hyperpod = bundle.account.hyperpod
    hyperpod.groups["old"] = hyperpod.current["old"] = 2
    printed = succeeded(bundle.deploy())
    *_, line, end = printed.splitlines()
    assert "The instance group old runs and costs money, but is not in the spec" in line
    assert "--instance-groups-to-delete old" in line
    assert "instance group h200 runs" not in printed
    assert end == "example is deployed."


TWO_GROUPS = """
node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 2}
  - {name: vision, instance_type: g6e.xlarge, count: 1, iam: {s3: [{uri: "s3://images"}]}}
"""


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_a_role_of_running_nodes_goes_only_with_consent(orchestrator: str, tmp_path: Path) -> None:
    fewer = TWO_GROUPS.replace(TWO_GROUPS.strip().splitlines()[-1], "")
    more = SPECS["eks"] if orchestrator == "eks" else ""
    with reaching(tmp_path, files_of(more + TWO_GROUPS, orchestrator)) as made:
        succeeded(made.deploy())
        made.render(files_of(more + fewer, orchestrator))
        rejected(made.deploy(), "delete HyperPodExecutionRoleVision", "delete those nodes first")
        assert made.account.calling("execute-change-set") == []
        succeeded(made.deploy("--allow-replacement"))


def test_another_target_leaves_the_role_of_the_cluster(tmp_path: Path) -> None:
    both = "targets: {pcs: {}, hyperpod-slurm: {}}\n"
    with reaching(tmp_path, files_of(both, "slurm")) as made:
        succeeded(made.deploy())
        made.render(Fragments("pcs").files("targets: {pcs: {}}\n"))
        (made.folder / "deployed.json").unlink()
        rejected(made.deploy(), "delete HyperPodExecutionRole.")
        assert made.account.calling("execute-change-set") == []


def test_a_second_controller_group_is_rejected(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(SPEC, "slurm")) as made:
        made.deploy()
        hyperpod = made.account.hyperpod
        hyperpod.groups["controller-machine"] = hyperpod.groups.pop("controller")
        rejected(
            made.deploy(),
            "runs without an instance group controller, so another",
            "controller-machine",
        )
        assert calls(made, "update-cluster") == []
        assert made.account.calling("create-change-set") == []


SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"
DATABASE = f"slurm: {{accounting: {{endpoint: db.example.com, secret: '{SECRET}'}}}}\n"
SHARED_ROLE_OF_CONTROLLER = "leave_out: [controller-role]"
KEEP_IT = f"{SHARED_ROLE_OF_CONTROLLER} under targets.hyperpod-slurm"


def test_a_controller_that_shares_its_role_keeps_it(tmp_path: Path) -> None:
    """HyperPod would reject another role after everything else had changed."""
    old = f"{DATABASE}targets: {{hyperpod-slurm: {{{SHARED_ROLE_OF_CONTROLLER}}}}}\n"
    with reaching(tmp_path, files_of(old, "slurm")) as made:
        succeeded(made.deploy())
        made.render(files_of(DATABASE, "slurm"))
        rejected(made.deploy(), KEEP_IT)
        assert made.account.calling("change-set") == []


def test_another_target_leaves_the_controller_its_password(tmp_path: Path) -> None:
    targets = f"{{parallelcluster: {{}}, hyperpod-slurm: {{{SHARED_ROLE_OF_CONTROLLER}}}}}"
    spec = f"{DATABASE}targets: {targets}\n"
    with reaching(tmp_path, Fragments("parallelcluster").files(spec)) as made:
        succeeded(made.deploy("--foundation"))
        new = spec.replace(SHARED_ROLE_OF_CONTROLLER, "")
        made.render(Fragments("parallelcluster").files(new))
        rejected(made.deploy("--foundation"), KEEP_IT)
        assert made.account.calling("execute-change-set") == []


FAILED = "Lifecycle scripts did not run successfully."


def test_a_failure_prints_the_reason_and_the_logs(bundle: Bundle) -> None:
    bundle.account.hyperpod.failure = FAILED
    logs = ("/aws/sagemaker/Clusters/example/abc123", "LifecycleConfig/h200/i-h200 (Failure)")
    rejected(bundle.deploy(), f"HyperPod reports: {FAILED}", *logs)
    last = rejected(bundle.deploy()).splitlines()[-1]
    assert "the cluster is Failed and cannot be updated" in last
    assert calls(bundle, "update-cluster") == []


@pytest.mark.parametrize("mode", ["api", "legacy"])
def test_groups_that_keep_their_scripts_are_named(tmp_path: Path, mode: str) -> None:
    spec = SPEC.replace("containers: pyxis", "containers: none")
    spec += f"targets: {{hyperpod-slurm: {{mode: {mode}}}}}\n"
    with reaching(tmp_path, files_of(spec, "slurm")) as made:
        said = [""]
        for text in (spec, spec, spec.replace("7d", "6d")):
            made.render(files_of(text, "slurm"))
            said.append(succeeded(made.deploy()))
            deployed = made.account.hyperpod.sent["h200"]["LifeCycleConfig"]
        made.account.fail("--output table", ("ExpiredToken", "expired"))
        made.render(files_of(spec.replace("7d", "5d"), "slurm"))
        said.append(made.deploy().stderr)  # the next run could not tell
        deployed = made.account.hyperpod.sent["h200"]["LifeCycleConfig"]
    told = ["Running nodes of controller, login, h200 keep the scripts" in each for each in said]
    assert told == [False, False, False, True, True]
    entry = deployed.get("OnInitComplete") or deployed["OnCreate"]
    command = f"cp --recursive {deployed['SourceS3Uri']} /opt/clustergen/lifecycle/ && sudo bash"
    assert f"{command} /opt/clustergen/lifecycle/{entry}\n" in said[-1]


ONCE = {
    "slurm": SPEC + "targets: {hyperpod-slurm: {provisioning: all-at-once}}\n",
    "eks": EKS.replace("}\n", ", provisioning: all-at-once}\n"),
}


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_with_all_at_once_a_failure_has_no_events(orchestrator: str, tmp_path: Path) -> None:
    files = files_of(ONCE[orchestrator], orchestrator)
    assert [path for path, text in files.items() if "list-cluster-events" in text] == []
    with reaching(tmp_path, files) as made:
        made.account.hyperpod.failure = FAILED
        logs = "LifecycleConfig/h200/i-h200 (Failure)"
        rejected(made.deploy(), f"HyperPod reports: {FAILED}", logs)
        assert "run deploy.sh --destroy" in made.deploy().stderr.splitlines()[-1]


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_a_cluster_of_another_orchestrator_is_left_alone(orchestrator: str, tmp_path: Path) -> None:
    """One spec for both targets gives both clusters the same name."""
    first, second = orchestrator, "eks" if orchestrator == "slurm" else "slurm"
    with reaching(tmp_path, files_of(SPECS[first], first)) as made:
        succeeded(made.deploy())
        made.render(files_of(SPECS[second], second))
        before = dict(made.account.hyperpod.groups)
        for action in ((), ("--pause",), ("--resume",), ("--destroy",)):
            rejected(made.deploy(*action), "so it belongs to another bundle. Nothing was changed")
            assert calls(made, "update-cluster") + calls(made, "delete-cluster") == []
        assert made.account.hyperpod.groups == before


def test_an_update_that_was_rolled_back_is_a_failure(bundle: Bundle) -> None:
    bundle.deploy()
    hyperpod = bundle.account.hyperpod
    kept = {name: hyperpod.request[name] for name in ("Orchestrator", "VpcConfig")}
    bundle.account.answers["sagemaker describe-cluster"] = {
        **{"ClusterStatus": "InService", "ClusterArn": "arn:x", "InstanceGroups": [], **kept},
        "FailureMessage": "Partition configuration drift detected.",
    }
    rejected(bundle.deploy(), "drift detected")
    assert hyperpod.status


CHECKS = "health_checks: [instance-stress]"
CHECKED = f"node_groups: [{{name: h200, instance_type: p5en.48xlarge, {CHECKS}}}]"


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_deep_health_checks_are_waited_for(orchestrator: str, tmp_path: Path) -> None:
    """Nodes take no work meanwhile, and HyperPod rejects updates of the cluster."""
    spec = EKS + CHECKED if orchestrator == "eks" else CHECKED
    with reaching(tmp_path, files_of(spec, orchestrator)) as made:
        hyperpod = made.account.hyperpod
        succeeded(made.deploy(), "example: InService, 1 of h200 in DeepHealthCheckInProgress")
        for action in ((), ("--pause",), ("--resume",)):
            # An operator started them, or HyperPod has replaced a node.
            hyperpod.checked["h200"] = made.account.clock + 200
            said = succeeded(made.deploy(*action))
            assert "Waiting for example to accept an update" in said
            assert "1 of h200 in DeepHealthCheckInProgress" in said
            assert len(calls(made, "update-cluster")) == 1
        hyperpod.checked["h200"] = made.account.clock + 999
        said = succeeded(made.deploy("--destroy"))
        assert "Waiting for example to accept" not in said


def test_a_pause_waits_until_no_node_runs(bundle: Bundle) -> None:
    hyperpod = bundle.account.hyperpod
    succeeded(bundle.deploy())
    hyperpod.endless["h200"] = 1
    rejected(
        bundle.deploy("--pause", "--wait", "5"), "example: InService, nodes: h200 1 instead of 0"
    )
    del hyperpod.endless["h200"]
    assert "is paused" in succeeded(bundle.deploy("--pause"))
    assert hyperpod.current["h200"] == 0


def test_the_minimum_of_nodes_is_enough(tmp_path: Path) -> None:
    spec = EKS + "node_groups: [{name: h200, count: {min: 1, max: 4}}]\n"
    with reaching(tmp_path, files_of(spec, "eks")) as made:
        made.account.no_capacity = True
        succeeded(made.deploy())
        assert made.account.hyperpod.current == {"h200": 1}


def test_missing_nodes_are_a_failure_with_events(bundle: Bundle) -> None:
    bundle.account.no_capacity = True
    rejected(bundle.deploy("--wait", "5"), "is not done after 5 minutes")
    done = bundle.deploy("--wait", "40")
    assert "Insufficient capacity for ml.p5en.48xlarge" in done.stderr
    assert "LifecycleConfig/h200/i-h200 (Failure)" in done.stderr


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_a_resume_that_is_undone_can_be_repeated(orchestrator: str, tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(ONCE[orchestrator], orchestrator)) as made:
        for action in ((), ("--pause",)):
            succeeded(made.deploy(*action))
        made.account.hyperpod.failure = FAILED
        rejected(made.deploy("--resume"), FAILED)
        assert [key for key in made.account.objects if "/paused/" in key]


def test_destroy_deletes_only_the_cluster_and_its_monitoring(bundle: Bundle) -> None:
    bundle.deploy()
    succeeded(bundle.deploy("--destroy"))
    assert calls(bundle, "delete") == ["delete-cluster --cluster-name example"]
    stacks = {call.split()[-1] for call in bundle.account.calling("delete-stack")}
    assert stacks <= {"example-hyperpod-slurm-monitoring"}
    rejected(bundle.deploy("--pause"), "example does not exist, or has no node groups")
    assert not [key for key in bundle.account.objects if "/paused/" in key]


SHARED_ROLE = "arn:aws:iam::111122223333:role/shared"
SHARED_GROUP = """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  zone: use1-az6
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]
  security_groups: [sg-0a1b2c3d4e5f67891]
"""
SHARING = {
    "slurm": SPEC.replace("{name: h200,", f"{{name: h200, iam: {{role: '{SHARED_ROLE}'}},", 1)
    + SHARED_GROUP,
    "eks": EKS + SHARED_GROUP,
}


@pytest.mark.parametrize(("orchestrator", "theirs"), [("slurm", ""), ("eks", ""), ("eks", "other")])
def test_a_cluster_of_others_with_the_same_security_group_or_role_is_left_alone(
    orchestrator: str, theirs: str, tmp_path: Path
) -> None:
    with reaching(tmp_path, files_of(SHARING[orchestrator], orchestrator)) as made:
        succeeded(made.deploy())
        hyperpod = made.account.hyperpod
        for group in hyperpod.sent.values():
            if theirs:
                hyperpod.request["Orchestrator"]["Eks"]["ClusterArn"] += theirs
                continue
            group["LifeCycleConfig"] = {"SourceS3Uri": "s3://sagemaker-others/lifecycle/"}
            group["ExecutionRole"] = SHARED_ROLE
        for action in ((), ("--pause",), ("--destroy",)):
            done = made.deploy(*action)
            words = "with none of the roles and security groups"
            rejected(done, "another EKS cluster" if theirs else words)
            assert calls(made, "update-cluster") + calls(made, "delete-cluster") == []


@pytest.mark.parametrize("refused", [True, False])
def test_a_cluster_is_deleted_during_its_creation(bundle: Bundle, refused: bool) -> None:
    succeeded(bundle.deploy())
    hyperpod = bundle.account.hyperpod
    hyperpod.status, hyperpod.next = "Creating", "InService"
    hyperpod.until = bundle.account.clock + 600
    if refused:
        bundle.account.fail("delete-cluster --cluster", ("ConflictException", "it is Creating"))
    succeeded(bundle.deploy("--destroy"))
    assert len(calls(bundle, "delete-cluster --cluster-name")) == (2 if refused else 1)
    assert hyperpod.status == ""


KARPENTER = "kubernetes: {autoscaler: karpenter}\n"
BESIDE_KARPENTER = f"""{EKS}{KARPENTER}
node_groups:
  - {{name: h200, instance_type: p5en.48xlarge, count: 8}}
  - {{name: burst, instance_type: g6e.4xlarge, count: {{min: 0, max: 8}}}}
"""
GROWN = BESIDE_KARPENTER.replace("count: 8}", "count: 16, labels: {team: a}}").replace(
    "count: {min", "labels: {team: a}, count: {min"
)


@pytest.fixture
def autoscaled(tmp_path: Path) -> Iterator[Bundle]:
    """A cluster whose groups have a fixed size, but for one, where Karpenter has started nodes."""
    with reaching(tmp_path, files_of(BESIDE_KARPENTER, "eks")) as made:
        succeeded(made.deploy())
        made.account.hyperpod.groups["burst"] = made.account.hyperpod.current["burst"] = 3
        yield made


def test_karpenters_counts_are_kept_and_all_else_changes(autoscaled: Bundle) -> None:
    hyperpod = autoscaled.account.hyperpod
    for text, expected in ((BESIDE_KARPENTER, 8), (GROWN, 16)):
        autoscaled.render(files_of(text, "eks"))
        succeeded(autoscaled.deploy())
        assert len(calls(autoscaled, "update-cluster")) == 1
        assert hyperpod.groups == {"h200": expected, "burst": 3}
    for group in hyperpod.sent.values():
        assert group["KubernetesConfig"]["Labels"] == {"team": "a"}


def test_a_lower_count_ends_no_nodes_without_consent(autoscaled: Bundle) -> None:
    hyperpod = autoscaled.account.hyperpod
    autoscaled.render(files_of(BESIDE_KARPENTER.replace("count: 8}", "count: 6}"), "eks"))
    rejected(
        autoscaled.deploy(),
        "would end 2 of the 8 nodes of h200, with their jobs. Nothing was changed",
    )
    assert hyperpod.groups == {"h200": 8, "burst": 3}
    succeeded(autoscaled.deploy("--allow-replacement"))
    assert hyperpod.groups == hyperpod.current == {"h200": 6, "burst": 3}


def test_a_new_group_of_karpenter_starts_empty(autoscaled: Bundle) -> None:
    more = "  - {name: small, instance_type: g6.4xlarge, count: {min: 0, max: 8}}\n"
    autoscaled.render(files_of(BESIDE_KARPENTER + more, "eks"))
    succeeded(autoscaled.deploy())
    assert autoscaled.account.hyperpod.groups == {"h200": 8, "burst": 3, "small": 0}


def test_a_failed_update_beside_karpenter_is_repeated(autoscaled: Bundle) -> None:
    autoscaled.render(files_of(GROWN, "eks"))
    hyperpod = autoscaled.account.hyperpod
    autoscaled.account.fail("sagemaker update-cluster", ("ValidationException", "no"))
    assert autoscaled.deploy().returncode != 0
    assert hyperpod.groups == {"h200": 8, "burst": 3}
    hyperpod.groups["burst"] = hyperpod.current["burst"] = 5
    succeeded(autoscaled.deploy())
    assert hyperpod.groups == {"h200": 16, "burst": 5}


def test_nothing_is_sent_without_karpenters_counts(autoscaled: Bundle) -> None:
    shown = autoscaled.account.hyperpod.describe_cluster(Request("", "", {}, []))
    for group in shown["InstanceGroups"]:
        del group["TargetCount"]
    autoscaled.account.answers["sagemaker describe-cluster"] = shown
    rejected(autoscaled.deploy(), "HyperPod does not say how many nodes burst should have")
    assert calls(autoscaled, "update-cluster") == []


def test_nodes_that_karpenter_cannot_start_do_not_hold_up_a_deployment(autoscaled: Bundle) -> None:
    autoscaled.account.hyperpod.current["burst"] = 1
    autoscaled.account.none_for = "burst"
    done = autoscaled.deploy()
    assert (done.returncode, "nodes: burst" in done.stderr) == (0, False), done.stderr


def test_a_pause_stops_the_groups_that_karpenter_does_not_size(autoscaled: Bundle) -> None:
    hyperpod = autoscaled.account.hyperpod
    for _ in range(2):
        said = succeeded(autoscaled.deploy("--pause"))
        assert hyperpod.groups == {"h200": 0, "burst": 3}
    assert "nodes of Karpenter until their pods end" in said
    hyperpod.groups["burst"] = hyperpod.current["burst"] = 1
    succeeded(autoscaled.deploy("--resume"))
    assert hyperpod.groups == {"h200": 8, "burst": 1}


def test_without_groups_of_a_fixed_size_there_is_nothing_to_pause(tmp_path: Path) -> None:
    group = "{name: h200, instance_type: p5en.48xlarge, count: {min: 0, max: 8}}"
    files = files_of(f"{EKS}{KARPENTER}node_groups: [{group}]", "eks")
    assert "so `deploy.sh` refuses `--pause` and `--resume`" in files["README.md"]
    with reaching(tmp_path, files) as made:
        succeeded(made.deploy())
        succeeded(made.deploy())
        rejected(made.deploy("--pause"), "Karpenter sizes the groups")


def test_a_cluster_without_scripts_uploads_none(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of("", "slurm")) as made:
        succeeded(made.deploy())
        assert not [key for key in made.account.objects if "/lifecycle/" in key]
        assert not (made.folder / "lifecycle").exists()


def test_with_mode_legacy_parameters_are_filled(tmp_path: Path) -> None:
    # Nothing installs Pyxis in this mode.
    spec = SPEC.replace("containers: pyxis", "containers: none")
    spec += "targets: {hyperpod-slurm: {mode: legacy}}\n"
    with reaching(tmp_path, files_of(spec, "slurm")) as made:
        succeeded(made.deploy())
        uploaded = made.account.uploaded("/lifecycle/")
        parameters = json.loads(uploaded["provisioning_parameters.json"])
        assert parameters["fsx_dns_name"] == "storagefsxdnsname-0a1b"
        assert parameters["controller_group"] == "controller"


def test_a_group_has_its_minimum_again_after_a_pause(tmp_path: Path) -> None:
    spec = "node_groups: [{name: h200, instance_type: p5en.48xlarge, count: {min: 2, max: 4}}]"
    with reaching(tmp_path, files_of(spec, "slurm")) as made:
        for action in ((), ("--pause",), ("--pause",), ("--resume",)):
            succeeded(made.deploy(*action))
        hyperpod = made.account.hyperpod
        assert (hyperpod.groups["h200"], hyperpod.minimums["h200"]) == (4, 2)


PLACES = ("LifeCycleConfig", "InstanceStorageConfigs", "ExecutionRole", "OverrideVpcConfig")
LEAST = "count: {min: 1, max: 2}"
FIRST = {
    "slurm": SPEC.replace("count: 2", LEAST),
    "eks": f"node_groups: [{{name: h200, instance_type: p5en.48xlarge, {LEAST}}}]\n{EKS}",
}
MORE = "storage:\n  - {mount: /more, type: fsx-lustre, size: 1200GiB}\n"
# With a file system, and on Slurm with other scripts, which the deployed bundle does not have.
SECOND = {
    "slurm": FIRST["slurm"].replace("storage:\n", MORE).replace("name: alice", "name: carol"),
    "eks": FIRST["eks"] + MORE,
}


@pytest.mark.parametrize("orchestrator", TARGETS)
def test_a_changed_bundle_is_deployed_in_a_pause(orchestrator: str, tmp_path: Path) -> None:
    """A pause, and a resume without it, need nothing that only its deployment makes."""
    with reaching(tmp_path, files_of(FIRST[orchestrator], orchestrator)) as made:

        def act(action: str = "") -> tuple[int, dict[str, Any]]:
            succeeded(made.deploy(*action.split()))
            sent = hyperpod.sent["h200"]
            return hyperpod.groups["h200"], {name: sent.get(name) for name in PLACES}

        hyperpod = made.account.hyperpod
        _, before = act()
        made.render(files_of(SECOND[orchestrator], orchestrator))
        assert (act("--pause"), act("--resume")) == ((0, before), (2, before))
        act("--pause")
        empty, after = act()
        assert (empty, after != before, hyperpod.minimums["h200"]) == (0, True, 0)
        assert act("--resume") == (2, after)
        assert hyperpod.minimums["h200"] == 1


def test_a_pause_that_ended_no_nodes_is_repeated_first(bundle: Bundle) -> None:
    succeeded(bundle.deploy())
    bundle.account.fail("update-cluster", ("ValidationException", "no"))
    assert bundle.deploy("--pause").returncode != 0
    rejected(bundle.deploy(), "not all of its groups have zero nodes: run deploy.sh --pause or")
    succeeded(bundle.deploy("--pause"))


def test_a_new_cluster_is_not_paused(bundle: Bundle) -> None:
    """Others deleted the one that was."""
    for action in ((), ("--pause",)):
        succeeded(bundle.deploy(*action))
    bundle.account.hyperpod.status = ""
    bundle.account.hyperpod.groups = {}
    succeeded(bundle.deploy())
    assert bundle.account.hyperpod.groups["h200"]
    assert not [key for key in bundle.account.objects if "/paused/" in key]


def test_a_pause_leaves_groups_alone_that_the_cluster_does_not_have(tmp_path: Path) -> None:
    """A group that the spec has got since is added by the next deployment, not by a pause."""
    one = "{name: h200, instance_type: p5en.48xlarge, count: 4}"
    two = "{name: cpu, instance_type: m7i.4xlarge, count: 2}"
    first, more = (f"node_groups: [{text}]\n" for text in (one, f"{one}, {two}"))
    with reaching(tmp_path, files_of(first, "slurm")) as made:
        hyperpod = made.account.hyperpod
        succeeded(made.deploy())
        made.render(files_of(more, "slurm"))
        for action, count in (("--pause", 0), ("--resume", 4)):
            succeeded(made.deploy(action))
            assert (hyperpod.groups["h200"], "cpu" in hyperpod.groups) == (count, False)
        succeeded(made.deploy())
        assert hyperpod.groups["cpu"] == 2
        succeeded(made.deploy("--pause"))
        del hyperpod.groups["cpu"]
        succeeded(
            made.deploy("--resume"), "The instance group cpu is not in the spec, or no longer in"
        )
        assert (hyperpod.groups["h200"], "cpu" in hyperpod.groups) == (4, False)


@pytest.mark.parametrize(("mode", "fails"), [("api", False), ("legacy", True)])
def test_the_readme_says_when_the_controller_fails_the_cluster(mode: str, fails: bool) -> None:
    spec = f"targets: {{hyperpod-slurm: {{mode: {mode}}}}}\nusers: [{{name: alice, uid: 2001}}]\n"
    readme = " ".join(files_of(spec, "slurm")["README.md"].split())
    assert ("the whole cluster is `Failed`" in readme) is fails
    assert ("step that jobs do not need, it takes jobs" in readme) is not fails


@pytest.fixture
def slurm(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files_of(SPEC, "slurm")) as made:
        succeeded(made.deploy())
        yield made


def test_a_plan_says_what_changes_in_the_cluster(slurm: Bundle) -> None:
    slurm.render(files_of(SPEC.replace("count: 2", "count: 4"), "slurm"))
    assert "Modify h200: 2 -> 4 nodes" in succeeded(slurm.deploy("--plan"))
    assert calls(slurm, "update-cluster") == []
    assert slurm.account.hyperpod.groups["h200"] == 2


def test_a_plan_forgets_no_pause(slurm: Bundle) -> None:
    succeeded(slurm.deploy("--pause"))
    slurm.account.hyperpod.status, slurm.account.hyperpod.groups = "", {}
    succeeded(slurm.deploy("--plan"))
    assert [key for key in slurm.account.objects if "/paused/" in key]


def test_nodes_do_not_start_without_their_scripts(slurm: Bundle) -> None:
    (slurm.folder / "lifecycle" / "on_init_complete.sh").unlink()
    rejected(slurm.deploy(), "the bundle has no lifecycle/on_init_complete.sh: render the spec")


def test_an_update_that_was_undone_without_a_word_is_a_failure(slurm: Bundle) -> None:
    slurm.render(files_of(SPEC.replace("count: 2", "count: 4"), "slurm"))
    shown = slurm.account.hyperpod.describe_cluster(Request("", "", {}, []))
    slurm.account.answers["sagemaker describe-cluster"] = shown
    rejected(slurm.deploy(), "example is InService, and not as requested: h200 is not as requested")


def test_a_resume_of_a_cluster_that_is_gone_waits_for_nothing(slurm: Bundle) -> None:
    succeeded(slurm.deploy("--pause"))
    slurm.account.hyperpod.status, slurm.account.hyperpod.groups = "", {}
    said = succeeded(slurm.deploy("--resume"))
    assert "The instance group h200 is not in the spec, or no longer in example" in said
    assert "Waiting for the cluster to be in service" not in said


@pytest.fixture
def sized(autoscaled: Bundle) -> Bundle:
    """A paused cluster whose spec leaves the size of all groups to Karpenter now."""
    succeeded(autoscaled.deploy("--pause"))
    autoscaled.render(
        files_of(BESIDE_KARPENTER.replace("count: 8}", "count: {min: 0, max: 8}}"), "eks")
    )
    return autoscaled


def paused(made: Bundle) -> list[str]:
    return [key for key in made.account.objects if "/paused/" in key]


def test_a_deployment_ends_a_pause_of_groups_that_karpenter_sizes_now(sized: Bundle) -> None:
    for action in ("--pause", "--resume"):
        rejected(sized.deploy(action), "Karpenter sizes the groups")
    sized.account.fail("readyz", ("", "no route to host"))
    rejected(sized.deploy(), "the API of training does not respond")
    assert paused(sized)
    succeeded(sized.deploy())
    assert not paused(sized)


def test_a_pause_that_cannot_be_read_does_not_stop_a_deletion(slurm: Bundle) -> None:
    succeeded(slurm.deploy("--pause"))
    [key] = paused(slurm)
    slurm.account.objects[key] = b"?"
    succeeded(slurm.deploy("--destroy"))
    assert not paused(slurm)
