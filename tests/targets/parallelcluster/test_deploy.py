"""deploy.sh of ParallelCluster, in an account that remembers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.cloud.account import EXPIRED, THROTTLED
from tests.support.cloud.commands import Bundle, reaching
from tests.targets.parallelcluster.planned import files
from tests.targets.parallelcluster.specs import SPECS

NETWORK = {"Subnets": [{"VpcId": "vpc-0a1b2c3d4e5f67890"}, {"VpcId": "vpc-0a1b2c3d4e5f67890"}]}


@contextmanager
def bundle(folder: Path, fragment: str = "") -> Iterator[Bundle]:
    with reaching(folder, files(fragment)) as made:
        made.account.values["ScriptsBucketName"] = "scripts-bucket"
        made.account.answers = {
            "ec2 describe-subnets": NETWORK,
            "ec2 describe-vpc-attribute": {"EnableDnsSupport": {"Value": True}},
        }
        yield made


def calls(made: Bundle, *words: str) -> list[str]:
    return made.account.calling("pcluster", *words)


WHERE = "--cluster-name example --region us-east-1"
FILE = "--cluster-configuration .filled/cluster.yaml"


def test_a_new_cluster_is_validated_then_created(tmp_path: Path) -> None:
    with bundle(tmp_path, "software: {containers: pyxis}") as made:
        done = made.deploy()
        assert done.returncode == 0, done.stderr
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


def test_another_version_of_pcluster_changes_nothing(tmp_path: Path) -> None:
    with bundle(tmp_path) as made:
        made.account.pcluster.version = "3.15.0"
        done = made.deploy()
        assert (done.returncode, "pcluster 3.16.1 is required" in done.stderr) == (2, True)
        assert made.account.calling("create-change-set") == []


def test_a_hook_that_is_left_out_is_not_uploaded(tmp_path: Path) -> None:
    with bundle(tmp_path, "targets: {parallelcluster: {leave_out: [hook]}}") as made:
        assert made.deploy().returncode == 0
        assert not any("hook" in key for key in made.account.objects)
        assert not (made.folder / "scripts/hook.sh").exists()


def test_an_existing_cluster_is_updated(tmp_path: Path) -> None:
    with bundle(tmp_path) as made:
        made.deploy()
        made.render(files("tags: {team: research}"))
        assert made.deploy().returncode == 0
        assert f"pcluster update-cluster {FILE} {WHERE}" in calls(made)


def test_a_failed_cluster_is_kept_for_inspection(tmp_path: Path) -> None:
    with bundle(tmp_path) as made:
        made.account.pcluster.fails = True
        done = made.deploy()
        assert (done.returncode, "is kept for inspection" in done.stderr) == (2, True)
        done = made.deploy()
        assert (done.returncode, "is CREATE_FAILED and cannot be updated" in done.stderr) == (
            2,
            True,
        )
        assert calls(made, "update-cluster") == []
        assert made.deploy("--destroy").returncode == 0
        made.account.pcluster.fails = False
        assert made.deploy().returncode == 0


def test_a_configuration_that_pcluster_rejects_is_not_deployed(tmp_path: Path) -> None:
    with bundle(tmp_path) as made:
        made.account.pcluster.refusal = "Invalid cluster configuration."
        done = made.deploy()
        assert (done.returncode, "ParallelCluster rejects" in done.stderr) == (2, True)
        assert made.account.pcluster.status == ""


def test_a_rejected_update_leaves_the_foundation_as_it_is(tmp_path: Path) -> None:
    with bundle(tmp_path) as made:
        made.deploy()
        made.render(files("tags: {team: research}"))
        made.account.pcluster.refusal = "Invalid cluster configuration."
        done = made.deploy()
        assert (done.returncode, "Nothing was changed." in done.stderr) == (2, True)
        assert made.account.calling("execute-change-set") == []
        [stack] = made.account.cloudformation.stacks.values()
        assert stack.change_sets == {}
        made.account.pcluster.refusal = ""
        assert made.deploy().returncode == 0


DATED = """
node_groups:
  - name: h200
    count: 2
    capacity: {capacity_block: cr-0a1b2c3d4e5f67890, starts: '2026-12-01T11:30:00Z',
      ends: '2026-12-%dT11:30:00Z'}
software: {scripts: [{run: 's3://bucket/%s.sh', on: [head]}]}
"""


def test_a_rejected_update_leaves_what_nodes_read_as_it_is(tmp_path: Path) -> None:
    """The foundation is the same or changes as well."""

    def read_by_nodes() -> dict[str, bytes]:
        return {key: text for key, text in made.account.objects.items() if "clusters/" in key}

    with bundle(tmp_path, DATED % (10, "one")) as made:
        assert made.deploy().returncode == 0
        before = read_by_nodes()
        assert {key.rpartition("/")[2] for key in before} >= {
            "hook.sh",
            "parallelcluster-timetable.tsv",
        }
        for more in ("", "tags: {team: research}"):
            made.render(files(DATED % (20, "two") + more))
            made.account.pcluster.refusal = "Invalid cluster configuration."
            done = made.deploy()
            assert (done.returncode, "Nothing was changed" in done.stderr) == (2, True)
            assert read_by_nodes() == before
        made.account.pcluster.refusal = ""
        assert made.deploy().returncode == 0
        after = read_by_nodes()
        assert [key for key in before if after[key] == before[key]] == []


def test_the_hook_is_there_when_it_is_validated(tmp_path: Path) -> None:
    with bundle(tmp_path) as made:
        assert made.deploy().returncode == 0
        upload, *_ = made.account.calling("s3 cp", "hook.sh")
        [validation] = calls(made, "--dryrun true")
        order = made.account.calls
        assert order.index(upload) < order.index(validation)


@pytest.mark.parametrize(
    "reason",
    [
        "The capacity reservation 'cr-0a1b2c3d4e5f67890' does not exist",
        "The capacity reservation ID cr-0a1b2c3d4e5f67890 was not found",
        "list index out of range",
    ],
)
def test_capacity_that_ec2_has_forgotten(tmp_path: Path, reason: str) -> None:
    with bundle(tmp_path, DATED % (10, "one")) as made:
        made.account.pcluster.refusal = f"Invalid cluster configuration: {reason}"
        done = made.deploy()
        assert (done.returncode, "EC2 no longer knows" in done.stderr) == (2, True)
        made.account.pcluster.refusal = "Invalid cluster configuration: no such subnet"
        assert "EC2 no longer knows" not in made.deploy().stderr
        assert (
            "as long as EC2 still shows the reservation" in (made.folder / "README.md").read_text()
        )


def test_a_new_file_system_has_no_id_to_ask_about(tmp_path: Path) -> None:
    with bundle(tmp_path) as made:
        made.deploy()
        made.render(files("storage: [{mount: /work, type: efs}]"))
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        assert len(calls(made, "--dryrun true")) == 1


def test_an_expired_token_is_no_verdict_on_the_configuration(tmp_path: Path) -> None:
    with bundle(tmp_path) as made:
        made.account.fail("--dryrun true", EXPIRED)
        done = made.deploy()
        assert (done.returncode, "does not accept these credentials" in done.stderr) == (2, True)
        assert "rejects" not in done.stderr


def test_the_validation_is_tried_again_when_aws_is_busy(tmp_path: Path) -> None:
    with bundle(tmp_path) as made:
        made.account.fail("--dryrun true", THROTTLED, times=2)
        assert made.deploy().returncode == 0
        assert len(calls(made, "--dryrun")) == 3


def test_another_version_of_pcluster_is_rejected(tmp_path: Path) -> None:
    with bundle(tmp_path) as made:
        made.account.pcluster.version = "3.11.0"
        done = made.deploy()
        assert (done.returncode, "pcluster 3.16.1 is required" in done.stderr) == (2, True)


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
        assert made.deploy().returncode == 0
        made.account.answers[call] = answer
        done = made.deploy()
        assert (done.returncode, words in done.stderr) == (2, True)


OF_CLUSTER = (
    "storage: [{{mount: /apps, type: ebs, size: 500GiB, on_delete: {}}}, {{mount: /x, type: efs}}]"
)


@pytest.mark.parametrize(("fate", "stops"), [("delete", True), ("retain", False)])
def test_storage_that_the_cluster_would_delete_stops_the_run(
    tmp_path: Path, fate: str, stops: bool
) -> None:
    with bundle(tmp_path, OF_CLUSTER.format(fate)) as made:
        made.account.values["StorageXId"] = "fs-0a1b2c3d4e5f67890"
        assert made.deploy().returncode == 0
        made.render(files("storage: [{mount: /y, type: efs}]"))
        made.account.values["StorageYId"] = "fs-0a1b2c3d4e5f67891"
        done = made.deploy()
        assert (done.returncode == 2) == stops, done.stderr
        assert ("would delete the storage at /apps, with all data in it" in done.stderr) == stops
        assert (f"pcluster update-cluster {FILE} {WHERE}" in calls(made)) != stops
        if stops:
            assert made.deploy("--allow-replacement").returncode == 0
            assert f"pcluster update-cluster {FILE} {WHERE}" in calls(made)
