"""Training plans that have not begun, or have ended, while deploy.sh runs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.hyperpod.test_deploy import EKS, calls, files_of
from tests.services.hyperpod.test_existing_cluster import SPECS as JOINED
from tests.services.hyperpod.test_existing_cluster import succeed, theirs
from tests.support.cloud.commands import Bundle, reaching
from tests.support.outcomes import succeeded

pytestmark = pytest.mark.sampled(4)

PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/november"
GROUPS = f"""node_groups:
  - {{name: h200, instance_type: p5en.48xlarge, count: 2, capacity: {{training_plan: "{PLAN}"}}}}
  - {{name: cpu, instance_type: m7i.4xlarge, count: 3}}
"""
NEW = {"slurm": "", "eks": EKS}


@pytest.fixture(params=["slurm", "eks"])
def orchestrator(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def spec(orchestrator: str, *, joined: bool) -> str:
    if not joined:
        return GROUPS + NEW[orchestrator]
    lines = JOINED[orchestrator].splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("node_groups")) + GROUPS


@pytest.fixture(params=[False, True], ids=["new", "joined"])
def bundle(request: pytest.FixtureRequest, orchestrator: str, tmp_path: Path) -> Iterator[Bundle]:
    files = files_of(spec(orchestrator, joined=request.param), orchestrator)
    with reaching(tmp_path, files) as made:
        if request.param:
            made.account.hyperpod.join(theirs(orchestrator))
        yield made


def sizes(made: Bundle) -> dict[str, int]:
    return {name: made.account.hyperpod.groups[name] for name in ("h200", "cpu")}


def sent(made: Bundle, name: str) -> set[str]:
    request = json.loads((made.folder / ".filled" / name).read_text())
    return {group["InstanceGroupName"] for group in request["InstanceGroups"]}


def test_other_groups_resume_after_the_end_of_a_plan(bundle: Bundle) -> None:
    succeed(bundle, "deploy", "--pause")
    bundle.account.hyperpod.plans["november"] = "Expired"
    said = succeed(bundle, "--resume")
    assert "The training plan november is Expired" in said
    assert sizes(bundle) == {"h200": 0, "cpu": 3}


def test_other_groups_are_deployed_after_the_end_of_a_plan(bundle: Bundle) -> None:
    succeed(bundle, "deploy")
    bundle.account.hyperpod.plans["november"] = "Expired"
    bundle.account.hyperpod.current["h200"] = 0
    assert "Give its node group another plan in the spec" in succeed(bundle, "deploy")
    assert len(calls(bundle, "update-cluster")) == 1
    assert "h200" not in sent(bundle, "update-cluster.json")
    succeed(bundle, "--pause")
    assert sizes(bundle) == {"h200": 2, "cpu": 0}


def test_a_group_with_another_plan_is_deployed(bundle: Bundle, orchestrator: str) -> None:
    succeed(bundle, "deploy", "--pause")
    bundle.account.hyperpod.plans["november"] = "Expired"
    succeed(bundle, "--resume")
    joined = bundle.account.hyperpod.theirs is not None
    text = spec(orchestrator, joined=joined).replace("november", "december")
    bundle.render(files_of(text, orchestrator))
    succeed(bundle, "deploy")
    assert sizes(bundle) == {"h200": 2, "cpu": 3}


def test_nodes_of_a_plan_that_has_not_begun_are_not_waited_for(bundle: Bundle) -> None:
    bundle.account.hyperpod.plans["november"] = "Scheduled"
    assert "HyperPod adds the nodes of h200 when it is active" in succeed(bundle, "deploy")
    assert sizes(bundle) == {"h200": 2, "cpu": 3}


def test_who_may_not_ask_about_plans_can_deploy(bundle: Bundle) -> None:
    denied = ("AccessDeniedException", "not authorized to perform: sagemaker:DescribeTrainingPlan")
    bundle.account.fail("describe-training-plan", denied, times=9)
    assert "training plan" not in succeed(bundle, "deploy", "--pause", "--resume")
    assert sizes(bundle) == {"h200": 2, "cpu": 3}


DATED = GROUPS.replace(f'"{PLAN}"', f'"{PLAN}", ends: "2099-01-01T11:30:00Z"')
ADVICE = "Running nodes of controller, h200, cpu keep the scripts and settings"


def test_a_controller_that_knows_no_dates_is_named_once(tmp_path: Path) -> None:
    """With what changes scripts, not with each run."""
    with reaching(tmp_path, files_of(GROUPS, "slurm")) as made:
        told = []
        for text in (GROUPS, DATED, DATED, GROUPS, DATED, DATED):
            made.render(files_of(text, "slurm"))
            said = succeeded(made.deploy())
            told.append(ADVICE in said)
        assert told == [False, True, False, True, True, False]


def test_a_controller_that_was_created_with_dates_is_not_named(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(DATED, "slurm")) as made:
        for _ in range(2):
            done = made.deploy()
            assert (done.returncode, ADVICE in done.stderr) == (0, False), done.stderr
