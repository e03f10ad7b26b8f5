"""Dates of capacity: findings just beyond a limit, and none just within it; nothing has a clock."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from clustergen.plan.timetable import iso, timetable
from tests.checking import Fragments, codes, message_and_help


def block(starts: str, ends: str, queue: str = "time_limit: 12h", kind: str = "") -> str:
    capacity = kind or "capacity_block: cr-0a1b2c3d4e5f67890"
    return f"""
node_groups:
  - name: h200
    count: 2
    capacity: {{{capacity}, starts: "{starts}", ends: "{ends}"}}
queues: [{{name: train, node_groups: [h200], {queue}}}]
"""


DATES = [
    ("2026-12-10T11:30:00Z", "2026-12-24T11:30:00Z", None),
    ("2026-12-10T11:30:00Z", "2026-12-25T11:30:00Z", "CAP022"),
    ("2026-12-10T11:30:00Z", "2026-12-31T11:30:00Z", None),
    ("2026-12-10T11:30:00Z", "2027-06-10T11:30:00Z", None),
    ("2026-12-10T11:30:00Z", "2027-06-17T11:30:00Z", "CAP022"),
    # Blocks that start at once are a part of a day shorter.
    ("2026-12-10T16:45:00Z", "2026-12-12T11:30:00Z", None),
    ("2026-12-10T09:49:00Z", "2026-12-10T11:30:00Z", None),
    ("2026-12-10T09:51:00Z", "2026-12-10T11:30:00Z", "CAP023"),
    ("2026-12-10T12:30:00+01:00", "2026-12-11T06:30:00-05:00", None),
    ("2026-12-10T11:30:00Z", "2026-12-17T11:31:00Z", "CAP025"),
    ("2026-12-17T11:30:00Z", "2026-12-17T11:30:00Z", "CAP020"),
    ("2026-11-15T11:30:00Z", "2026-11-21T11:30:00Z", "CAP027"),
    ("2026-11-15T11:30:00Z", "2026-11-22T11:30:00Z", None),
]


@pytest.mark.parametrize(("starts", "ends", "code"), DATES)
def test_dates(starts: str, ends: str, code: str | None) -> None:
    found = codes(block(starts, ends, "time_limit: 30m"))
    about = {each for each in found if each.startswith("CAP02")}
    assert about == ({code} if code else set())


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("time_limit: 47h", set()),
        ("time_limit: 48h", {"CAP024"}),
        ("slurm: {MaxTime: 1-00:00:00}", set()),
        ("slurm: {MaxTime: UNLIMITED}", {"CAP028"}),
        ("exclusive: true", {"CAP028"}),
    ],
)
def test_time_limits(limit: str, expected: set[str]) -> None:
    found = codes(block("2026-12-10T11:30:00Z", "2026-12-12T11:30:00Z", limit))
    assert {each for each in found if each.startswith("CAP02")} == expected


def test_nothing_drains_nodes_without_the_hook() -> None:
    dated = block("2026-12-10T11:30:00Z", "2026-12-17T11:30:00Z")
    without = dated + "targets: {parallelcluster: {leave_out: [hook]}}\n"
    message, help = message_and_help(without, "CAP104", "parallelcluster")
    assert message == "nothing drains h200 before 2026-12-17T11:30:00Z: leave_out has hook"
    assert "remove hook" in help
    assert "CAP104" not in codes(dated, "parallelcluster")


WINDOWS = [
    ("pcs", "p5en.48xlarge", "capacity_block: cr-0a1b2c3d4e5f67890", "10:30 10:50 11:00"),
    ("eks", "p6e-gb200.36xlarge", "capacity_block: cr-0a1b2c3d4e5f67890", "10:00 10:20 10:30"),
    (
        "hyperpod-slurm",
        "p5en.48xlarge",
        "training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/p'",
        "10:00 10:20 10:30",
    ),
    ("pcs", "p5en.48xlarge", "reservation: cr-0a1b2c3d4e5f67890", "11:00 11:20 11:30"),
]


@pytest.mark.parametrize(("target", "type", "kind", "expected"), WINDOWS)
def test_how_long_before_the_end(target: str, type: str, kind: str, expected: str) -> None:
    """https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html"""
    text = block("2026-12-10T11:30:00Z", "2026-12-17T11:30:00Z", kind=kind)
    plan = Fragments(target).faulty_plan(f"{text.replace('count: 2', f'count: 2{NEXT}{type}')}")
    times = timetable(plan, plan.node_groups[0])
    assert times
    assert times.checkpoint
    assert times.stops
    assert times.terminates
    shown = (times.checkpoint, times.stops, times.terminates)
    assert " ".join(iso(at)[11:16] for at in shown) == expected


NEXT = "\n    instance_type: "


def test_a_spec_gets_no_worse_with_time() -> None:
    """The same findings and bytes whatever the clock says, in any time zone."""
    program = """
import sys, time
real = time.time
time.time = lambda: real() + float(sys.argv[1]) * 86400
from tests.checking import Fragments
from tests.rules.test_dates import block
text = block("2026-12-10T11:30:00Z", "2026-12-17T11:30:00Z")
pcs = Fragments("pcs")
print(pcs.codes(text), sorted(pcs.files(text).items()))
"""
    told = {
        subprocess.run(
            [sys.executable, "-c", program, days],
            env={**os.environ, "TZ": zone},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for days, zone in (("0", "UTC"), ("4000", "Asia/Kathmandu"))
    }
    assert len(told) == 1
