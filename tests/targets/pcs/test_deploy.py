"""deploy.sh of PCS, in an account that remembers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cloud.commands import Bundle, reaching
from tests.targets.pcs.planned import files_of
from tests.targets.pcs.specs import SPECS


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files_of(SPECS["everything on the nodes"])) as made:
        yield made


def test_foundation_then_scripts_then_cluster(bundle: Bundle) -> None:
    lines = bundle.deploy("--dry-run").stderr.splitlines()
    foundation = next(i for i, line in enumerate(lines) if "example-foundation" in line)
    upload = next(i for i, line in enumerate(lines) if "scripts/users.sh" in line)
    cluster = next(i for i, line in enumerate(lines) if "cluster.template.json" in line)
    assert foundation < upload < cluster
    assert "ParameterKey=NodeInstanceProfileArn" in lines[cluster]


def images(bundle: Bundle) -> set[str]:
    stack = bundle.account.cloudformation.stacks["example-pcs"]
    return {value for name, value in stack.parameters.items() if name.startswith("Image")}


def test_the_image_does_not_change_without_request(tmp_path: Path) -> None:
    newer = "ami-0a1b2c3d4e5f60002"
    with reaching(tmp_path, files_of("")) as bundle:
        first = bundle.account.newest_image
        for arguments, image in (([], first), ([], first), (["--new-image"], newer)):
            done = bundle.deploy(*arguments)
            assert done.returncode == 0, done.stderr
            assert images(bundle) == {image}
            bundle.account.newest_image = newer


def test_nodes_that_are_replaced_in_a_loop_are_a_failure(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of("node_groups: [{name: h200, count: 2}]")) as bundle:
        bundle.account.bad_nodes = True
        done = bundle.deploy()
        assert (done.returncode, "nodes fail in a loop" in done.stderr.splitlines()[-1]) == (
            2,
            True,
        )
        assert "/aws/pcs/clusterid-0a1b/lifecycle" in done.stderr
        assert "minInstanceCount=0,maxInstanceCount=0  # h200: 2 to 2" in done.stderr


def test_missing_nodes_are_a_failure(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of("node_groups: [{name: h200, count: 2}]")) as bundle:
        bundle.account.no_capacity = True
        done = bundle.deploy("--wait", "8")
        assert (done.returncode, "Starting nodes: h200 0 of 2" in done.stderr) == (2, True)


BLOCK = "cr-0a1b2c3d4e5f67890"
ON_BLOCK = f"node_groups: [{{name: h200, count: 2, capacity: {{capacity_block: {BLOCK}}}}}]"
STARTS = "2026-12-01T11:30:00+00:00"


def test_nodes_of_a_block_that_has_not_begun_are_not_waited_for(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(ON_BLOCK)) as bundle:
        bundle.account.no_capacity = True
        bundle.account.blocks[BLOCK] = ("scheduled", STARTS)
        done = bundle.deploy()
        assert done.returncode == 0, done.stderr
        assert f"PCS starts the nodes of h200 at {STARTS}, when {BLOCK} begins" in done.stderr
        assert "Starting nodes: h200" not in done.stderr


def test_nodes_of_a_block_that_has_begun_are_waited_for(tmp_path: Path) -> None:
    """They take longer to start than those of the other groups take to prove that they stay."""
    with reaching(tmp_path, files_of(ON_BLOCK)) as bundle:
        bundle.account.no_capacity = True
        bundle.account.blocks[BLOCK] = ("active", STARTS)
        done = bundle.deploy("--wait", "12")
        assert (done.returncode, "Starting nodes: h200 0 of 2" in done.stderr) == (2, True)
        assert "PCS starts" not in done.stderr


def test_a_block_that_ec2_does_not_show_is_one_that_begins_later(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(ON_BLOCK)) as bundle:
        bundle.account.no_capacity = True
        denied = ("UnauthorizedOperation", "You are not authorized to perform this operation.")
        bundle.account.fail("describe-capacity-reservations", denied)
        done = bundle.deploy()
        assert done.returncode == 0, done.stderr
        assert f"PCS starts the nodes of h200 when {BLOCK} begins" in done.stderr


@pytest.mark.parametrize("state", ["payment-pending", "assessing", "delayed"])
def test_a_block_on_its_way_begins_later(tmp_path: Path, state: str) -> None:
    with reaching(tmp_path, files_of(ON_BLOCK)) as bundle:
        bundle.account.no_capacity = True
        bundle.account.blocks[BLOCK] = (state, STARTS)
        done = bundle.deploy()
        assert (done.returncode, "PCS starts the nodes" in done.stderr) == (0, True), done.stderr


@pytest.mark.parametrize(
    "state", ["payment-failed", "expired", "cancelled", "unsupported", "unavailable", None]
)
def test_a_block_that_never_begins_is_a_failure(tmp_path: Path, state: str | None) -> None:
    with reaching(tmp_path, files_of(ON_BLOCK)) as bundle:
        bundle.account.no_capacity = True
        if state:
            bundle.account.blocks[BLOCK] = (state, STARTS)
        else:
            unknown = f"The capacity reservation id {BLOCK} does not exist"
            error = ("InvalidCapacityReservationId.NotFound", unknown)
            bundle.account.fail("describe-capacity-reservations", error)
        done = bundle.deploy()
        assert done.returncode == 2
        words = f"the Capacity Block {BLOCK} is {state or 'unknown to EC2'}: h200 gets no nodes"
        assert words in done.stderr
        assert "PCS starts" not in done.stderr


def test_a_rejected_change_leaves_the_timetable_as_it_is(tmp_path: Path) -> None:
    def dated(count: int, day: int) -> dict[str, str]:
        dates = f"starts: '2026-12-01T11:30:00Z', ends: '2026-12-{day}T11:30:00Z'"
        capacity = f"{{capacity_block: {BLOCK}, {dates}}}"
        group = f"{{name: h200, count: {count}, capacity: {capacity}}}"
        return dict(files_of(f"node_groups: [{group}]"))

    with reaching(tmp_path, dated(32, 10)) as bundle:
        bundle.account.blocks[BLOCK] = ("scheduled", STARTS)
        assert bundle.deploy().returncode == 0
        [before] = bundle.account.uploaded("timetable.tsv").values()
        bundle.render(dated(33, 20))
        done = bundle.deploy()
        assert (done.returncode, "would replace Cluster" in done.stderr) == (2, True)
        assert list(bundle.account.uploaded("timetable.tsv").values()) == [before]


def test_a_cluster_is_not_replaced_without_consent(tmp_path: Path) -> None:
    def sized(count: int) -> dict[str, str]:
        return dict(files_of(f"node_groups: [{{name: h200, count: {count}}}]"))

    with reaching(tmp_path, sized(32)) as bundle:
        assert bundle.deploy().returncode == 0
        bundle.render(sized(33))
        done = bundle.deploy()
        assert (done.returncode, "would replace Cluster" in done.stderr) == (2, True)


GROUP = "node_groups: [{name: h200, %s}]\n"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("count: 32", "count: 33", "would replace Cluster"),
        ("count: 2", "instance_type: p5.48xlarge", "would replace NodeGroupH200, which fails"),
    ],
)
def test_the_foundation_waits_for_a_cluster_that_can_follow(
    tmp_path: Path, before: str, after: str, words: str
) -> None:
    tagged = "tags: {team: research}\n"
    with reaching(tmp_path, files_of(GROUP % before)) as bundle:
        assert bundle.deploy().returncode == 0
        bundle.render(files_of(tagged + GROUP % after))
        done = bundle.deploy()
        assert (done.returncode, words in done.stderr) == (2, True), done.stderr
        assert bundle.account.calling("execute-change-set") == []
        stacks = bundle.account.cloudformation.stacks.values()
        assert [stack.change_sets for stack in stacks] == [{}, {}]
        bundle.render(files_of(tagged + GROUP % before))
        assert bundle.deploy().returncode == 0
