"""What other dates of capacity do to what runs."""

import pytest

from clustergen.bundle.effects import effects
from tests.support.checking import Fragments

BLOCK = "{{capacity_block: cr-0a1b2c3d4e5f67890{}}}"
PLAN = "{{training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/p'{}}}"
OF_BLOCKS = ("parallelcluster", "pcs", "eks", "batch")
CAPACITY = {**dict.fromkeys(OF_BLOCKS, BLOCK), "hyperpod-slurm": PLAN}


def files(target: str, ends: str) -> dict[str, str]:
    dates = f", starts: '2026-12-10T11:30:00Z', ends: '{ends}'" if ends else ""
    capacity = CAPACITY[target].format(dates)
    text = f"node_groups: [{{name: h200, count: 2, capacity: {capacity}}}]"
    return dict(Fragments(target).files(text))


@pytest.mark.parametrize("target", CAPACITY)
def test_an_extension_replaces_nothing(target: str) -> None:
    short, long = (files(target, f"2026-12-{day}T11:30:00Z") for day in (17, 24))
    found = [each for each in effects(short, long) if "stops the nodes" in each.text]
    assert [(each.kind, each.subject) for each in found] == [("in-place", "h200")]
    assert {each.kind for each in effects(short, long)} == {"in-place"}
    assert [e.kind for e in effects(long, short) if e.kind != "in-place"] == ["removes-nodes"]


@pytest.mark.parametrize("target", ["pcs", "eks", "batch"])
def test_schedules_go_with_the_dates(target: str) -> None:
    """deploy.sh deletes their stack: nothing is left over."""
    found = effects(files(target, "2026-12-17T11:30:00Z"), files(target, ""))
    assert "leftover" not in {each.kind for each in found}


def test_a_controller_that_runs_learns_of_first_dates_by_hand() -> None:
    ends = ("", "2026-12-17T11:30:00Z", "2026-12-24T11:30:00Z")
    without, dated, later = (files("hyperpod-slurm", end) for end in ends)
    [found] = [each for each in effects(without, dated) if each.subject == "timetable.sh"]
    assert found.kind == "new-nodes-only"
    assert "timetable.sh install timetable.json" in found.text
    assert "timetable.sh" not in {each.subject for each in effects(dated, later)}
