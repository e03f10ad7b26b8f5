"""The life of reserved capacity on every target: deploy.sh runs before, during and after it.

The account has a scheduler that makes the calls of the schedule stack when their time comes. What
happens in Slurm and Kubernetes meanwhile: `tests/services/slurm/test_real_timetable.py` and
`tests/services/kubernetes/test_timetable.py`.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clustergen.plan.timetable import events
from clustergen.services import schedules
from tests.support.checking import Fragments
from tests.support.cloud.account import Account
from tests.support.cloud.commands import Bundle, reaching

pytestmark = [pytest.mark.scenarios(3), pytest.mark.sampled(3)]

STARTS = datetime(2026, 12, 10, 11, 30, tzinfo=UTC)
ENDS = datetime(2026, 12, 17, 11, 30, tzinfo=UTC)
BLOCK = "capacity_block: cr-0a1b2c3d4e5f67890"
PLAN = "training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan'"
DATE = """#!/bin/bash
if [[ $* == +%s ]]; then cat "${{0%/*}}/now"; else exec {} "$@"; fi
"""


def spec(capacity: str, ends: datetime | None = ENDS, starts: datetime = STARTS) -> str:
    dates = f", starts: '{starts.isoformat()}', ends: '{ends.isoformat()}'" if ends else ""
    return f"""
node_groups: [{{name: h200, count: 2, capacity: {{{capacity}{dates}}}}}]
queues: [{{name: train, node_groups: [h200], time_limit: 12h}}]
"""


class Life:
    """A bundle, and the time."""

    def __init__(self, bundle: Bundle, target: str) -> None:
        self.bundle, self.target = bundle, target
        self.starts, self.ends = STARTS, ENDS
        self.account = bundle.account
        (bundle.tools / "date").write_text(DATE.format("/bin/date"))
        (bundle.tools / "date").chmod(0o755)

    def at(self, time: datetime) -> None:
        """Let the time come, and deploy."""
        self.pass_time(time)
        self.act()

    def pass_time(self, time: datetime) -> None:
        """Let the time come."""
        self.account.scheduler.advance(time)
        # Nodes of a block run while it is there; the fake knows nothing of blocks.
        away = not self.starts <= time < self.ends
        self.account.no_capacity = away and not self.target.startswith("hyperpod")
        self.account.none_for = "h200" if away else ""
        state = "scheduled" if time < self.starts else "expired" if away else "active"
        self.account.blocks["cr-0a1b2c3d4e5f67890"] = (state, self.starts.isoformat())
        (self.bundle.tools / "now").write_text(f"{int(time.timestamp())}\n")

    def act(self, *options: str) -> str:
        """Run deploy.sh; what it tells the user."""
        before = self.account.clock
        # Other dates are another script, with which PCS replaces nodes that run.
        done = self.bundle.deployed("--allow-replacement", *options)
        assert self.account.clock - before < 3600, "deploy.sh waits for nodes that cannot come"
        return done.stderr

    def change(self, text: str) -> None:
        self.bundle.render(Fragments(self.target).files(text))


Begin = Callable[[str, str], Life]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    stack = []

    def make(target: str, text: str) -> Life:
        context = reaching(tmp_path, Fragments(target).files(text))
        stack.append(context)
        return Life(context.__enter__(), target)

    yield make
    for context in stack:
        context.__exit__(None, None, None)


def _eks(account: Account) -> str:
    return str(account.eks.groups["h200"].desired)


def _pcs(account: Account) -> str:
    group = account.pcs.groups["pcs-h200"]
    return f"{group.minimum} to {group.maximum}"


def _batch(account: Account) -> str:
    [environment] = account.batch.environments.values()
    return environment.state


# How it is before the start (PCS waits itself), from the start, after the checkpoint, at the end.
SCHEDULED = {
    "eks": (_eks, ("0", "2", "2", "0")),
    "pcs": (_pcs, ("2 to 2", "2 to 2", "2 to 2", "0 to 0")),
    "batch": (_batch, ("DISABLED", "ENABLED", "DISABLED", "DISABLED")),
}
AFTERWARDS, MINUTES = timedelta(minutes=10), timedelta(minutes=1)
TIMES = (STARTS - timedelta(days=2), STARTS + AFTERWARDS, ENDS - 50 * MINUTES, ENDS - 39 * MINUTES)


@pytest.mark.parametrize("target", SCHEDULED)
def test_sizes(target: str, begin: Begin) -> None:
    seen, expected = SCHEDULED[target]
    life = begin(target, spec(BLOCK))
    for time, size in zip(TIMES, expected, strict=True):
        life.account.scheduler.advance(time)
        if time != TIMES[0]:
            # The schedules alone, and then a deployment at that time.
            assert seen(life.account) == size, time
        life.at(time)
        assert seen(life.account) == size, time
    life.at(ENDS + timedelta(days=30))
    assert seen(life.account) == expected[-1]
    assert life.account.scheduler.schedules() == {}
    # The block is extended, or another one takes its place: nodes are back.
    life.change(spec(BLOCK, ENDS + timedelta(days=35)))
    life.account.scheduler.now = ENDS
    life.at(ENDS - timedelta(minutes=39))
    assert seen(life.account) == expected[1]
    assert len(life.account.scheduler.schedules()) == 1
    # Without dates, no schedule is left to stop nodes.
    life.change(spec(BLOCK, None))
    life.at(ENDS - timedelta(minutes=38))
    assert life.account.scheduler.schedules() == {}
    assert f"example-{target}-schedule" not in life.account.cloudformation.stacks


@pytest.mark.parametrize("capacity", [BLOCK, BLOCK.replace("capacity_block", "reservation")])
@pytest.mark.parametrize("target", SCHEDULED)
def test_other_capacity_follows(target: str, capacity: str, begin: Begin) -> None:
    """A group whose capacity has ended is deployed with the next, before that starts."""
    seen, expected = SCHEDULED[target]
    reserved = target == "pcs" and capacity != BLOCK
    life = begin(target, spec(capacity))
    life.at(TIMES[1])
    life.at(ENDS + timedelta(days=1))
    assert seen(life.account) == expected[3]
    life.starts, life.ends = ENDS + timedelta(days=7), ENDS + timedelta(days=14)
    life.change(spec(capacity, life.ends, life.starts))
    life.at(ENDS + timedelta(days=2))
    assert seen(life.account) == ("0 to 2" if reserved else expected[0])
    life.account.scheduler.advance(life.starts + timedelta(minutes=10))
    assert seen(life.account) == expected[1]
    life.at(life.starts + timedelta(minutes=10))
    assert seen(life.account) == expected[1]


@pytest.mark.parametrize("reduced", [True, False])
def test_pcs_changes_no_group_after_its_block(reduced: bool, begin: Begin) -> None:
    """Of a group that the schedule has reduced, and of one that it could not reduce."""
    life = begin("pcs", spec(BLOCK))
    life.at(TIMES[1])
    life.pass_time(ENDS + timedelta(days=1))
    group = life.account.pcs.groups["pcs-h200"]
    group.minimum = group.maximum = 0 if reduced else 2
    life.account.pcs.rejects_changes = True
    kept = "PCS keeps the size of h200, whose capacity has ended"
    assert (kept in life.act("--pause")) is not reduced
    # A group that is to have nodes has none: deploy.sh says so last, and fails.
    assert life.bundle.deploy("--resume").returncode == (0 if reduced else 2)
    assert _pcs(life.account) == ("0 to 0" if reduced else "2 to 2")


@pytest.mark.parametrize("target", SCHEDULED)
def test_first_deployment_after_the_start(target: str, begin: Begin) -> None:
    """AWS rejects schedules in the past, so deploy.sh makes the call."""
    seen, expected = SCHEDULED[target]
    life = begin(target, spec(BLOCK))
    life.at(STARTS + timedelta(days=1))
    assert seen(life.account) == expected[1]


@pytest.mark.parametrize(("due", "before"), [(STARTS, "DISABLED"), (ENDS, "ENABLED")])
def test_batch_stops_late_but_does_not_start_late(due: datetime, before: str, begin: Begin) -> None:
    """It rejects changes while an update waits for jobs, and schedules are there before it ends."""
    life = begin("batch", spec(BLOCK))
    life.pass_time(TIMES[0])
    life.account.batch.busy = True
    life.bundle.stops("is not done after 780 minutes")
    [environment] = life.account.batch.environments.values()
    environment.state = before
    life.account.scheduler.advance(due + AFTERWARDS)
    assert _batch(life.account) == before
    life.account.batch.busy = False
    life.account.scheduler.advance(due + timedelta(hours=20))
    assert _batch(life.account) == "DISABLED"


def test_batch_tries_no_start_after_the_stop() -> None:
    text = Fragments("batch").files(spec(BLOCK, STARTS + timedelta(minutes=90)))[schedules.PATH]
    assert re.findall(r'"MaximumEventAgeInSeconds": (\d+)', text) == ["1500", "86400"]


@pytest.mark.parametrize("target", SCHEDULED)
def test_destroy(target: str, begin: Begin) -> None:
    life = begin(target, spec(BLOCK))
    life.at(TIMES[0])
    for action in ("--pause", "--destroy"):
        shown = life.bundle.deployed("--dry-run", action).stderr
        assert f"delete-stack --stack-name example-{target}-schedule" in shown
    life.bundle.deployed("--destroy")
    assert f"example-{target}-schedule" not in life.account.cloudformation.stacks


@pytest.mark.parametrize(
    ("target", "capacity"), [("parallelcluster", BLOCK), ("pcs", BLOCK), ("hyperpod-slurm", PLAN)]
)
def test_table(target: str, capacity: str, begin: Begin) -> None:
    """The cluster reads the times from the bucket: what they are now, and that they are gone."""
    life = begin(target, spec(capacity))

    def stops() -> list[str]:
        [table] = [text for key, text in life.account.objects.items() if "timetable.tsv" in key]
        lines = [line for line in table.decode().splitlines() if line[0] != "#"]
        return [datetime.fromtimestamp(int(line.split()[5]), UTC).isoformat() for line in lines]

    minutes = 70 if target == "hyperpod-slurm" else 40
    life.at(TIMES[0])
    assert stops() == [(ENDS - timedelta(minutes=minutes)).isoformat()]
    for time in (*TIMES[1:], ENDS + timedelta(days=1)):
        life.at(time)
    later = life.ends = ENDS + timedelta(days=7)
    life.change(spec(capacity, later))
    life.at(ENDS)
    assert stops() == [(later - timedelta(minutes=minutes)).isoformat()]
    life.change(spec(capacity, None))
    life.at(ENDS)
    assert stops() == []


def test_a_reservation_of_the_future(begin: Begin) -> None:
    """PCS knows nothing of its start: no node is launched in vain before."""
    life = begin("pcs", spec("reservation: cr-0a1b2c3d4e5f67890"))
    life.at(TIMES[0])
    assert _pcs(life.account) == "0 to 2"
    life.account.scheduler.advance(TIMES[1])
    assert _pcs(life.account) == "2 to 2"
    life.at(TIMES[1])
    assert _pcs(life.account) == "2 to 2"
    # The start is put off: nothing is launched until then.
    life.change(spec("reservation: cr-0a1b2c3d4e5f67890", starts=STARTS + timedelta(days=2)))
    life.at(STARTS + timedelta(days=1))
    assert _pcs(life.account) == "0 to 2"
    life.at(ENDS - timedelta(minutes=9))
    assert _pcs(life.account) == "0 to 0"


def test_hyperpod_on_eks(begin: Begin) -> None:
    life = begin("hyperpod-eks", spec(PLAN))
    for time in (*TIMES, ENDS + timedelta(days=1)):
        life.at(time)
    assert "timetable.yaml" in life.account.applied
    # Without dates, no pod is left to cordon nodes.
    life.change(spec(PLAN, None))
    life.at(ENDS + timedelta(days=2))
    assert "timetable.yaml" not in life.account.applied


PAUSED = {"eks": "0", "pcs": "0 to 0", "batch": "DISABLED"}


@pytest.mark.parametrize("target", SCHEDULED)
def test_a_pause_outlasts_the_start(target: str, begin: Begin) -> None:
    """No schedule starts nodes of a paused cluster; those that are ahead return with --resume."""
    seen, expected = SCHEDULED[target]
    # PCS waits for Capacity Blocks itself.
    life = begin(target, spec(BLOCK.replace("capacity_block", "reservation")))
    life.at(TIMES[0])
    life.act("--pause")
    assert seen(life.account) == PAUSED[target]
    life.account.scheduler.advance(TIMES[1])
    assert seen(life.account) == PAUSED[target]
    life.pass_time(TIMES[1])
    life.act("--resume")
    assert seen(life.account) == expected[1]
    assert len(life.account.scheduler.schedules()) == 1
    life.account.scheduler.advance(ENDS - timedelta(minutes=9))
    assert seen(life.account) == expected[3]


@pytest.mark.parametrize("target", SCHEDULED)
def test_a_resume_starts_nothing_too_early(target: str, begin: Begin) -> None:
    seen, expected = SCHEDULED[target]
    life = begin(target, spec(BLOCK))
    life.at(TIMES[0])
    life.act("--pause")
    life.act("--resume")
    assert seen(life.account) == expected[0]
    life.at(TIMES[1])
    life.act("--pause")
    life.pass_time(TIMES[3])
    life.act("--resume")
    assert seen(life.account) == expected[3]
    assert life.account.scheduler.schedules() == {}


@pytest.mark.parametrize("target", SCHEDULED)
def test_a_resume_starts_nothing_after_the_end(target: str, begin: Begin) -> None:
    """The capacity runs already, and the spec has only its end."""
    seen, expected = SCHEDULED[target]
    ending = re.sub(r", starts: '[^']*'", "", spec("reservation: cr-0a1b2c3d4e5f67890"))
    life = begin(target, ending)
    life.at(TIMES[1])
    life.act("--pause")
    life.pass_time(ENDS)
    life.act("--resume")
    assert seen(life.account) == expected[3]


@pytest.mark.parametrize("options", [[], ["--resume"]], ids=["deploy", "resume"])
@pytest.mark.parametrize("target", SCHEDULED)
def test_no_schedule_is_too_late(target: str, options: list[str], begin: Begin) -> None:
    """Of what comes in less than a minute there is none: deploy.sh makes the call."""
    seen, expected = SCHEDULED[target]
    life = begin(target, spec(BLOCK.replace("capacity_block", "reservation")))
    life.at(TIMES[0])
    stop = ENDS - timedelta(minutes=30 if target == "batch" else 10)
    for time, size in ((STARTS + 5 * MINUTES, expected[1]), (stop, expected[3])):
        if options:
            life.act("--pause")
        life.pass_time(time - MINUTES / 2)
        life.account.forget_calls()
        life.act(*options)
        assert seen(life.account) == size, time
        # Time passes between both: what has no schedule has come.
        calls = "\n".join(life.account.calls)
        resized = re.search(r" (eks update-node|pcs update-comp|batch update-comp)", calls)
        assert not resized or f"-{target}-schedule" in calls[: resized.start()]


def test_a_hyperpod_controller_that_runs_gets_commands(begin: Begin) -> None:
    """HyperPod runs scripts on new nodes only."""
    life = begin("hyperpod-slurm", spec(PLAN, None))
    life.at(TIMES[1])
    life.change(spec(PLAN))
    told = life.act()
    assert re.search(r"Running nodes of [^.]*controller[^.]* keep the scripts", told)
    assert "--target sagemaker-cluster:" in told
    [folder] = re.findall(r"s3://[^/ ]+/(\S+) /opt/clustergen", told)
    for name in ("timetable.sh", "timetable.json", "resource-config.sh"):
        assert any(key.endswith(f"{folder}{name}") for key in life.account.objects)


@pytest.mark.parametrize(("target", "resize"), [("eks", "nodegroup-config"), ("pcs", "node-group")])
def test_a_resume_that_failed_ends_no_nodes(target: str, resize: str, begin: Begin) -> None:
    """The sizes from before the pause are those from before the start."""
    seen, expected = SCHEDULED[target]
    life = begin(target, spec(BLOCK.replace("capacity_block", "reservation")))
    life.at(TIMES[0])
    life.act("--pause")
    life.pass_time(TIMES[1])
    life.account.fail("delete-object", ("AccessDenied", "not you"))
    assert life.bundle.deploy("--resume").returncode != 0
    assert seen(life.account) == expected[1]
    life.act("--resume")
    assert seen(life.account) == expected[1]
    assert life.account.calling("update-", resize) == []


def test_a_resume_restores_sizes_of_groups_without_dates(begin: Begin) -> None:
    other = "{name: other, instance_type: p5en.48xlarge, count: 4}"
    text = spec(BLOCK).replace("}}]", f"}}}}, {other}]").replace("[h200]", "[h200, other]")
    life = begin("eks", text)
    life.at(TIMES[1])
    life.account.eks.groups["other"].desired = 1
    life.act("--pause")
    life.act("--resume")
    groups = life.account.eks.groups
    assert (groups["h200"].desired, groups["other"].desired) == (2, 1)


def test_nodes_of_the_earlier_block_are_kept(begin: Begin) -> None:
    life = begin("eks", spec(BLOCK))
    life.at(TIMES[1])
    later = BLOCK.replace("cr-0a", "cr-1b")
    life.change(spec(later, ENDS + timedelta(days=14), ENDS + timedelta(days=7)))
    life.bundle.stops("nodes of the earlier capacity")
    assert life.account.calling("change-set") == []


@pytest.mark.parametrize("target", ["hyperpod-slurm", "hyperpod-eks"])
def test_the_timetable_of_hyperpod_says_when_nodes_run_and_take_jobs(target: str) -> None:
    """Nothing stops its nodes before AWS does, and deep health checks come first."""
    checked = spec(PLAN).replace("count: 2,", "count: 2, health_checks: [instance-stress],")
    whats = [event.what for event in events(Fragments(target).plan(checked))]
    assert "deep health checks of 60 to 90 minutes" in whats[0]
    assert [what for what in whats if "nodes stop" in what] == []
    assert len([what for what in whats if what.endswith("nodes run on")]) == 1
