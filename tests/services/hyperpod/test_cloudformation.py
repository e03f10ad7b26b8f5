"""A request as a template: references, and what CloudFormation has no words for."""

from typing import Any

import pytest

from clustergen.base.findings import Path
from clustergen.services.hyperpod import cloudformation

OUTPUTS = {"PrivateSubnetId": "Subnet", "ScriptsBucketName": "Bucket"}


def _properties(document: dict[str, Any]) -> dict[str, Any]:
    template = cloudformation.template(document, OUTPUTS)
    found: dict[str, Any] = template["Resources"]["Cluster"]["Properties"]
    return found


# What stands in the request, what in the template.
WRITTEN: list[tuple[Any, Any]] = [
    ("plain", "plain"),
    ("${PrivateSubnetId}", {"Ref": "PrivateSubnetId"}),
    ("s3://${ScriptsBucketName}/a/", {"Fn::Sub": "s3://${ScriptsBucketName}/a/"}),
    ("s3://${ScriptsBucketName}/${b}/", {"Fn::Sub": "s3://${ScriptsBucketName}/${!b}/"}),
    ("${HOME}", "${HOME}"),
    ("${Unknown}", "${Unknown}"),
    (7, 7),
    (False, False),
    ({"Slurm": {}}, {"Slurm": {}}),
    ([{"Spot": {}}, []], [{"Spot": {}}, []]),
]


@pytest.mark.parametrize(("value", "expected"), WRITTEN)
def test_written(value: Any, expected: Any) -> None:
    assert _properties({"Member": value}) == {"Member": expected}


def test_parameters_are_those_that_are_used() -> None:
    template = cloudformation.template({"Subnets": ["${PrivateSubnetId}"]}, OUTPUTS)
    assert template["Parameters"] == {
        "PrivateSubnetId": {"Type": "AWS::EC2::Subnet::Id", "Description": "Subnet"}
    }
    assert "Parameters" not in cloudformation.template({"ClusterName": "c"}, OUTPUTS)


def test_an_update_passes_karpenters_node_counts() -> None:
    scaled = {"InstanceGroupName": "h200", "InstanceCount": 0}
    fixed = {"InstanceGroupName": "cpu", "InstanceCount": 2}
    document = {"AutoScaling": {"Mode": "Enable"}, "InstanceGroups": [scaled, fixed]}
    template = cloudformation.template(document, OUTPUTS)
    groups = template["Resources"]["Cluster"]["Properties"]["InstanceGroups"]
    assert groups == [{**scaled, "InstanceCount": {"Ref": "NodesOfH200"}}, fixed]
    # Without a default, no user updates the cluster to 0 unawares.
    assert "Default" not in template["Parameters"]["NodesOfH200"]
    assert _properties({"InstanceGroups": [scaled]}) == {"InstanceGroups": [scaled]}


CHECKS, PATCHES = "OnStartDeepHealthChecks", "AutoPatchConfig"
WINDOW = "IdleWaitWindowInSeconds"
BOTH = ["InstanceStress", "MultiNodeTrainingValidation"]
DRAINED = {"PatchingStrategy": "DrainFirst", "DrainPolicy": {}}
IDLE = {"PatchingStrategy": "WhenIdle"}
SCHEDULED = {"ScheduledUpdateConfig": {"ScheduleExpression": "cron(0 3 ? * SUN *)"}}
# A group of the request, the group of the template, the places of what only the API takes.
LACKING: list[tuple[dict[str, Any], dict[str, Any], list[Path]]] = [
    ({CHECKS: BOTH}, {CHECKS: BOTH[:1]}, [(CHECKS, 1)]),
    ({CHECKS: BOTH[1:]}, {}, [(CHECKS, 0)]),
    ({PATCHES: DRAINED}, {}, [(PATCHES, "PatchingStrategy"), (PATCHES, "DrainPolicy")]),
    ({PATCHES: {**IDLE, WINDOW: 7200}}, {PATCHES: IDLE}, [(PATCHES, WINDOW)]),
    (SCHEDULED, SCHEDULED, []),
]


@pytest.mark.parametrize(("group", "expected", "places"), LACKING)
def test_members_that_only_the_api_accepts(
    group: dict[str, Any], expected: dict[str, Any], places: list[Path]
) -> None:
    document = {"InstanceGroups": [{"InstanceGroupName": "a", **group}]}
    assert _properties(document)["InstanceGroups"] == [{"InstanceGroupName": "a", **expected}]
    found = list(cloudformation.lacking(document))
    assert [path for path, _ in found] == [("InstanceGroups", 0, *place) for place in places]
    assert all(what for _, what in found)


def test_schedules_of_restricted_groups_are_only_the_apis() -> None:
    document = {"RestrictedInstanceGroups": [{"ScheduledUpdateConfig": {"a": 1}, "B": 2}]}
    assert _properties(document) == {"RestrictedInstanceGroups": [{"B": 2}]}
    [(path, _)] = cloudformation.lacking(document)
    assert path == ("RestrictedInstanceGroups", 0, "ScheduledUpdateConfig")
