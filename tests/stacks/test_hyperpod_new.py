"""The stacks of HyperPod on a new EKS cluster: in order, each fed by those before it."""

import functools
import json
import re

import pytest

from tests.stacks.synthesized import Synthesized, synthesize
from tests.stacks.test_synth import differences
from tests.targets.hyperpod_eks.new_cluster import NEW, validated
from tests.validators.cloudformation.second import diagnose

FILES = {
    "example-foundation": "foundation.template.json",
    "example-eks": "eks.template.json",
    "example-hyperpod-eks": "cluster.template.json",
    "example-addons": "addons.template.json",
    "example-governance": "governance.template.json",
}
BARE = "kubernetes: {admission: none, jobs: none}"
WEST = "region: us-west-2\nnetwork: {zone: usw2-az1}"
CASES = [(NEW, list(FILES)), (BARE, list(FILES)[:3]), (WEST, list(FILES)[:4])]


@functools.cache
def of(text: str) -> Synthesized:
    return synthesize(validated(text), "hyperpod-eks")


@pytest.mark.parametrize(("text", "names"), CASES)
def test_the_stacks_equal_the_templates_of_the_bundle(text: str, names: list[str]) -> None:
    made = of(text)
    assert list(made.templates) == names
    for name, template in made.templates.items():
        assert differences(template, json.loads(made.rendered.files[FILES[name]])) == []
        assert [str(found) for found in diagnose(json.dumps(template))] == []


@pytest.mark.parametrize("text", [text for text, _ in CASES])
def test_each_stack_uses_outputs_of_earlier_ones(text: str) -> None:
    exported: set[str] = set()
    for name, template in of(text).templates.items():
        taken = set(re.findall(r'"Fn::ImportValue": "([^"]+)"', json.dumps(template)))
        assert taken <= exported, name
        assert taken or name == "example-foundation"
        assert all("Default" in each for each in template.get("Parameters", {}).values())
        outputs = template.get("Outputs", {}).values()
        exported |= {each["Export"]["Name"] for each in outputs if "Export" in each}


def test_the_nodes_join_the_cluster_of_the_stack_before() -> None:
    cluster = of(NEW).cluster["Resources"]["Cluster"]["Properties"]
    arn = {"Fn::ImportValue": "example-eks-EksClusterArn"}
    assert cluster["Orchestrator"] == {"Eks": {"ClusterArn": arn}}
    assert {"Fn::ImportValue": "example-eks-EksClusterSecurityGroupId"} in cluster["VpcConfig"][
        "SecurityGroupIds"
    ]
    quotas = of(NEW).templates["example-governance"]["Resources"]
    for quota in quotas.values():
        arn = {"Fn::ImportValue": "example-HyperPodClusterArn"}
        assert quota["Properties"]["ClusterArn"] == arn


def test_interruptions_are_reported() -> None:
    output = of(NEW).templates["example-eks"]["Outputs"]["NextStep"]
    assert output["Value"] == "./deploy.sh --install"
