"""The life of Capacity Blocks in the real Slurm: what the bundle's script does at each time.

Slurm has the clock of the machine, so the test moves the table instead: a later time is the same
table with earlier dates.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.checking import Fragments
from tests.slurm.test_real_jobs import shown, submit
from tests.support import debian
from tests.support.slurm import parallelcluster, pcs
from tests.support.slurm.cluster import Cluster, cluster

pytestmark = pytest.mark.skipif(bool(debian.impossible()), reason=debian.impossible())

CONFIGURATIONS = {
    "parallelcluster": parallelcluster.configuration,
    "pcs": pcs.configuration,
}
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
AWS = '#!/bin/bash\n[[ "$1 $2" == "s3 cp" && -f /rig/table ]] && cp /rig/table "${@: -1}"\n'


FLEET = """#!/bin/bash
printf '{"lastStatusUpdatedTime": "2026-12-17 11:00:00", "status": "%s"}\\n' "$(</rig/fleet)"
"""


class Rig(NamedTuple):
    """A cluster, and the table of its bundle."""

    made: Cluster
    table: str
    target: str

    def until_stop(self, seconds: int, table: str | None = None) -> None:
        """Run the script as if nodes stopped in so many seconds."""
        lines = (self.table if table is None else table).splitlines()
        stop = max((int(line.split()[5]) for line in lines if line[0] != "#"), default=0)
        shift = int(time.time()) + seconds - stop
        moved = [line if line[0] == "#" else _moved(line, shift) for line in lines]
        self.made.put("/rig/table", "\n".join(moved) + "\n")
        self.made.ask(RUN)

    def reservations(self) -> dict[str, str]:
        """The state of each reservation."""
        told = self.made.run("scontrol show reservation --oneliner").text.splitlines()
        each = [dict(word.partition("=")[::2] for word in line.split()) for line in told]
        return {one["ReservationName"]: one["State"] for one in each if "State" in one}

    def closed(self) -> list[str]:
        """The partitions that are inactive."""
        return self.made.run(
            "sinfo --noheader --format '%R %a' | sed -n 's/ inact.*//p' | sort -u"
        ).text.split()

    def state(self, job: str) -> tuple[str, str]:
        """State and reason of a job, once the scheduler has looked at it."""
        self.made.wait(f"squeue --noheader --jobs {job} --format %r", "^(?!Priority)")
        found = shown(self.made, job)
        return found["JobState"], found["Reason"]


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
        made.ask("bash /rig/timetable.sh install s3://bucket/table")
        yield Rig(made, files["timetable.tsv"], request.param)


def test_life(rig: Rig) -> None:
    made = rig.made
    # Days before the end: what fits runs, and without time limits everything does.
    rig.until_stop(DAY)
    assert rig.reservations() == {"clustergen-end-block": "INACTIVE"}
    fits = submit(made, "--partition limited --time 10:00:00", "sleep 600")
    late = submit(made, "--partition limited --time 2-00:00:00", "sleep 600")
    again = submit(made, "--partition unlimited --requeue", "sleep 600")
    once = submit(made, "--partition unlimited --no-requeue --signal B:USR1@60", "sleep 600")
    for job in (fits, again, once):
        made.wait(f"squeue --noheader --jobs {job} --format %T", "RUNNING")
    assert rig.state(fits)[0] == "RUNNING"
    assert rig.state(late) == ("PENDING", "ReqNodeNotAvail,_Reserved_for_maintenance")
    assert (rig.state(again)[0], rig.state(once)[0]) == ("RUNNING", "RUNNING")
    # After the checkpoint, nothing starts, and what runs ends with the nodes.
    rig.until_stop(15 * MINUTE)
    rig.until_stop(15 * MINUTE)
    assert rig.reservations() == {
        "clustergen-end-block": "INACTIVE",
        "clustergen-end-free": "ACTIVE",
    }
    new = submit(made, "--partition unlimited", "sleep 600")
    made.wait(f"squeue --noheader --jobs {new} --format %r", "Reserved")
    assert rig.state(new) == ("PENDING", "ReqNodeNotAvail,_Reserved_for_maintenance")
    assert shown(made, once)["TimeLimit"] in ("00:15:00", "00:14:00")
    # Shortly before nodes stop: jobs that may run again wait, with the limit that they had.
    rig.until_stop(MINUTE)
    assert shown(made, again)["JobState"] == "PENDING"
    assert shown(made, again)["TimeLimit"] == "UNLIMITED"
    assert shown(made, once)["JobState"] == "RUNNING"
    # Nodes have stopped, and the block has ended: nothing starts, days later neither.
    for seconds in (-MINUTE, -DAY):
        rig.until_stop(seconds)
        assert set(rig.reservations().values()) == {"ACTIVE"}
        made.run(f"scontrol update JobId={again} StartTime=now")
        assert rig.state(again)[0] == "PENDING"
        inactive = ["limited", "unlimited"] if rig.target == "parallelcluster" else []
        assert rig.closed() == inactive
    # The capacity was extended: all of it is undone.
    rig.until_stop(2 * DAY)
    assert rig.reservations() == {"clustergen-end-block": "INACTIVE"}
    made.ask(f"scontrol update JobId={again} StartTime=now")
    made.wait(f"squeue --noheader --jobs {again} --format %T", "RUNNING")
    assert rig.state(again)[0] == "RUNNING"
    # The dates are gone from the spec: nothing is left.
    rig.until_stop(0, table="")
    assert rig.reservations() == {}
    made.run("scancel --user alice")


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
    rig.made.wait(f"squeue --noheader --jobs {job} --format %T", "RUNNING")
    limit = shown(rig.made, job)["TimeLimit"]
    rig.until_stop(15 * MINUTE)
    assert shown(rig.made, job)["TimeLimit"] != limit
    rig.until_stop(2 * DAY, table=None if dates == "extended" else "")
    assert shown(rig.made, job)["TimeLimit"] == limit
    assert rig.made.run("ls /opt/clustergen/timetable/jobs").text == ""
    rig.made.run("scancel --user alice")


def test_waits_for_a_reservation(rig: Rig) -> None:
    """Jobs on a reservation of the future wait until it starts: no node is launched in vain."""
    nodes = rig.table.splitlines()[1].split()[1]
    start = int(time.time()) + DAY
    line = f"block {nodes} - {start} {start + DAY} {start + DAY} yes yes"
    rig.made.put("/rig/table", f"{line}\n")
    rig.made.ask(RUN)
    assert rig.reservations()["clustergen-start-block"] == "ACTIVE"
    job = submit(rig.made, "--partition limited --time 10", "sleep 600")
    rig.made.wait(f"squeue --noheader --jobs {job} --format %r", "Reserved")
    assert rig.state(job)[0] == "PENDING"
    rig.made.put("/rig/table", f"{line.replace(str(start), str(int(time.time()) - 9), 1)}\n")
    rig.made.ask(RUN)
    assert set(rig.reservations()) == {"clustergen-end-block"}
    rig.made.wait(f"squeue --noheader --jobs {job} --format %T", "RUNNING")
    assert rig.state(job)[0] == "RUNNING"
    rig.made.run("scancel --user alice")


def test_slurm_without_reservations(rig: Rig) -> None:
    """Where Slurm rejects reservations, nodes are drained once jobs have to end."""
    refuse = '#!/bin/bash\n[[ $1 != create ]] || exit 1\nexec /usr/bin/scontrol "$@"\n'
    rig.made.put("/usr/local/sbin/scontrol", refuse, 0o755)
    try:
        rig.until_stop(DAY)
        assert "drain" not in rig.made.run("sinfo --noheader --format %T").text
        rig.until_stop(MINUTE)
        drained = rig.made.run("sinfo --noheader --partition unlimited --format %T").text
        assert "drain" in drained
    finally:
        rig.made.ask("rm /usr/local/sbin/scontrol")
