"""Dates of capacity: findings just beyond a limit, and none just within it; nothing has a clock."""

import os
import sys

import pytest

from clustergen.plan.timetable import events, iso, timetable
from tests.support.checking import Fragments, codes, message_and_help
from tests.support.scripts import completed


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


PLANS = [
    ("2026-12-25T11:30:00Z", False),
    ("2027-02-10T11:30:00Z", False),
    ("2027-06-10T11:30:00Z", False),
    ("2027-06-11T11:30:00Z", True),
]


@pytest.mark.parametrize(("ends", "found"), PLANS)
def test_a_training_plan_lasts_any_number_of_days(ends: str, found: bool) -> None:
    kind = "training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan'"
    spec = block("2026-12-10T11:30:00Z", ends, "time_limit: 30m", kind)
    assert ("CAP022" in Fragments("hyperpod-slurm").codes(spec)) is found


@pytest.mark.parametrize(
    ("limit", "expected"),
    [
        ("time_limit: 47h", set()),
        ("time_limit: 48h", {"CAP024"}),
        ("slurm: {MaxTime: 1-00:00:00}", set()),
        ("slurm: {MaxTime: UNLIMITED}", {"CAP028"}),
        ("slurm: {MaxTime: soon}", set()),  # SLM005
        ("exclusive: true", {"CAP028"}),
    ],
)
def test_time_limits(limit: str, expected: set[str]) -> None:
    found = codes(block("2026-12-10T11:30:00Z", "2026-12-12T11:30:00Z", limit))
    assert {each for each in found if each.startswith("CAP02")} == expected


def test_no_target_gets_advice_about_what_it_lacks() -> None:
    text = block("2026-12-10T11:30:00Z", "2026-12-12T11:30:00Z", "exclusive: true")
    for target, words in (("pcs", "write time_limit, or have jobs"), ("eks", "have jobs")):
        [found] = [each for each in Fragments(target).findings(text) if each.code == "CAP028"]
        assert found.help.startswith(words)
        assert "slurm" not in found.note


@pytest.mark.parametrize(
    ("queue", "found"),
    [
        ("time_limit: 16h", False),
        ("time_limit: 17h", True),
        ("time_limit: 6d", True),
        ('time_limit: 6d, slurm: {DefaultTime: "12:00:00"}', False),
        ('time_limit: 6d, slurm: {DefaultTime: "24:00:00"}', True),
        ("slurm: {MaxTime: 99999999-0}", True),
        # CAP024 and CAP028.
        ("time_limit: 7d", False),
        ("exclusive: true", False),
    ],
)
def test_a_long_limit_idles_the_end_of_a_block(queue: str, found: bool) -> None:
    """Of a week, all but 40 minutes."""
    text = block("2026-12-10T11:30:00Z", "2026-12-17T11:30:00Z", queue)
    assert ("CAP030" in codes(text, "pcs")) == found
    assert "CAP030" not in codes(text, "eks")


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("time_limit: 3d", "Mon 2026-12-14 10:50"),
        ('time_limit: 3d, slurm: {DefaultTime: "12:00:00"}', "Wed 2026-12-16 22:50"),
        ("time_limit: 30d", "Thu 2026-12-10 11:30"),
        ("slurm: {MaxTime: 99999999-0}", "Thu 2026-12-10 11:30"),
        ("exclusive: true", ""),
    ],
)
def test_from_when_jobs_need_a_time(queue: str, expected: str) -> None:
    plan = Fragments("pcs").faulty_plan(
        block("2026-12-10T11:30:00Z", "2026-12-17T11:30:00Z", queue)
    )
    [found] = [
        f"{each.at:%a %Y-%m-%d %H:%M}" for each in events(plan) if "--time" in each.what
    ] or [""]
    assert found == expected
    [checkpoint] = [each.what for each in events(plan) if "--signal" in each.what]
    assert checkpoint.startswith("no job starts") == (not expected)


def test_capacity_without_dates() -> None:
    """The end is what matters; only what is bought has one."""
    dated = block("2026-12-10T11:30:00Z", "2026-12-17T11:30:00Z")
    kinds = {"capacity_block": True, "reservation": False}
    for kind, found in kinds.items():
        text = dated.replace("capacity_block", kind)
        for ending in (', starts: "2026-12-10T11:30:00Z"', ""):
            start = text.index(", starts")
            undated = text[:start] + ending + text[text.index("}\n", start) :]
            assert ("CAP031" in codes(undated, "pcs")) == found
        assert "CAP031" not in codes(text, "pcs")


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
    typed = text.replace("count: 2", f"count: 2\n    instance_type: {type}")
    plan = Fragments(target).faulty_plan(typed)
    times = timetable(plan, plan.node_groups[0])
    assert times
    shown = (times.checkpoint, times.stops, times.terminates)
    assert " ".join(iso(at)[11:16] for at in shown if at) == expected


def told() -> str:
    pcs, text = Fragments("pcs"), block("2026-12-10T11:30:00Z", "2026-12-17T11:30:00Z")
    return f"{pcs.codes(text)} {sorted(pcs.files(text).items())}"


def test_a_spec_gets_no_worse_with_time() -> None:
    """The same findings and bytes whatever the clock says, in any time zone."""
    program = """
import time
real = time.time
time.time = lambda: real() + 4000 * 86400
from tests.rules.test_dates import told
print(told())
"""
    done = completed(sys.executable, "-c", program, env={**os.environ, "TZ": "Asia/Kathmandu"})
    assert done.stdout == f"{told()}\n", done.stderr
