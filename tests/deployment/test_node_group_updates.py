"""Changes of EKS node groups that CloudFormation makes in more than one update."""

import json
from pathlib import Path
from typing import Any

import pytest

from clustergen.deployment import node_group_updates
from tests.deployment.test_deploy import typing
from tests.support.checking import Fragments
from tests.support.cloud.commands import reaching

pytestmark = pytest.mark.scenarios(3)

SAME, BIGGER = "count: 4", "count: 4, root_volume: {size: 700GiB}"
GROUP = "{Resources: {NodeGroupH200: {Properties: {%s}}}}"
FORCED = GROUP % "ForceUpdateEnabled: true, WarmPoolConfig: {Enabled: true}"
LABELS = GROUP % "Labels: {team: a}"
NAMED = """{Parameters: {Team: {Type: String, Default: a}},
  Conditions: {Shared: {"Fn::Equals": [{Ref: Team}, a]}},
  Resources: {Topic: {Type: "AWS::SNS::Topic"},
    NodeGroupH200: {Properties: {Labels: {team: {"Fn::If": [Shared, {Ref: Topic}, none]}}}}}}"""


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
        ([SAME], [BIGGER, "{}", NAMED], 2),
        ([SAME], [BIGGER, "{}", FORCED], 2),
        ([SAME], [BIGGER], 1),
        ([SAME], [SAME, "{}", FORCED], 1),
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
        assert stack.tags == json.loads(wanted["bundle.json"]).get("tags", {})


def test_a_parameter_may_replace_nodes(tmp_path: Path) -> None:
    """Launch templates have a security group of the foundation."""
    with reaching(tmp_path, files(SAME)) as bundle:
        bundle.deployed()
        bundle.render(files(SAME, "{}", LABELS))
        bundle.account.values["ClusterSecurityGroupId"] = "sg-0a1b2c3d4e5f60009"
        bundle.deployed("--allow-replacement")


def test_one_question_for_all_updates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one ends nodes, so that fewer are replaced then."""
    with reaching(tmp_path, files("count: {min: 2, max: 4}")) as bundle:
        bundle.deployed()
        asked = typing(monkeypatch, "y")
        bundle.render(files("count: {min: 0, max: 1}", "{d: e}"))
        bundle.deployed()
        assert len(asked) == 1


def test_a_refusal_says_what_was_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with reaching(tmp_path, files("count: {min: 0, max: 4}")) as bundle:
        bundle.deployed()
        make = node_group_updates.make

        def meanwhile(*given: Any) -> None:
            make(*given)
            bundle.account.eks.groups["h200"].desired = 3

        monkeypatch.setattr(node_group_updates, "make", meanwhile)
        bundle.render(files("count: {min: 0, max: 4}", "{d: e}"))
        bundle.stops("is made in part. The rest would replace the 3 nodes of NodeGroupH200")
