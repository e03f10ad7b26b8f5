"""The table of dated capacity is data: whatever is in the bucket, no node runs it.

What the script does with a table: `test_real_timetable.py`, in a real Slurm.
"""

import re
import time
from pathlib import Path

import pytest

from clustergen.services.slurm import timetable
from tests.support.scripts import Rig

FOLDER = "opt/clustergen/timetable"
GOOD = "# group ...\nh200 h200-[1-2],x.y - 0 1 2 yes no\n\nb_1 - b,c-d 0 1796815800 0 no yes\n"
COMMAND = "$(touch${IFS}$ROOT/ran)"
# In place of a column: in arithmetic, Bash runs the first one.
HOSTILE = [
    *(f"BASH_VERSINFO[{COMMAND}]", COMMAND, "`touch${IFS}$ROOT/ran`", "0;touch${IFS}$ROOT/ran"),
    *("../../etc", "--help", "0\0", "08", "9" * 40, "0\t0", "0\n0", "", "yes\x1b"),
]
LINE = ["h200", "-", "-", "0", "1", "2", "yes", "no"]
TABLES = [
    *(" ".join([*LINE[:column], HOSTILE[0], *LINE[column + 1 :]]) + "\n" for column in range(8)),
    *(f"h200 - - 0 1 {text} yes no\n" for text in HOSTILE[1:]),
    f"h200 - - 0 1 2 yes no {COMMAND}\n",
    "h200 - - 0\n",
    GOOD + "h200 - - 0 1 2 yes",
    GOOD * 10_000,
]
FETCHED = 'cp "$ROOT/body" "${*: -1}"'
# Slurm with a reservation that an earlier version of the script made; it answers "create" and fails
# as the files say.
SLURM = {
    "sinfo": """if [[ -e $ROOT/sinfo.fails ]]; then exit 1; fi
echo n1""",
    "squeue": "",
    "scontrol": """case "$1 $2" in
"show hostnames") echo n1 ;;
"create reservation")
  cat "$ROOT/says" >&2
  exit 1
  ;;
"show reservation")
  if [[ -e $ROOT/scontrol.fails ]]; then exit 1; fi
  echo "ReservationName=clustergen-end-g StartTime=2026-01-01T00:00:00 Nodes=n1 State=ACTIVE"
  ;;
esac""",
}


@pytest.fixture
def rig(tmp_path: Path) -> Rig:
    return rigged(tmp_path, dict.fromkeys(("scontrol", "squeue", "sinfo"), ""))


def rigged(tmp_path: Path, slurm: dict[str, str]) -> Rig:
    made = Rig(tmp_path, {"aws": FETCHED, **slurm, "get-compute-fleet-status.sh": ""})
    (tmp_path / FOLDER).mkdir(parents=True)
    (tmp_path / FOLDER / "source").write_text("s3://bucket/table\n")
    (tmp_path / FOLDER / "table").write_text(GOOD)
    return made


def run(rig: Rig, table: str) -> str:
    (rig.root / "body").write_bytes(table.encode())
    done = rig.run(timetable.script("x"), "run")
    assert done.status == 0, done.output
    assert any("show hostnames" in call for call in done.calls) == (rig.root / FOLDER).is_dir()
    return (rig.root / FOLDER / "table").read_text()


@pytest.mark.sampled(5)
@pytest.mark.parametrize("table", TABLES, ids=range(len(TABLES)))
def test_what_is_no_table_is_not_followed(rig: Rig, table: str) -> None:
    followed = run(rig, table)
    assert not (rig.root / "ran").exists()
    assert followed == GOOD


def test_a_table_is_followed(rig: Rig) -> None:
    newer = GOOD.replace("h200 ", "h100 ")
    assert run(rig, newer) == newer


NOT_ALLOWED = (
    *("Invalid user id", "Access/permission denied"),
    "Requested operation not supported on this system",
)
PASSING = (
    # This script on another node was faster.
    "Duplicate reservation name",
    *("Unable to contact slurm controller", "Unexpected message received"),
    *("Requested nodes are busy", ""),
)


@pytest.mark.parametrize("says", [*NOT_ALLOWED, *PASSING])
def test_nodes_are_drained_where_slurm_allows_no_reservation(says: str, tmp_path: Path) -> None:
    rig, now = rigged(tmp_path, SLURM), int(time.time())
    (tmp_path / "says").write_text(says and f"Error creating the reservation: {says}")
    run(rig, f"g n1 - 0 {now - 60} {now + 600} no no\n")
    calls = (tmp_path / "calls").read_text()
    assert "create reservation ReservationName=clustergen.x.end.g." in calls
    assert ("State=DRAIN" in calls) == (says in NOT_ALLOWED)


@pytest.mark.parametrize("program", ["sinfo", "scontrol"])
def test_without_an_answer_of_slurm_nothing_changes(program: str, tmp_path: Path) -> None:
    """An answer that fails does not mean that there are no nodes, or no reservations."""
    rig, now = rigged(tmp_path, SLURM), int(time.time())
    (tmp_path / f"{program}.fails").touch()
    (tmp_path / "body").write_text(f"g n1 - 0 {now - 60} {now + 600} no no\n")
    done = rig.run(timetable.script("x"), "run")
    assert [call for call in done.calls if re.search("create|delete|update", call)] == []
