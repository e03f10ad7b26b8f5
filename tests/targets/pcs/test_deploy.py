"""deploy.sh of PCS, in an account that remembers."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from clustergen.base.text_lists import words
from tests.support.cloud.commands import Bundle, reaching
from tests.targets.pcs.planned import files_of
from tests.targets.pcs.specs import SPECS

pytestmark = pytest.mark.scenarios(6)


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
            bundle.deployed(*arguments)
            assert images(bundle) == {image}
            bundle.account.newest_image = newer


def test_nodes_that_are_replaced_in_a_loop_are_a_failure(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of("node_groups: [{name: h200, count: 2}]")) as bundle:
        bundle.account.bad_nodes = True
        done = bundle.stops("nodes fail in a loop", last=True)
        assert "/aws/pcs/clusterid-0a1b/lifecycle" in done.stderr
        assert "minInstanceCount=0,maxInstanceCount=0  # h200: 2 to 2" in done.stderr


def test_login_nodes_that_are_replaced_in_a_loop_are_a_failure(tmp_path: Path) -> None:
    groups = "node_groups: [{name: h200, count: {min: 0, max: 2}}]\nlogin: {count: 2}"
    with reaching(tmp_path, files_of(groups)) as bundle:
        bundle.account.bad_nodes = True
        done = bundle.stops("nodes fail in a loop", last=True)
        assert "--pause leaves them" in done.stderr
        assert "minInstanceCount=0,maxInstanceCount=0  # login: 2 to 2" in done.stderr
        bundle.account.bad_nodes = False
        for action in ([], ["--pause"], ["--resume"]):
            bundle.deployed(*action)
            assert bundle.calling("update-compute-node-group", "pcs-login") == []


def test_a_version_that_has_ended_gets_no_new_cluster(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of('slurm: {version: "25.05"}')) as bundle:

        def on(day: str) -> None:
            time = datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp()
            (bundle.tools / "now").write_text(str(time))

        on("2026-12-01")
        for action in ((), ("--foundation",)):
            bundle.stops("example does not exist. Nothing was changed.", *action, last=True)
        assert bundle.account.cloudformation.stacks == {}
        on("2026-11-30")
        bundle.deployed()
        on("2026-12-01")
        bundle.deployed()


BLOCK = "cr-0a1b2c3d4e5f67890"
ON_BLOCK = f"node_groups: [{{name: h200, count: 2, capacity: {{capacity_block: {BLOCK}}}}}]"
STARTS = "2026-12-01T11:30:00+00:00"
LATER, NEVER = "PCS starts the nodes of h200 ", f"the Capacity Block {BLOCK} is "
DESCRIBING = {
    "denied": ("UnauthorizedOperation", "You are not authorized to perform this operation."),
    "unknown to EC2": (
        "InvalidCapacityReservationId.NotFound",
        f"The capacity reservation id {BLOCK} does not exist",
    ),
}
"""Errors of EC2 in the place of a state."""


@pytest.mark.parametrize(
    ("state", "said"),
    [
        *(
            (state, f"{LATER}at {STARTS}, when {BLOCK} begins")
            for state in words("scheduled payment-pending assessing delayed")
        ),
        ("denied", f"{LATER}when {BLOCK} begins"),
        # They take longer to start than those of other groups take to prove that they stay.
        ("active", "Starting nodes: h200 0 of 2"),
        *(
            (state, f"{NEVER}{state}: h200 gets no nodes")
            for state in words("payment-failed expired cancelled unsupported unavailable")
        ),
        ("unknown to EC2", f"{NEVER}unknown to EC2: h200 gets no nodes"),
    ],
)
def test_nodes_of_a_block_are_waited_for_once_it_has_begun(
    tmp_path: Path, state: str, said: str
) -> None:
    with reaching(tmp_path, files_of(ON_BLOCK)) as bundle:
        bundle.account.no_capacity = True
        bundle.account.blocks[BLOCK] = (state, STARTS)
        if error := DESCRIBING.get(state):
            bundle.account.fail("describe-capacity-reservations", error)
        done = bundle.deploy("--wait", "12")
        later = said.startswith(LATER)
        assert (done.returncode, said in done.stderr) == (0 if later else 2, True), done.stderr
        assert (LATER in done.stderr, "Starting nodes: h200" in done.stderr) == (
            later,
            state == "active",
        )


def test_a_rejected_change_leaves_the_timetable_as_it_is(tmp_path: Path) -> None:
    def dated(count: int, day: int) -> dict[str, str]:
        dates = f"starts: '2026-12-01T11:30:00Z', ends: '2026-12-{day}T11:30:00Z'"
        capacity = f"{{capacity_block: {BLOCK}, {dates}}}"
        group = f"{{name: h200, count: {count}, capacity: {capacity}}}"
        return dict(files_of(f"node_groups: [{group}]"))

    with reaching(tmp_path, dated(32, 10)) as bundle:
        bundle.account.blocks[BLOCK] = ("scheduled", STARTS)
        bundle.deployed()
        [before] = bundle.account.uploaded("timetable.tsv").values()
        bundle.render(dated(33, 20))
        bundle.stops("would replace Cluster")
        assert list(bundle.account.uploaded("timetable.tsv").values()) == [before]


GROUP = "node_groups: [{name: h200, %s}]\n"


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("count: 32", "count: 33", "would replace Cluster"),
        ("count: 2", "instance_type: p5.48xlarge", "would replace NodeGroupH200, which fails"),
    ],
)
def test_the_foundation_waits_for_a_cluster_that_can_follow(
    tmp_path: Path, before: str, after: str, said: str
) -> None:
    tagged = "tags: {team: research}\n"
    with reaching(tmp_path, files_of(GROUP % before)) as bundle:
        bundle.deployed()
        bundle.render(files_of(tagged + GROUP % after))
        bundle.stops(said)
        assert bundle.account.calling("execute-change-set") == []
        stacks = bundle.account.cloudformation.stacks.values()
        assert [stack.change_sets for stack in stacks] == [{}, {}]
        bundle.render(files_of(tagged + GROUP % before))
        bundle.deployed("--allow-replacement")
