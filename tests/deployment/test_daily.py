"""What people do every day with a cluster that runs, on every target."""

import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from clustergen.deployment.nodes import of_group
from clustergen.deployment.programs import Installed
from tests.support.cloud.commands import Bundle, reaching
from tests.support.outcomes import succeeded
from tests.support.scripts import completed
from tests.targets.test_deployments import STORAGE, TARGETS, files

SESSION = "ssm start-session --region us-east-1 --target "

pytestmark = pytest.mark.sampled(3)


@pytest.fixture
def target(request: pytest.FixtureRequest) -> str:
    return str(getattr(request, "param", "pcs"))


@pytest.fixture
def bundle(target: str, tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files(target)) as made:
        made.deployed()
        made.account.batch.instances = ["i-batch"]
        made.account.pcluster.nodes = {"gpu": 3}
        (made.tools / "session-manager-plugin").touch()
        yield made


def rows(bundle: Bundle, *options: str) -> list[list[str]]:
    return [line.split("\t") for line in bundle.deployed(*options).stdout.splitlines()]


ENVIRONMENT = "computeenvironmenth200-0a1b"
SHOWN = {
    "pcs": "group h200 2 to 2 nodes ACTIVE",
    "eks": "group h200 2 nodes ACTIVE",
    "batch": f"group {ENVIRONMENT} 384 vCPUs ENABLED VALID",
    "parallelcluster": "fleet example RUNNING",
    "hyperpod-slurm": "cluster example InService",
    "hyperpod-eks": "group h200 2 of 2 nodes InService",
}
NODES = {
    "pcs": "h200 i-pcs-h200-0-0 running 10.0.0.5",
    "eks": "h200 i-h200-0 running 10.0.0.7",
    "batch": f"{ENVIRONMENT} i-batch ACTIVE",
    "parallelcluster": "gpu i-00000000000000002 running 10.0.0.7",
    "hyperpod-slurm": "controller i-controller Running",
    "hyperpod-eks": "h200 i-h200 Running",
}
EVERY = [(target, target) for target in TARGETS]


@pytest.mark.parametrize(("target", "of"), EVERY, indirect=["target"])
def test_status_shows_stacks_groups_and_nodes(bundle: Bundle, of: str) -> None:
    shown = [" ".join(row) for row in rows(bundle, "--status")]
    assert {"stack example-foundation CREATE_COMPLETE", SHOWN[of], f"node {NODES[of]}"} <= {*shown}
    assert "paused" not in shown


def test_status_says_what_does_not_exist_and_what_is_paused(bundle: Bundle) -> None:
    bundle.deployed("--pause")
    assert rows(bundle, "--status")[-1] == ["paused"]
    bundle.deployed("--destroy")
    done = bundle.deployed("--status")
    assert "example does not exist in us-east-1" in done.stderr
    assert done.stdout == "stack\texample-foundation\tCREATE_COMPLETE\n"


@pytest.mark.parametrize("target", ["eks"], indirect=True)
def test_status_shows_what_eks_complains_of(bundle: Bundle) -> None:
    issue = {"code": "AsgInstanceLaunchFailures", "message": "no capacity"}
    shown = {"scalingConfig": {"desiredSize": 2}, "status": "DEGRADED"}
    shown["health"] = {"issues": [issue]}
    bundle.account.answers["eks describe-nodegroup"] = {"nodegroup": shown}
    [row, *_] = [row for row in rows(bundle, "--status") if row[0] == "group"]
    assert row[-1] == "AsgInstanceLaunchFailures: no capacity"


ENTERED = {
    "pcs": f"{SESSION}i-pcs-h200-0-0",
    "eks": "eks update-kubeconfig --region us-east-1 --name example",
    "batch": f"{SESSION}i-batch",
    "parallelcluster": f"{SESSION}i-0a1b2c3d4e5f67890",
    "hyperpod-slurm": f"{SESSION}sagemaker-cluster:abc123_controller-i-controller",
    "hyperpod-eks": "eks update-kubeconfig --region us-east-1 --name example",
}


@pytest.mark.parametrize(("target", "of"), EVERY, indirect=["target"])
def test_login_opens_a_shell_where_people_log_in(bundle: Bundle, of: str) -> None:
    bundle.deployed("--login")
    assert bundle.calls[-1] == f"aws {ENTERED[of]}"


@pytest.mark.parametrize("target", ["hyperpod-eks"], indirect=True)
def test_login_opens_a_shell_on_the_node_that_is_named(bundle: Bundle) -> None:
    for node in ("h200", "i-h200"):
        bundle.deployed("--login", "--node", node)
        assert bundle.calls[-1] == f"aws {SESSION}sagemaker-cluster:abc123_h200-i-h200"
    bundle.stops("no node i-other runs", "--login", "--node", "i-other")


def test_login_says_what_it_needs(bundle: Bundle) -> None:
    bundle.remove("session-manager-plugin")
    bundle.stops("session-manager-plugin is required", "--login")
    bundle.render(files("pcs", "targets: {pcs: {leave_out: [session-manager]}}\n"))
    bundle.stops("only SSH reaches nodes", "--login")
    bundle.deployed("--destroy")
    bundle.render(files("pcs"))
    bundle.stops("no node of example runs", "--login")


GROUPS = {
    "pcs": "/aws/pcs/clusterid-0a1b/lifecycle",
    "eks": "/aws/eks/example/cluster",
    "batch": "/aws/batch/example",
    "parallelcluster": "/aws/parallelcluster/example-202611290000",
    "hyperpod-slurm": "/aws/sagemaker/Clusters/example/abc123",
    "hyperpod-eks": "/aws/sagemaker/Clusters/example/abc123",
}


@pytest.mark.parametrize(("target", "of"), EVERY, indirect=["target"])
def test_logs_shows_the_events_of_a_node(bundle: Bundle, of: str) -> None:
    if of in ("eks", "batch"):
        bundle.stops("do not name nodes: leave out --node", "--logs", "--node", "i-1")
        return
    streams = {"later/i-1": 1_000, "earlier/i-1": 0, "i-2": 0}
    bundle.account.events[GROUPS[of]] = [
        {"logStreamName": stream, "timestamp": time, "message": f"booted {time}\n"}
        for stream, time in streams.items()
    ]
    shown = rows(bundle, "--logs", "--node", "i-1")
    assert shown == [
        ["1970-01-01T00:00:00Z", "earlier/i-1", "booted 0"],
        ["1970-01-01T00:00:01Z", "later/i-1", "booted 1000"],
    ]


def test_logs_are_those_of_the_nodes_that_are_named(bundle: Bundle) -> None:
    names = ("i-pcs-h200-0-0", "i-pcs-h200-0-1", "i-other")
    events = [{"logStreamName": n, "timestamp": 0, "message": n} for n in names]
    bundle.account.events[GROUPS["pcs"]] = events
    for node, count in (("h200", 2), ("10.0.0.5", 1), ("i-other", 1)):
        assert len(rows(bundle, "--logs", "--node", node)) == count
    bundle.stops("no node or node group h20 is there", "--logs", "--node", "h20")


def test_logs_that_are_not_there_are_named(bundle: Bundle) -> None:
    done = bundle.deployed("--logs")
    assert f"There is no log group {GROUPS['pcs']}" in done.stderr
    bundle.deployed("--destroy")
    bundle.stops("example does not exist", "--logs")


NAMES = {target: words.split()[1] for target, words in NODES.items()}
DRAINED = {
    "pcs": "ssm send-command --instance-ids i-pcs-h200-0-1",
    "eks": "kubectl --context example --request-timeout 30s cordon ip-i-h200-0",
    "batch": "ecs update-container-instances-state",
    "parallelcluster": "ssm send-command --instance-ids i-0a1b2c3d4e5f67890",
    "hyperpod-eks": "kubectl --context example --request-timeout 30s cordon hyperpod-i-h200",
}


@pytest.mark.parametrize(
    ("target", "of"), [each for each in EVERY if each[0] in DRAINED], indirect=["target"]
)
def test_drain_keeps_jobs_off_a_node(bundle: Bundle, of: str) -> None:
    done = bundle.deployed("--drain", "--node", NAMES[of])
    assert bundle.account.drained == {NAMES[of]}
    assert bundle.calling(DRAINED[of])
    assert f"{NAMES[of]} gets no more jobs. To take that back: " in done.stderr


@pytest.mark.parametrize("target", ["hyperpod-slurm"], indirect=True)
def test_a_node_on_which_no_command_runs_is_drained_by_hand(bundle: Bundle) -> None:
    way = "deploy.sh --login --node i-controller, and there: sudo"
    bundle.stops(way, "--drain", "--node", "i-h200")


def test_drain_says_why_slurm_refuses(bundle: Bundle) -> None:
    bundle.account.refusal = "Slurm has no node with the address 10.0.0.5"
    done = bundle.stops("ended with Failed", "--drain", "--node", NAMES["pcs"])
    assert bundle.account.refusal in done.stderr


@pytest.mark.parametrize(("target", "of"), EVERY, indirect=["target"])
def test_replace_ends_the_node_that_was_named(bundle: Bundle, of: str) -> None:
    name = "i-h200" if of == "hyperpod-slurm" else NAMES[of]
    bundle.stops(f"this deletes what runs on {name}", "--replace", "--node", name)
    assert not bundle.account.ended
    bundle.deployed("--replace", "--node", name, "--yes")
    assert bundle.account.ended == {name}


def test_tests_of_slurm_are_submitted_on_a_node(bundle: Bundle) -> None:
    done = bundle.deployed("--test", "--node", "h200")
    assert done.stdout == "drained\n"
    [call] = bundle.calling("ssm send-command")
    assert "nodes-h200.sbatch" in call
    [key] = [key for key in bundle.account.objects if "/tests/example-pcs" in key]
    with tarfile.open(fileobj=io.BytesIO(bundle.account.objects[key])) as archive:
        assert {"smoke/run.sh", "verify.sh"} <= {*archive.getnames()}
    bundle.account.refusal = "FAIL  nodes-h200.sbatch"
    assert bundle.account.refusal in bundle.stops("ended with Failed", "--test").stderr
    bundle.render(files("pcs", "storage: []\n"))
    bundle.stops("tests need a file system that all nodes share", "--test")


def test_the_script_of_tests_unpacks_and_runs_them(bundle: Bundle, tmp_path: Path) -> None:
    bundle.deployed("--test")
    [call] = bundle.calling("ssm send-command")
    commands = json.loads(call[call.index("{") :])["commands"]
    shared, text = tmp_path / "fsx", "\n".join(commands[1:])
    programs = {
        "aws": f"cat '{bundle.folder}/.filled/tests.tgz'",
        "id": "whoami",
        "runuser": '[[ $3 != -c ]] || exec bash -c "$4"; shift 3; exec "$@"',
        "chown": '[[ $1 == "$(whoami)" && -O $2 ]]',
        "sbatch": "echo 7",
    }
    shared.mkdir()
    for name, body in programs.items():
        (tmp_path / name).write_text(f"#!/bin/bash\n{body}\n")
        (tmp_path / name).chmod(0o755)
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    done = completed("bash", "-c", text.replace("/fsx/", f"{shared}/"), env=path)
    succeeded(done)
    assert "PASS  nodes-h200.sbatch" in done.stdout
    [made] = shared.iterdir()
    assert f"The tests are in {made}." in done.stdout
    assert made.stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("target", ["hyperpod-slurm"], indirect=True)
def test_tests_are_run_by_hand_where_no_command_runs(bundle: Bundle) -> None:
    bundle.stops("smoke/run.sh", "--test", "--node", "h200")
    assert bundle.calling("s3api put-object", "tests/example-hyperpod-slurm.tgz")


@pytest.mark.parametrize(("target", "of"), [("eks", "eks")], indirect=["target"])
def test_tests_of_kubernetes_run_one_after_the_other(bundle: Bundle, of: str) -> None:
    tests = sorted(path.name for path in (bundle.folder / "smoke").iterdir())
    bundle.account.printed = "# Out of bounds values : 0 OK\nSelected provider is efa"
    assert rows(bundle, "--test", "--node", "h200") == [["PASS", name] for name in tests]
    assert not bundle.account.applied & {*tests}
    bundle.account.refusal = "no GPU"
    done = bundle.stops(f"these tests have failed: {tests[0]}", "--test")
    assert done.stdout.splitlines() == [f"FAIL\t{name}" for name in tests]
    assert {*tests} <= bundle.account.applied


@pytest.mark.parametrize("target", ["eks"], indirect=True)
def test_a_test_without_its_output_has_failed(bundle: Bundle) -> None:
    bundle.account.printed = "# Out of bounds values : 0 OK\nSelected provider is tcp"
    bundle.stops("h200-all-reduce has not printed: Selected provider is efa", "--test")


@pytest.mark.parametrize("word", ["other", "h20", "h200$(touch /tmp/x)", "/x", "i-pcs-h200-0-0"])
def test_tests_are_of_a_node_group(bundle: Bundle, word: str) -> None:
    bundle.stops(f"{word} is no node group: --test takes h200.", "--test", "--node", word)


def test_names_of_node_groups_may_end_alike() -> None:
    tests = {name: name for name in ("nodes-gpu", "nodes-big-gpu", "efa-big-gpu", "run")}
    assert of_group(("gpu", "big-gpu"), tests, "gpu", "-{}") == ["nodes-gpu"]
    assert of_group(("gpu", "big-gpu"), tests, "big-gpu", "-{}") == ["nodes-big-gpu", "efa-big-gpu"]
    assert of_group(("a", "a-b"), {"a-b-efa": "a-b-efa", "a-efa": "a-efa"}, "a", "{}-") == ["a-efa"]


@pytest.mark.parametrize("target", ["batch"], indirect=True)
def test_tests_of_batch_are_jobs(bundle: Bundle) -> None:
    assert "PASS" in bundle.deployed("--test").stderr
    bundle.account.batch.failing = "no GPU"
    bundle.stops("a test has failed", "--test")
    bundle.stops("leave out --node", "--test", "--node", "h200")


@pytest.mark.parametrize("target", ["batch"], indirect=True)
def test_a_drained_node_can_be_replaced(bundle: Bundle) -> None:
    bundle.account.refusal = "MISSING"
    bundle.stops("ECS does not drain i-batch: MISSING", "--drain", "--node", "i-batch")
    bundle.account.refusal = ""
    bundle.deployed("--drain", "--node", "i-batch")
    bundle.deployed("--replace", "--node", "i-batch", "--yes")
    assert bundle.account.ended == {"i-batch"}


@pytest.mark.parametrize("target", ["hyperpod-slurm"], indirect=True)
def test_a_node_that_is_ill_can_be_replaced(bundle: Bundle) -> None:
    bundle.account.no_capacity = True
    bundle.stops("no node i-h200 runs", "--login", "--node", "i-h200")
    bundle.deployed("--replace", "--node", "i-h200", "--yes")
    assert bundle.account.ended == {"i-h200"}


KARPENTER = """
kubernetes: {autoscaler: karpenter}
node_groups: [{name: h200, count: {min: 0, max: 4}}]
"""


@pytest.mark.parametrize("target", ["eks"], indirect=True)
def test_nodes_of_karpenter_are_those_of_this_cluster(bundle: Bundle) -> None:
    bundle.account.claims = {"mine": "h200"}
    bundle.render(files("eks", KARPENTER))
    assert ["node", "h200", "i-mine"] in [row[:3] for row in rows(bundle, "--status")]
    bundle.account.eks_name = "other"
    assert "i-mine" not in bundle.deployed("--status").stdout


def test_commands_need_what_the_spec_leaves_out(bundle: Bundle) -> None:
    bundle.render(files("pcs", f"{STORAGE}targets: {{pcs: {{leave_out: [session-manager]}}}}\n"))
    for action in (["--drain", "--node", NAMES["pcs"]], ["--test"]):
        bundle.stops("nothing runs commands on nodes", *action)
    assert not bundle.calling("send-command")


ALONE = {"parallelcluster": "i-0a1b2c3d4e5f67890", "hyperpod-slurm": "i-controller"}


@pytest.mark.parametrize(("target", "node"), ALONE.items(), indirect=["target"])
def test_replace_leaves_the_only_controller(bundle: Bundle, node: str) -> None:
    bundle.stops("replace", "--replace", "--node", node, "--yes")
    assert not bundle.account.ended


@pytest.mark.parametrize("target", ["hyperpod-eks"], indirect=True)
def test_replace_says_why_hyperpod_refuses(bundle: Bundle) -> None:
    bundle.account.refusal = "the instance is being replaced"
    bundle.stops(bundle.account.refusal, "--replace", "--node", "i-h200", "--yes")


def test_what_ends_a_node_is_about_one_node(bundle: Bundle) -> None:
    for action in ("--drain", "--replace"):
        bundle.stops("no node h200 runs", action, "--node", "h200", "--yes")


def test_options_that_make_no_sense_are_rejected(bundle: Bundle) -> None:
    bundle.stops("--status has no --plan and no --dry-run", "--status", "--plan")
    bundle.stops("--node is for --login", "--destroy", "--node", "i-1")
    bundle.stops("leave out --output json", "--login", "--output", "json")
    bundle.stops("--drain needs --node", "--drain")


def test_ctrl_c_is_for_the_program_with_the_terminal() -> None:
    assert Installed().attach(["bash", "-c", "kill -INT $PPID; exit 3"]) == 3
