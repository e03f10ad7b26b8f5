"""Changes of EKS node groups that CloudFormation makes in more than one update."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clustergen.deployment import stacks
from clustergen.deployment.changes import Guard
from clustergen.deployment.world import Stop
from tests.deployment.test_deploy import typing
from tests.support.checking import Fragments
from tests.support.cloud.commands import reaching

pytestmark = pytest.mark.scenarios(3)

SAME, BIGGER = "count: 4", "count: 4, root_volume: {size: 700GiB}"
FORCED = """{Resources: {NodeGroupH200: {Properties: {ForceUpdateEnabled: true,
  WarmPoolConfig: {Enabled: true}}}}}"""
NAMED = """{Parameters: {Team: {Type: String, Default: a}},
  Conditions: {Shared: {"Fn::Equals": [{Ref: Team}, a]}},
  Resources: {Topic: {Type: "AWS::SNS::Topic"},
    NodeGroupH200: {Properties: {Labels: {team: {"Fn::If": [Shared, {Ref: Topic}, none]}}}}}}"""

OWN = """{Resources: {Own: {Type: "AWS::EKS::Nodegroup", Properties: {ClusterName: {Ref: Cluster},
  NodegroupName: own, NodeRole: {"Fn::GetAtt": [NodeRole, Arn]}, InstanceTypes: [m7i.large],
  Subnets: [subnet-0a1b2c3d4e5f67890]}}}}"""


def files(group: str, tags: str = "{}", overlay: str = "{}") -> dict[str, str]:
    text = f"node_groups: [{{name: h200, {group}}}]\ntags: {tags}\n"
    return dict(Fragments("eks").files(f"{text}targets: {{eks: {{overlay: {overlay}}}}}\n"))


@pytest.mark.parametrize(
    ("old", "new", "updates"),
    [
        # Any tag of the stack replaces placement groups, and launch templates with them.
        ([SAME, "{a: b}"], [SAME, "{a: c, d: e}"], 2),
        ([SAME, "{a: b, d: e}"], [SAME, "{a: b}"], 2),
        ([SAME, "{a: b}"], [SAME, "{d: e}"], 3),
        # A group of an overlay may have neither sizes nor tags.
        ([SAME, "{}", OWN], [SAME, "{a: b}", OWN], 3),
        ([SAME], [BIGGER, "{}", NAMED], 2),
        ([SAME], [BIGGER, "{}", FORCED], 2),
        ([SAME], [BIGGER], 1),
    ],
)
def test_all_changes_are_made(old: Any, new: Any, updates: int, tmp_path: Path) -> None:
    with reaching(tmp_path, files(*old)) as bundle:
        bundle.deployed()
        bundle.render(wanted := files(*new))
        bundle.deployed("--allow-replacement")
        # One more records how many nodes run.
        assert len(bundle.calling("execute-change-set", "example-eks")) == updates + 1
        stack = bundle.account.cloudformation.stacks["example-eks"]
        assert stack.template == json.loads(wanted["cluster.template.json"])
        assert bundle.account.eks.groups["h200"].desired == 4
        assert stack.tags == json.loads(wanted["bundle.json"]).get("tags", {})


def test_one_question_for_all_updates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parameter of launch templates replaces nodes, of which the first update ends some."""
    with reaching(tmp_path, files("count: {min: 2, max: 4}")) as bundle:
        bundle.deployed()
        asked = typing(monkeypatch, "y")
        bundle.render(files("count: {min: 0, max: 1}"))
        bundle.account.values["ClusterSecurityGroupId"] = "sg-0a1b2c3d4e5f60009"
        bundle.deployed()
        assert len(asked) == 1


def test_a_refusal_says_what_was_changed() -> None:
    run: Any = SimpleNamespace(changed={"eks"}, consents=lambda _: False)
    stack: Any = SimpleNamespace(name="eks")
    with pytest.raises(Stop, match=r"eks is made in part\. The rest would end 1 of the 2 nodes"):
        stacks.agree(run, stack, [Guard("removes-nodes", "end 1 of the 2 nodes")])
