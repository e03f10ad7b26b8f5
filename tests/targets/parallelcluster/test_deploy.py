"""deploy.sh of ParallelCluster, in an account that remembers."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from clustergen.deployment.programs import Installed
from tests.support.cloud.account import EXPIRED, THROTTLED, Fault
from tests.support.cloud.answers import Done, Request
from tests.support.cloud.commands import Bundle, reaching
from tests.targets.parallelcluster.planned import files
from tests.targets.parallelcluster.specs import SPECS

pytestmark = pytest.mark.scenarios(6)

NETWORK = {"Subnets": [{"VpcId": "vpc-0a1b2c3d4e5f67890"}, {"VpcId": "vpc-0a1b2c3d4e5f67890"}]}


@contextmanager
def bundle(folder: Path, fragment: str = "") -> Iterator[Bundle]:
    with reaching(folder, files(fragment)) as made:
        made.account.values["ScriptsBucketName"] = "scripts-bucket"
        support = {"EnableDnsSupport": {"Value": True}, "EnableDnsHostnames": {"Value": True}}
        answers = {"ec2 describe-subnets": NETWORK, "ec2 describe-vpc-attribute": support}
        made.account.answers = answers
        yield made


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Bundle]:
    with bundle(tmp_path) as new:
        yield new


def calls(made: Bundle, *words: str) -> list[str]:
    return made.account.calling("pcluster", *words)


WHERE = "--cluster-name example --region us-east-1"
FILE = "--cluster-configuration .filled/cluster.yaml"


def test_a_new_cluster_is_validated_then_created(tmp_path: Path) -> None:
    with bundle(tmp_path, "software: {containers: pyxis}") as made:
        made.deployed()
        changing = [c for c in calls(made) if "describe" not in c]
        assert changing == [
            "pcluster version",
            f"pcluster create-cluster {FILE} --dryrun true {WHERE}",
            f"pcluster create-cluster {FILE} --rollback-on-failure false {WHERE}",
        ]
        assert "scripts-bucket/clusters/example/hook.sh" in made.account.objects
        filled = (made.folder / ".filled/cluster.yaml").read_text()
        assert 'SubnetId: "privatesubnetid-0a1b"' in filled
        assert "${" not in filled


def test_another_version_of_pcluster_changes_nothing(made: Bundle) -> None:
    made.account.pcluster.version = "3.15.0"
    made.stops("pcluster 3.16.1 is required")
    assert made.account.calling("create-change-set") == []


def test_a_hook_that_is_left_out_is_not_uploaded(tmp_path: Path) -> None:
    with bundle(tmp_path, "targets: {parallelcluster: {leave_out: [hook]}}") as made:
        made.deployed()
        assert not any("hook" in key for key in made.account.objects)
        assert not (made.folder / "scripts/hook.sh").exists()


def test_an_existing_cluster_is_updated(made: Bundle) -> None:
    made.deploy()
    made.render(files("tags: {team: research}"))
    made.deployed()
    assert f"pcluster update-cluster {FILE} {WHERE}" in calls(made)


LOST = """
storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB, created_by: cluster, on_delete: delete}]
"""


@pytest.mark.parametrize("fragment", ["", LOST])
def test_a_failed_cluster_is_kept_for_inspection(fragment: str, tmp_path: Path) -> None:
    with bundle(tmp_path, fragment) as made:
        made.account.pcluster.fails = True
        for message in ("is kept for inspection", "is CREATE_FAILED and cannot be updated"):
            said = made.stops(message).stderr
            assert "ParallelCluster says: Cluster creation timed out." in said
            assert ("--destroy --allow-replacement" in said) is bool(fragment)
        assert calls(made, "update-cluster") == []
        made.deployed("--destroy", *(["--allow-replacement"] if fragment else []))
        made.account.pcluster.fails = False
        made.deployed()


STOP = "Stop the compute fleet with the pcluster update-compute-fleet command"


@pytest.mark.parametrize("refusal", ["Invalid cluster configuration.", STOP])
def test_a_configuration_that_pcluster_rejects_is_not_deployed(made: Bundle, refusal: str) -> None:
    made.account.pcluster.refusal = refusal
    done = made.stops("does not accept cluster.yaml")
    assert ("run deploy.sh --pause" in done.stderr) is (refusal == STOP)
    assert made.account.pcluster.status == ""


def test_what_pcluster_warns_of_is_printed(made: Bundle) -> None:
    made.account.pcluster.findings = [
        {"level": level, "type": "AValidator", "message": f'of level "{level}"'}
        for level in ("INFO", "WARNING")
    ]
    lines = made.deployed().stderr.splitlines()
    assert [x for x in lines if "warns" in x] == ['ParallelCluster warns: of level "WARNING"']


def test_a_plan_validates_an_update_and_changes_nothing(made: Bundle) -> None:
    made.deployed()
    before = dict(made.account.objects)
    made.render(files("tags: {team: research}"))
    done = made.deployed("--plan")
    assert "ParallelCluster accepts cluster.yaml" in done.stderr
    made.render(files("software: {containers: pyxis}"))
    assert "once its scripts are uploaded" in made.deployed("--plan").stderr
    assert made.account.objects == before
    assert made.account.calling("execute-", "put-object") == []
    made.deployed()


def test_a_rejected_update_leaves_the_foundation_as_it_is(made: Bundle) -> None:
    made.deploy()
    made.render(files("tags: {team: research}"))
    made.account.pcluster.refusal = "Invalid cluster configuration."
    made.stops("Nothing was changed in the cluster")
    assert made.account.calling("execute-change-set") == []
    [stack] = made.account.cloudformation.stacks.values()
    assert stack.change_sets == {}
    made.account.pcluster.refusal = ""
    made.deployed()


DATED = """
node_groups:
  - {name: h200, count: 2, capacity: {capacity_block: cr-0a1b2c3d4e5f67890,
     starts: '2026-12-01T11:30:00Z', ends: '2026-12-%dT11:30:00Z'}}
software: {scripts: [{run: 's3://bucket/%s.sh', on: [head]}]}
"""


def test_a_rejected_update_leaves_what_nodes_read_as_it_is(tmp_path: Path) -> None:
    """The foundation is the same or changes as well."""

    def read_by_nodes(made: Bundle) -> dict[str, bytes]:
        return {key: text for key, text in made.account.objects.items() if "clusters/" in key}

    with bundle(tmp_path, DATED % (10, "one")) as made:
        made.deployed()
        before = read_by_nodes(made)
        names = {key.rpartition("/")[2] for key in before}
        assert names >= {"hook.sh", "parallelcluster-timetable.tsv"}
        for more in ("", "tags: {team: research}"):
            made.render(files(DATED % (20, "two") + more))
            made.account.pcluster.refusal = "Invalid cluster configuration."
            made.stops("Nothing was changed")
            assert read_by_nodes(made) == before
        made.account.pcluster.refusal = ""
        made.deployed()
        after = read_by_nodes(made)
        assert [key for key in before if after[key] == before[key]] == []


def test_the_hook_is_there_when_it_is_validated(made: Bundle) -> None:
    made.deployed()
    upload, *_ = made.account.calling("put-object", "hook.sh")
    [validation] = calls(made, "--dryrun true")
    order = made.account.calls
    assert order.index(upload) < order.index(validation)


FORGOTTEN = (
    "The capacity reservation 'cr-0a1b2c3d4e5f67890' does not exist",
    "The capacity reservation ID cr-0a1b2c3d4e5f67890 was not found",
    "list index out of range",
)


@pytest.mark.parametrize("reason", FORGOTTEN)
def test_capacity_that_ec2_has_forgotten(tmp_path: Path, reason: str) -> None:
    with bundle(tmp_path, DATED % (10, "one")) as made:
        made.account.pcluster.refusal = f"Invalid cluster configuration: {reason}"
        made.stops("EC2 no longer knows")
        made.account.pcluster.refusal = "Invalid cluster configuration: no such subnet"
        assert "EC2 no longer knows" not in made.deploy().stderr


def test_a_new_file_system_has_no_id_to_ask_about(made: Bundle) -> None:
    made.deploy()
    made.render(files("storage: [{mount: /work, type: efs}]"))
    made.deployed()
    assert len(calls(made, "--dryrun true")) == 1


def test_an_expired_token_is_no_verdict_on_the_configuration(made: Bundle) -> None:
    made.account.fail("--dryrun true", EXPIRED)
    assert "rejects" not in made.stops("does not accept these credentials").stderr


def test_the_validation_is_tried_again_when_aws_is_busy(made: Bundle) -> None:
    made.account.fail("--dryrun true", THROTTLED, times=2)
    made.deployed()
    assert len(calls(made, "--dryrun")) == 3


OTHER = {"Subnets": [*NETWORK["Subnets"], {"VpcId": "vpc-0a1b2c3d4e5f67899"}]}
NETWORKS = [
    ("ec2 describe-subnets", OTHER, "the subnets are not all in"),
    ("ec2 describe-vpc-attribute", {"EnableDnsSupport": {"Value": False}}, "enableDnsSupport of"),
]


@pytest.mark.parametrize(("call", "answer", "words"), NETWORKS)
def test_an_existing_network_is_checked(
    tmp_path: Path, call: str, answer: dict[str, object], words: str
) -> None:
    with bundle(tmp_path, SPECS["everything exists"]) as made:
        made.deployed()
        made.account.answers[call] = answer
        made.stops(words)


OF_CLUSTER = """storage:
  - {{mount: /apps, type: ebs, size: 500GiB, on_delete: {}}}
  - {{mount: /x, type: efs}}"""


@pytest.mark.parametrize(("fate", "stops"), [("delete", True), ("retain", False)])
def test_storage_that_the_cluster_would_delete_stops_the_run(
    tmp_path: Path, fate: str, stops: bool
) -> None:
    with bundle(tmp_path, OF_CLUSTER.format(fate)) as made:
        made.account.values["StorageXId"] = "fs-0a1b2c3d4e5f67890"
        made.deployed()
        made.render(files("storage: [{mount: /x, type: efs}, {mount: /y, type: efs}]"))
        made.account.values["StorageYId"] = "fs-0a1b2c3d4e5f67891"
        done = made.deploy()
        assert (done.returncode == 2) == stops, done.stderr
        assert ("would delete the storage at /apps, with all data in it" in done.stderr) == stops
        assert (f"pcluster update-cluster {FILE} {WHERE}" in calls(made)) != stops
        if stops:
            made.deployed("--allow-replacement")
            assert f"pcluster update-cluster {FILE} {WHERE}" in calls(made)


@pytest.mark.parametrize("fate", ["delete", "retain"])
def test_storage_goes_as_it_was_deployed(tmp_path: Path, fate: str) -> None:
    """The bundle keeps /apps, and is not deployed yet."""
    with bundle(tmp_path, OF_CLUSTER.format(fate)) as made:
        made.account.values["StorageXId"] = "fs-0a1b2c3d4e5f67890"
        made.deployed()
        made.render(files(OF_CLUSTER.format("retain")))
        done = made.deploy("--destroy")
        assert (done.returncode == 2) == (fate == "delete"), done.stderr
        words = "was deployed with storage that goes with it (AWS::EC2::Volume)"
        assert (words in done.stderr) == (fate == "delete")
        assert made.account.pcluster.status == ("CREATE_COMPLETE" if fate == "delete" else "")
        assert ("id-0 stays, with its data, and costs money" in done.stderr) == (fate == "retain")
        if fate == "delete":
            made.deployed()
            made.deployed("--destroy")


def test_a_deletion_that_was_interrupted_names_what_stays(tmp_path: Path) -> None:
    with bundle(tmp_path, OF_CLUSTER.format("retain")) as made:
        made.account.values["StorageXId"] = "fs-0a1b2c3d4e5f67890"
        made.deployed()
        made.stops("is not done after 0 minutes", "--destroy", "--wait", "0", last=True)
        made.account.run("sleep", ["3600"], made.folder)
        for stays in (True, False):
            done = made.deployed("--destroy")
            assert "The cluster example does not exist." in done.stderr
            assert ("id-0 stays, with its data" in done.stderr) is stays
            assert "The stack example-foundation remains" in done.stderr


SCRIPT = "software: {{scripts: [{{run: 's3://my-bucket/{}.sh'}}]}}"


@pytest.mark.parametrize(
    ("strategy", "how"),
    [
        ("drain", "replace the 2 nodes of the queue h200, each once its jobs have ended"),
        ("terminate", "terminate up to 2 nodes of the queue h200, at once and with their jobs"),
    ],
)
def test_an_update_says_what_it_does_to_nodes(tmp_path: Path, strategy: str, how: str) -> None:
    own = f"\ntargets: {{parallelcluster: {{queue_update_strategy: {strategy}}}}}"
    with bundle(tmp_path, SCRIPT.format("a") + own) as made:
        made.deployed()
        made.render(files(SCRIPT.format("b") + own))
        made.account.pcluster.nodes = {"h200": 2}
        done = made.stops("Scheduling.SlurmQueues[h200].CustomActions.OnNodeConfigured")
        assert f"the change would {how}" in done.stderr
        assert f"pcluster update-cluster {FILE} {WHERE}" not in calls(made)
        assert f"this will {how}" in made.deployed("--allow-replacement").stderr
        assert f"pcluster update-cluster {FILE} {WHERE}" in calls(made)


FEWER = [
    ("h200", "{name: h200, count: 4}", "{name: h200, count: 2}"),
    ("h200", "{name: h200, count: {min: 2, max: 4}}", "{name: h200, count: {min: 0, max: 4}}"),
    ("cpu", "{name: h200}, {name: cpu, instance_type: c7i.16xlarge, count: 4}", "{name: h200}"),
]


@pytest.mark.parametrize(("queue", "before", "after"), FEWER)
def test_an_update_asks_before_it_terminates_nodes_that_are_too_many(
    tmp_path: Path, queue: str, before: str, after: str
) -> None:
    """With this strategy, ParallelCluster accepts that while they run."""
    own = "node_groups: [{}]\ntargets: {{parallelcluster: {{queue_update_strategy: terminate}}}}"
    with bundle(tmp_path, own.format(before)) as made:
        made.deployed()
        made.render(files(own.format(after)))
        made.account.pcluster.nodes = {queue: 4}
        done = made.stops(f"terminate up to 4 nodes of the queue {queue}, at once")
        assert "add --allow removes-nodes" in done.stderr
        made.deployed("--allow-replacement")
        made.render(files(own.format(before)))
        made.deployed()


def test_nodes_that_start_while_the_foundation_changes(
    made: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The review before it has seen none."""
    made.deployed()
    account = made.account
    plain = account.cloudformation.execute_change_set

    def start_nodes(request: Request) -> Any:
        account.pcluster.nodes = {"h200": 2}
        return plain(request)

    monkeypatch.setattr(account.cloudformation, "execute_change_set", start_nodes)
    script = SCRIPT.format("a")
    made.render(files(f"tags: {{team: research}}\nstorage: [{{mount: /x, type: efs}}]\n{script}"))
    account.values["StorageXId"] = "fs-0a1b2c3d4e5f67890"
    made.stops("replace the 2 nodes of the queue h200")
    assert f"pcluster update-cluster {FILE} {WHERE}" not in calls(made)


def test_a_change_whose_answer_is_lost_is_not_made_again(made: Bundle) -> None:
    """It may have been made."""
    words = f"pcluster create-cluster {FILE} --rollback-on-failure"
    made.account.fail(words, ("RequestTimeout", "Read timeout on endpoint URL"), times=9)
    made.stops("Read timeout")
    assert len(calls(made, "--rollback-on-failure")) == 1


REFUSED = {
    "message": "Update failure",
    "updateValidationErrors": [{"message": "Stop the compute fleet"}],
}


def test_a_refusal_has_its_reasons(made: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its message alone says nothing. The validation may accept what is then refused."""
    made.deployed()
    made.render(files(SCRIPT.format("b")))
    plain = made.account.pcluster.run

    def refuse(words: list[str], fault: Fault | None) -> Done:
        refuses = words[0] == "update-cluster" and "--dryrun" not in words
        return Done(1, json.dumps(REFUSED)) if refuses else plain(words, fault)

    monkeypatch.setattr(made.account.pcluster, "run", refuse)
    assert '"message": "Stop the compute fleet"' in made.stops("this AWS command failed").stderr


def test_a_command_that_cannot_be_run(tmp_path: Path) -> None:
    """After an update of Python, the interpreter of a script may be gone."""
    script = tmp_path / "pcluster"
    script.write_text("#!/nowhere/python\n")
    script.chmod(0o755)
    ended = Installed().run([str(script)], tmp_path, {})
    assert (ended.status, "cannot be run: No such file" in ended.err) == (127, True)


@pytest.mark.parametrize(
    ("more", "nodes"),
    [("", {}), ("\nqueues: [{name: h200, node_groups: [h200], priority: 3}]", {"h200": 2})],
)
def test_an_update_without_nodes_to_replace_does_not_ask(
    tmp_path: Path, more: str, nodes: dict[str, int]
) -> None:
    with bundle(tmp_path, SCRIPT.format("a")) as made:
        made.deployed()
        made.render(files(SCRIPT.format("a" if more else "b") + more))
        made.account.pcluster.nodes = nodes
        assert "example changes:" in made.deployed().stderr


def test_no_signed_link_is_printed(made: Bundle) -> None:
    """Logs of a CI system have it for longer than an hour, and more people read them."""
    done = made.deploy()
    assert "clusterStatus\tCREATE_COMPLETE" in done.stdout
    assert "X-Amz-Signature" not in done.stdout + done.stderr
