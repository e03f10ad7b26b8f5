"""The life of Capacity Blocks in the real Slurm: what the bundle's script does at each time.

Slurm has the clock of the machine, so the test moves the table instead: a later time is the same
table with earlier dates.
"""

import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.services.slurm.test_real_configuration import CONFIGURATIONS
from tests.services.slurm.test_real_jobs import shown, submit
from tests.support import debian
from tests.support.checking import Fragments
from tests.support.slurm.cluster import Cluster, cluster
from tests.support.tiers import needs

pytestmark = [needs(debian.impossible), pytest.mark.sampled(2)]

CAPACITY = (
    "{{capacity_block: cr-0a1b2c3d4e5f6789{}, starts: '2026-12-10T11:30:00Z', "
    "ends: '2026-12-17T11:30:00Z'}}"
)
SPEC = f"""
login: {{}}
node_groups:
  - {{name: block, instance_type: p5.48xlarge, count: 2, capacity: {CAPACITY.format(0)}}}
  - {{name: free, instance_type: p5.48xlarge, count: 2, capacity: {CAPACITY.format(1)}}}
  - {{name: cpu, instance_type: m7i.4xlarge, count: 1}}
queues:
  - {{name: limited, node_groups: [block], time_limit: 2d, default: true}}
  - {{name: unlimited, node_groups: [free]}}
  - {{name: rest, node_groups: [cpu]}}
"""
MINUTE, DAY = 60, 86400
RUN = "bash /opt/clustergen/timetable/timetable.sh run"
COPIES = 8
# Nodes share Slurm, and each has a folder of its own. All begin at once.
RUN_COPIES = f"""
set -e
folder=/opt/clustergen/timetable
for ((copy = 1; copy <= {COPIES}; copy++)); do
  [[ -d /rig/copies/$copy ]] || {{ mkdir -p /rig/copies; cp -r $folder /rig/copies/$copy; }}
  unshare --mount bash -c "mount --bind /rig/copies/$copy $folder
    until [[ -e /rig/begin ]]; do sleep 0.01; done
    exec bash $folder/timetable.sh run" &
done
touch /rig/begin
wait
rm /rig/begin
"""
RESERVED = "ReqNodeNotAvail, Reserved for maintenance$"
KEPT_OFF = "(Reserved|Inactive)"
AWS = '#!/bin/bash\n[[ "$1 $2" == "s3 cp" && -f /rig/table ]] && cp /rig/table "${@: -1}"\n'
FLEET = """#!/bin/bash
printf '{"lastStatusUpdatedTime": "2026-12-17 11:00:00", "status": "%s"}\\n' "$(</rig/fleet)"
"""


class Rig(NamedTuple):
    """A cluster, and the table of its bundle."""

    made: Cluster
    table: str
    target: str

    def until_stop(self, seconds: int, table: str | None = None, run: str = RUN) -> None:
        """Run the script as if nodes stopped in so many seconds."""
        lines = (self.table if table is None else table).splitlines()
        stop = max((int(line.split()[5]) for line in lines if line[0] != "#"), default=0)
        shift = int(time.time()) + seconds - stop
        moved = [line if line[0] == "#" else _moved(line, shift) for line in lines]
        self.made.put("/rig/table", "\n".join(moved) + "\n")
        self.made.ask(run)

    def reservations(self) -> dict[str, str]:
        """The state of each reservation: what it holds, and of which group."""
        told = self.made.run("scontrol show reservation --oneliner").text.splitlines()
        each = [dict(word.partition("=")[::2] for word in line.split()) for line in told]
        found = [
            (one["ReservationName"].split("."), one["State"]) for one in each if "State" in one
        ]
        assert {(*name[:2], len(name)) for name, _ in found} <= {("clustergen", "example", 5)}
        return {f"{name[2]} {name[3]}": state for name, state in found}

    def closed(self) -> list[str]:
        """The partitions that are inactive."""
        return self.made.run(
            "sinfo --noheader --format '%R %a' | sed -n 's/ inact.*//p' | sort -u"
        ).text.split()

    def start_now(self, job: str) -> None:
        """A job that was put back waits for two minutes; it may have started by now."""
        self.made.run(f"scontrol update JobId={job} StartTime=now")


def _moved(line: str, shift: int) -> str:
    words = line.split()
    words[3:6] = [str(int(word) + shift) for word in words[3:6]]
    return " ".join(words)


@pytest.fixture(scope="module", params=CONFIGURATIONS)
def rig(request: pytest.FixtureRequest) -> Iterator[Rig]:
    files = Fragments(request.param).files(SPEC)
    with cluster(debian.OLDEST) as made:
        made.put("/usr/local/bin/aws", AWS, 0o755)
        made.put("/usr/local/bin/systemctl", "#!/bin/bash\n", 0o755)
        made.put("/usr/local/bin/get-compute-fleet-status.sh", FLEET, 0o755)
        made.put("/rig/fleet", "RUNNING")
        made.start(CONFIGURATIONS[request.param](files), per_group=2)
        made.put("/rig/timetable.sh", files["scripts/timetable.sh"])
        made.ask("bash /rig/timetable.sh install s3://bucket/table; rm -rf /rig/copies")
        yield Rig(made, files["timetable.tsv"], request.param)


@pytest.fixture(autouse=True)
def no_jobs(rig: Rig) -> Iterator[None]:
    yield
    rig.made.run("scancel --user alice; rm -f /rig/begin")
    rig.made.wait("squeue --noheader", "^$")


def test_life(rig: Rig) -> None:
    made = rig.made
    # Days before the end: what fits runs, and without time limits everything does.
    rig.until_stop(DAY)
    assert rig.reservations() == {"end block": "INACTIVE"}
    fits = submit(made, "--partition limited --time 10:00:00", "sleep 600")
    late = submit(made, "--partition limited --time 2-00:00:00", "sleep 600")
    again = submit(made, "--partition unlimited --requeue", "sleep 600")
    once = submit(made, "--partition unlimited --no-requeue --signal B:USR1@60", "sleep 600")
    for job in (fits, again, once):
        made.wait_for_job(job, "RUNNING")
    made.wait_for_job(late, "PENDING", RESERVED)
    # After the checkpoint, nothing starts, and what runs ends with the nodes.
    rig.until_stop(15 * MINUTE)
    rig.until_stop(15 * MINUTE)
    assert rig.reservations() == {"end block": "INACTIVE", "end free": "ACTIVE"}
    new = submit(made, "--partition unlimited", "sleep 600")
    made.wait_for_job(new, "PENDING", RESERVED)
    assert "00:10:00" < shown(made, once)["TimeLimit"] <= "00:15:00"
    # Shortly before nodes stop: jobs that may run again wait, with the limit that they had.
    rig.until_stop(MINUTE)
    assert shown(made, again)["JobState"] == "PENDING"
    assert shown(made, again)["TimeLimit"] == "UNLIMITED"
    assert shown(made, once)["JobState"] == "RUNNING"
    # Nodes have stopped, and the block has ended: nothing starts, days later neither.
    for seconds in (-MINUTE, -DAY):
        rig.until_stop(seconds)
        assert set(rig.reservations().values()) == {"ACTIVE"}
        rig.start_now(again)
        made.wait_for_job(again, "PENDING", KEPT_OFF)
        inactive = ["limited", "unlimited"] if rig.target == "parallelcluster" else []
        assert rig.closed() == inactive
    # The capacity was extended: all of it is undone.
    rig.until_stop(2 * DAY)
    assert rig.reservations() == {"end block": "INACTIVE"}
    rig.start_now(again)
    made.wait_for_job(again, "RUNNING")
    # The dates are gone from the spec: nothing is left.
    rig.until_stop(0, table="")
    assert rig.reservations() == {}


@pytest.mark.parametrize("rig", ["parallelcluster"], indirect=True)
def test_ended_capacity_stays_closed(rig: Rig) -> None:
    """ParallelCluster opens all partitions when its fleet starts, and closes all when it stops."""
    both = ["limited", "unlimited"]

    def all_partitions(state: str, fleet: str) -> None:
        rig.made.put("/rig/fleet", fleet)
        for name in (*both, "rest"):
            rig.made.ask(f"scontrol update PartitionName={name} State={state}")

    rig.until_stop(-MINUTE)
    assert rig.closed() == both
    all_partitions("UP", "RUNNING")
    rig.until_stop(-DAY)
    assert rig.closed() == both
    # An extension opens nothing of a stopped fleet, which opens everything when it starts.
    all_partitions("INACTIVE", "STOPPED")
    rig.until_stop(2 * DAY)
    assert rig.closed() == ["limited", "rest", "unlimited"]
    all_partitions("UP", "RUNNING")
    rig.until_stop(2 * DAY)
    assert rig.closed() == []
    # What an administrator closed stays closed; without dates, the rest opens.
    rig.made.ask("scontrol update PartitionName=limited State=INACTIVE")
    rig.until_stop(-MINUTE)
    assert rig.closed() == both
    rig.until_stop(0, table="")
    assert rig.closed() == ["limited"]
    rig.made.ask("scontrol update PartitionName=limited State=UP")


@pytest.mark.parametrize("dates", ["extended", "gone"])
def test_an_extension_gives_jobs_their_limits_back(rig: Rig, dates: str) -> None:
    rig.until_stop(DAY)
    job = submit(rig.made, "--partition unlimited", "sleep 600")
    rig.made.wait_for_job(job, "RUNNING")
    limit = shown(rig.made, job)["TimeLimit"]
    rig.until_stop(15 * MINUTE)
    assert shown(rig.made, job)["TimeLimit"] != limit
    rig.until_stop(2 * DAY, table=None if dates == "extended" else "")
    assert shown(rig.made, job)["TimeLimit"] == limit
    assert "clustergen" not in rig.made.ask("squeue --format %all")


def test_waits_for_a_reservation(rig: Rig) -> None:
    """Jobs on a reservation of the future wait until it starts: no node is launched in vain."""
    nodes = rig.table.splitlines()[1].split()[1]
    start = int(time.time()) + DAY
    line = f"block {nodes} - {start} {start + DAY} {start + DAY} yes yes"
    rig.made.put("/rig/table", f"{line}\n")
    rig.made.ask(RUN)
    assert rig.reservations()["start block"] == "ACTIVE"
    job = submit(rig.made, "--partition limited --time 10", "sleep 600")
    rig.made.wait_for_job(job, "PENDING", "Reserved")
    rig.made.put("/rig/table", f"{line.replace(str(start), str(int(time.time()) - 9), 1)}\n")
    rig.made.ask(RUN)
    assert set(rig.reservations()) == {"end block"}
    rig.made.wait_for_job(job, "RUNNING")


def test_slurm_without_reservations(rig: Rig) -> None:
    """Where Slurm rejects reservations, nodes are drained once jobs have to end."""
    refuse = (
        '#!/bin/bash\n[[ $1 != create ]] || { echo "Invalid user id" >&2; exit 1; }\n'
        'exec /usr/bin/scontrol "$@"\n'
    )
    rig.made.put("/usr/local/sbin/scontrol", refuse, 0o755)
    try:
        rig.until_stop(DAY)
        assert "drain" not in rig.made.run("sinfo --noheader --format %T").text
        rig.until_stop(MINUTE)
        drained = rig.made.run("sinfo --noheader --partition unlimited --format %T").text
        assert "drain" in drained
        # Of an administrator, and of this script once the capacity was extended.
        rig.made.ask("scontrol update NodeName=$(sinfo -hN -p rest -o %N) State=DRAIN Reason=disk")
        rig.until_stop(2 * DAY)
        told = rig.made.run("sinfo --noheader --list-reasons --format %E").text
        assert told.split() == ["disk"]
    finally:
        rig.made.ask("rm /usr/local/sbin/scontrol")
        rig.made.ask("scontrol update NodeName=$(sinfo -hN -p rest -o %N) State=RESUME")


def _limits(rig: Rig) -> dict[str, tuple[str, str]]:
    """Limit and administrators' comment of each job, and of each task."""
    form = "JobArrayID: ,TimeLimit: ,admin_comment:"
    lines = rig.made.ask(f"squeue --noheader --array --Format '{form}'").splitlines()
    return {job: (limit, rest) for job, limit, rest in (line.split(" ", 2) for line in lines)}


def _is_short(limit: str) -> bool:
    return limit.count(":") == 1 and int(limit.split(":", maxsplit=1)[0]) <= 15


@pytest.mark.parametrize("rig", ["pcs"], indirect=True)
def test_copies_at_once_keep_jobs_off_nodes(rig: Rig) -> None:
    """All login nodes run it, or all nodes of the capacity: none drains the nodes."""
    nodes = rig.table.splitlines()[1].split()[1]
    start = int(time.time()) + DAY
    line = f"block {nodes} - {start} {2 * start} {2 * start} yes yes"
    for held in ("start block", "end block"):
        rig.made.put("/rig/table", f"{line}\n")
        rig.made.ask(RUN_COPIES)
        assert held in rig.reservations()
        assert "drain" not in rig.made.run("sinfo --noheader --format %T").text
        line = line.replace(str(start), "1", 1)
    rig.until_stop(0, table="")
    assert rig.reservations() == {}


@pytest.mark.parametrize("rig", ["pcs"], indirect=True)
def test_copies_at_once_remember_limits(rig: Rig) -> None:
    made = rig.made
    rig.until_stop(DAY, run=RUN_COPIES)
    for number in range(12):
        again = "--requeue" if number % 2 else "--no-requeue"
        # Of what Slurm shows, a user chooses the name.
        again += " --job-name 'x TimeLimit=UNLIMITED clustergen.example.limit=UNLIMITED'"
        submit(made, f"--partition unlimited --time {number + 2}-01 {again}", "sleep 600")
    made.wait("squeue --noheader --format %T | sort | uniq -c", "^12 RUNNING$")
    made.ask("scontrol update JobId=$(squeue -ho %A | head -1) AdminComment='ask  Ann'")
    before = _limits(rig)
    assert sorted({rest for _, rest in before.values()}) == ["(null)", "ask  Ann"]
    for _ in range(2):
        rig.until_stop(15 * MINUTE, run=RUN_COPIES)
    bound = _limits(rig)
    assert all(_is_short(limit) for limit, _ in bound.values())
    for job, (limit, rest) in before.items():
        assert bound[job][1].removeprefix(f"{rest} ") == f"clustergen.example.limit={limit}"
    # Before nodes stop, jobs that may run again wait, with the limit that they had; then they get
    # no other from a copy that came late. With more time, all jobs get theirs back.
    rig.until_stop(MINUTE, run=RUN_COPIES)
    state = dict(line.split() for line in made.ask("squeue -ho '%A %T'").splitlines())
    waiting = [job for job in before if state[job] == "PENDING"]
    assert len(waiting) == 6
    ends = (_limits(rig)[job][0] for job in waiting)
    assert list(ends) == [before[job][0] for job in waiting]
    assert all(_is_short(_limits(rig)[job][0]) for job in before.keys() - waiting)
    rig.until_stop(2 * DAY, run=RUN_COPIES)
    after = {job: (limit, rest or "(null)") for job, (limit, rest) in _limits(rig).items()}
    assert after == before
    assert rig.reservations() == {"end block": "INACTIVE"}
    assert "drain" not in made.run("sinfo --noheader --format %T").text


def test_a_task_of_an_array_is_not_the_array(rig: Rig) -> None:
    """Slurm gives the last task the id of the array, which stands for all tasks elsewhere."""
    made, options = rig.made, "--array 0-2 --exclusive --nodes 1 --time 3-01 --requeue"
    rig.until_stop(DAY)
    made.ask("scontrol update PartitionName=unlimited State=DOWN")
    array = submit(made, f"--partition unlimited,rest {options}", "sleep 600")
    for number, state in ((1, "DOWN"), (3, "UP")):
        made.ask(f"scontrol update PartitionName=unlimited State={state}")
        made.wait("squeue --noheader --array --format %T | sort | uniq -c", f"{number} RUNNING")
    where = dict(line.split() for line in made.ask("squeue -rho '%i %P' -t R").splitlines())
    tasks = {task for task, name in where.items() if name == "unlimited"}
    assert len(tasks) == 2
    rig.until_stop(15 * MINUTE)
    assert {task for task, (limit, _) in _limits(rig).items() if _is_short(limit)} == tasks
    rig.until_stop(MINUTE)
    limits = _limits(rig)
    assert set(limits) == {f"{array}_{number}" for number in range(3)}
    assert {limit for limit, _ in limits.values()} == {"3-01:00:00"}
    assert "R" in made.ask(f"squeue -rho %t -j {(where.keys() - tasks).pop()}")


def test_other_bundles_keep_what_they_hold(rig: Rig) -> None:
    """Node groups of several bundles may be in one Slurm; what earlier versions made goes."""
    rig.until_stop(0, table="")
    made, theirs = rig.made, "clustergen.other.end.x.1"
    job = submit(made, "--partition rest --time 20", "sleep 600")
    made.ask(f"scontrol update JobId={job} AdminComment=clustergen.other.limit=2-00:00:00")
    for name in (theirs, "clustergen-end-block"):
        made.ask(
            f"scontrol create reservation ReservationName={name} StartTime=now Duration=9 "
            "Users=root Flags=MAINT,IGNORE_JOBS Nodes=$(sinfo -hp rest -o %N)"
        )
    rig.until_stop(DAY)
    names = made.ask("scontrol show reservation --oneliner | sed 's/ .*//'").splitlines()
    assert [name for name in names if "example" not in name] == [f"ReservationName={theirs}"]
    assert _limits(rig)[job] == ("20:00", "clustergen.other.limit=2-00:00:00")
    made.ask(f"scontrol delete ReservationName={theirs}")
