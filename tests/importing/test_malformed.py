"""Parts of a configuration that no service accepts, and names that only a stack knows."""

import copy
from typing import Any

import pytest

from clustergen.base.findings import errors
from clustergen.checking.compiler import check_text
from clustergen.importing.reading import read
from tests.importing import test_batch, test_eks, test_pcs
from tests.importing.clusters import SMALL
from tests.importing.templates import bring, document, filled, lossless, spec_of

TEMPLATES: dict[str, Any] = {
    "pcs": dict(read(test_pcs.TEMPLATE, "")[0].template),
    "batch": test_batch.TEMPLATE,
    "eks": test_eks.TEMPLATE,
}


def changed(target: str, path: str, value: Any) -> dict[str, Any]:
    """The template of a target with another value at a path below its resources."""
    template: dict[str, Any] = copy.deepcopy(TEMPLATES[target])
    *steps, last = path.split(".")
    node = template["Resources"]
    for step in steps:
        node = node[step]
    node[last] = value
    return template


MALFORMED = {
    "Job.Properties": "text",
    "Odd": "text",
    "Odder": {"Type": ["AWS::S3::Bucket"]},
    "Queue.Properties.State": None,
}


@pytest.mark.parametrize("adopt", [False, True], ids=["import", "adopt"])
@pytest.mark.parametrize("path", MALFORMED)
def test_what_cloudformation_rejects_is_not_dropped_in_silence(path: str, adopt: bool) -> None:
    result = bring(changed("batch", path, MALFORMED[path]), adopt=adopt)
    (found,) = [each for each in result.findings if each.code == "IMP012"]
    assert ".".join(map(str, found.path)) == f"Resources.{path}"
    assert not result.lossless
    assert "OVL004" not in {each.code for each in result.errors}


@pytest.mark.parametrize("directive", ["$patch: delete", "$patch: replace", "$rename: other"])
def test_an_original_gives_no_directions_to_its_overlay(directive: str) -> None:
    result = bring(
        ("cluster.yaml", SMALL.replace("- Name: cpu", f"- {directive}\n      Name: cpu"))
    )
    (found,) = result.findings
    assert (found.code, found.span and found.span.line) == ("IMP012", 9)
    assert result.text == ""


NAMES = [
    ("pcs", "Cluster.Properties.Name"),
    ("pcs", "Nodes.Properties.Name"),
    ("pcs", "Queue.Properties.Name"),
    ("batch", "Gpu.Properties.ComputeEnvironmentName"),
    ("batch", "Queue.Properties.JobQueueName"),
    ("batch", "Job.Properties.JobDefinitionName"),
    ("eks", "Control.Properties.Name"),
    ("eks", "Gpu.Properties.NodegroupName"),
]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("value", [{"Fn::Sub": "${Stage}-x"}, {"Ref": "Stage"}], ids=["Sub", "Ref"])
@pytest.mark.parametrize(("target", "path"), NAMES)
def test_a_name_that_only_a_parameter_has_is_filled_in(target: str, path: str, value: Any) -> None:
    template = changed(target, path, value)
    result = lossless(bring(template))
    assert "FILL-IN-Stage" in result.text
    assert {each.code for each in errors(check_text(result.text).findings)} == {"SPC061"}
    known = lossless(bring(template, parameters={"Stage": "dev"}))
    assert ("dev-x" if "Fn::Sub" in value else "dev") in str(document(known, target))
    assert "FILL-IN-Stage" not in known.text


def test_an_overlay_names_what_a_stand_in_names() -> None:
    """Who replaces the stand-in by hand overlooks the logical ids."""
    result = bring(changed("pcs", "Nodes.Properties.Name", {"Fn::Sub": "${Stage}-x"}), adopt=True)
    by_hand = errors(check_text(result.text.replace("FILL-IN-Stage", "dev")).findings)
    unknown = [each.help for each in by_hand if "FILLINStage" in each.message]
    assert unknown
    assert all("--parameter" in help for help in unknown)


@pytest.mark.parametrize("target", ["pcs", "eks"])
def test_a_cluster_without_a_name_has_that_of_the_flag(target: str) -> None:
    template = copy.deepcopy(TEMPLATES[target])
    for resource in template["Resources"].values():
        if resource["Type"].endswith("::Cluster"):
            del resource["Properties"]["Name"]
    result = lossless(bring(template, name="research"))
    assert spec_of(filled(result)).name == "research"
    assert any("it is research here" in each.message for each in result.findings)


OTHERWISE = [
    ("pcs", "Nodes.Properties.CustomLaunchTemplate.TemplateId", {"Fn::Sub": "${Template}"}),
    (
        "pcs",
        "Queue.Properties.ComputeNodeGroupConfigurations",
        [{"ComputeNodeGroupId": {"Fn::Sub": "${Nodes.Id}"}}],
    ),
    (
        "batch",
        "Queue.Properties.ComputeEnvironmentOrder",
        [{"Order": 1, "ComputeEnvironment": {"Fn::Sub": "${Gpu}"}}],
    ),
    (
        "batch",
        "Queue.Properties.ComputeEnvironmentOrder",
        [
            {
                "Order": 1,
                "ComputeEnvironment": test_batch.TEMPLATE["Resources"]["Gpu"]["Properties"][
                    "ComputeEnvironmentName"
                ],
            }
        ],
    ),
]


@pytest.mark.parametrize(("target", "path", "value"), OTHERWISE)
def test_a_resource_may_be_named_in_other_ways(target: str, path: str, value: Any) -> None:
    assert lossless(bring(changed(target, path, value))).text == bring(TEMPLATES[target]).text
