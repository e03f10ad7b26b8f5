"""Managed node groups: nodes come after the cluster, and keep the size that the operator set."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clustergen.targets.eks import size_parameters
from tests.support.checking import Fragments
from tests.support.cloud.account import THROTTLED
from tests.support.cloud.commands import Bundle, reaching

pytestmark = pytest.mark.scenarios(6)

FRAGMENTS = Fragments("eks")
ALLOW = "--allow-replacement"
DENIED = ("AccessDeniedException", "not authorized to perform: eks:DescribeNodegroup")
BLOCK = "node_groups: [{name: h200, count: 32, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]\n"


def files(fragment: str = "") -> dict[str, str]:
    return dict(FRAGMENTS.files(fragment))


def counted(count: str) -> dict[str, str]:
    return files(f"node_groups: [{{name: h200, count: {count}}}]\n")


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, counted("4")) as made:
        yield made


def deployed(bundle: Bundle) -> int:
    """The size of the group after a run that has to succeed, and may replace nodes."""
    bundle.deployed(ALLOW)
    return bundle.account.eks.groups["h200"].desired


def test_the_stack_requests_no_nodes(bundle: Bundle) -> None:
    bundle.account.fail("helm upgrade", THROTTLED)
    assert bundle.deploy().returncode != 0
    assert "example" in bundle.account.eks.clusters
    assert bundle.account.eks.groups["h200"].desired == 0
    assert deployed(bundle) == 4


def test_a_change_removes_no_nodes(bundle: Bundle) -> None:
    deployed(bundle)
    bundle.render(files("node_groups: [{name: h200, count: 4}]\ntags: {team: research}\n"))
    assert deployed(bundle) == 4
    # The template has no minimum, so that a stack without capacity can be created.
    (call,) = bundle.account.calling("update-nodegroup-config")
    assert call.endswith("minSize=4,desiredSize=4")


TAGGED = "node_groups: [{name: h200, count: 4}]\ntags: {team: research}\n"
MORE = """
node_groups: [{name: h200, count: 4}, {name: more, instance_type: p5en.48xlarge, count: 2}]
"""


@pytest.mark.parametrize(("change", "broken"), [(TAGGED, "AddonCoredns"), (MORE, "NodeGroupMore")])
def test_a_failed_change_removes_no_nodes(bundle: Bundle, change: str, broken: str) -> None:
    """CloudFormation restores the sizes that the stack had before: those of its creation are 0."""
    deployed(bundle)
    bundle.render(files(change))
    bundle.account.broken[broken] = "EKS has no such version"
    for _ in range(2):
        assert bundle.deploy(ALLOW).returncode == 2
        assert bundle.account.eks.groups["h200"].desired == 4
    bundle.account.broken.clear()
    assert deployed(bundle) == 4


def test_a_failed_removal_of_a_group_removes_no_nodes(bundle: Bundle) -> None:
    bundle.render(files(MORE))
    deployed(bundle)
    bundle.render(files(TAGGED))
    bundle.account.broken["AddonCoredns"] = "EKS has no such version"
    assert bundle.deploy(ALLOW).returncode == 2
    groups = bundle.account.eks.groups
    assert (groups["h200"].desired, groups["more"].desired) == (4, 2)


def test_a_failed_change_keeps_what_the_operator_set(bundle: Bundle) -> None:
    bundle.render(counted("{min: 2, max: 8}"))
    deployed(bundle)
    bundle.account.eks.groups["h200"].desired = 6
    bundle.render(files("node_groups: [{name: h200, count: {min: 2, max: 8}}]\ntags: {a: b}\n"))
    bundle.account.broken["AddonCoredns"] = "EKS has no such version"
    assert bundle.deploy(ALLOW).returncode == 2
    assert bundle.account.eks.groups["h200"].desired == 6
    bundle.account.broken.clear()
    assert deployed(bundle) == 6


def test_the_recorded_size_fits_the_deployed_maximum(bundle: Bundle) -> None:
    """EKS rejects more nodes than the maximum, which CloudFormation sends as well."""
    deployed(bundle)
    group = bundle.account.eks.groups["h200"]
    group.maximum = group.desired = 10
    bundle.render(files("node_groups: [{name: h200, count: {min: 4, max: 12}}]\n"))
    assert deployed(bundle) == 10


def test_a_paused_cluster_stays_paused(bundle: Bundle) -> None:
    deployed(bundle)
    bundle.deployed("--pause")
    bundle.render(files(TAGGED))
    assert bundle.deploy().returncode == 2
    assert bundle.account.calling("create-change-set --stack-name example-eks") == []
    bundle.deployed("--resume")
    bundle.account.broken["AddonCoredns"] = "EKS has no such version"
    assert bundle.deploy(ALLOW).returncode == 2
    assert bundle.account.eks.groups["h200"].desired == 4


@pytest.mark.parametrize(
    ("count", "minimum"), [("4", 4), ("{min: 2, max: 8}", 2), ("{min: 0, max: 8}", 0)]
)
def test_no_autoscaler_removes_the_minimum(bundle: Bundle, count: str, minimum: int) -> None:
    deployed(bundle)
    bundle.render(counted(count))
    for _ in range(2):
        deployed(bundle)
        assert bundle.account.eks.groups["h200"].minimum == minimum


def test_a_size_alone_changes_no_stack(bundle: Bundle) -> None:
    deployed(bundle)
    assert deployed(bundle) == 4
    assert bundle.account.calling("execute-change-set") == []


@pytest.mark.parametrize(
    ("count", "now", "then"),
    [("8", 4, 8), ("2", 4, 2), ("4", 0, 4), ("{min: 2, max: 8}", 6, 6), ("{min: 0, max: 8}", 0, 0)],
)
def test_the_spec_and_the_operator_agree(bundle: Bundle, count: str, now: int, then: int) -> None:
    deployed(bundle)
    bundle.account.eks.groups["h200"].desired = now
    bundle.render(counted(count))
    assert deployed(bundle) == then


def test_a_capacity_block_is_the_operators(bundle: Bundle) -> None:
    bundle.render(files(BLOCK))
    assert deployed(bundle) == 0
    bundle.account.eks.groups["h200"].desired = 32
    admin = "arn:aws:iam::111122223333:role/a"
    bundle.render(files(f"{BLOCK}kubernetes: {{admins: ['{admin}']}}\n"))
    assert deployed(bundle) == 32


def pruned_first(bundle: Bundle) -> bool:
    """Whether what left the bundle was looked for before the stack changed."""
    calls = bundle.account.calls
    listed = next(i for i, call in enumerate(calls) if "api-resources" in call)
    made = "execute-change-set --stack-name example-eks"
    return listed < max((i for i, call in enumerate(calls) if made in call), default=0)


def test_karpenter_nodes_are_deleted_before_karpenter(bundle: Bundle) -> None:
    scaled = "node_groups: [{name: h200, count: {min: 0, max: 4}}]\n"
    bundle.render(files(f"{scaled}kubernetes: {{autoscaler: karpenter}}\n"))
    bundle.deployed()
    bundle.render(counted("4"))
    assert deployed(bundle) == 4
    assert pruned_first(bundle)
    deployed(bundle)
    assert not pruned_first(bundle)


@pytest.mark.parametrize("days", [0, 1, 59, 60, 366, 1461])
def test_deploy_prints_the_age_of_images(bundle: Bundle, days: int) -> None:
    day = datetime.now(UTC).date() - timedelta(days=days)
    bundle.account.eks.release = f"1.35.2-{day:%Y%m%d}"
    done = bundle.deployed(ALLOW)
    told = re.findall(r"Nodes of (\S+) start with .* which is (-?\d+) days old", done.stderr)
    assert told == [("h200", str(days)), ("system_nodes", str(days))]
    bundle.account.eks.release = "ami-0a1b2c3d4e5f67890"
    assert "days old" not in bundle.deploy(ALLOW).stderr


def test_an_unknown_size_is_not_zero(bundle: Bundle) -> None:
    deployed(bundle)
    bundle.render(files("node_groups: [{name: h200, count: 4}]\ntags: {team: research}\n"))
    bundle.account.fail("describe-nodegroup", DENIED)
    bundle.stops("not authorized")
    assert bundle.account.calling("create-change-set --stack-name example-eks") == []
    assert bundle.account.eks.groups["h200"].desired == 4


def test_the_cdk_leaves_groups_with_dates_to_their_schedules() -> None:
    dates = "starts: '2026-12-10T11:30:00Z', ends: '2026-12-17T11:30:00Z'"
    plan = FRAGMENTS.plan(BLOCK.replace("}}]", f", {dates}}}}}]"))
    assert size_parameters.command(plan, plan.node_groups) == ""
    name = "example-eks:SizeOfNodeGroupH200"
    assert size_parameters.present(plan, plan.node_groups) == f"--parameters {name}=PRESENT_SIZE"


@pytest.mark.parametrize(
    ("group", "size"),
    [
        ("{name: h200, count: {min: 0, max: 8}}", ""),
        ("{name: h200, count: {min: 2, max: 8}}", "2"),
        ("{name: h200, count: 8, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}", "8"),
    ],
)
def test_the_cdk_asks_for_the_nodes_that_deploy_sh_asks_for(group: str, size: str) -> None:
    """Of a Capacity Block, for all: users run the command once it has started."""
    plan = FRAGMENTS.plan(f"node_groups: [{group}]\n")
    command = size_parameters.command(plan, plan.node_groups)
    asked = re.findall(r"SizeOfNodeGroupH200=(\d+)", command)
    assert asked == ([size] if size else [])
