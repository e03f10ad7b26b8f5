"""Adopting clusters that are stacks: the rendered template is theirs, so an update is empty."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from clustergen.difference import compare
from clustergen.difference.live import Live
from clustergen.importing import Imported
from clustergen.importing.reading import read
from tests.difference import test_live
from tests.difference.test_live import MISSING
from tests.importing import test_batch, test_eks, test_pcs
from tests.importing.templates import bring, codes, document

NAMED = test_pcs.TEMPLATE.replace("Name: !Sub '${AWS::StackName}'", "Name: production")
BY_PARAMETER = test_pcs.TEMPLATE.replace("Name: !Sub '${AWS::StackName}'", "Name: !Ref Name")


def adopted(template: Any) -> Imported:
    return bring(template, name="production", adopt=True)


def eks_named() -> dict[str, Any]:
    control = test_eks.TEMPLATE["Resources"]["Control"]
    properties = {**control["Properties"], "Name": "production"}
    resources = {
        **test_eks.TEMPLATE["Resources"],
        "Control": {**control, "Properties": properties},
    }
    return {**test_eks.TEMPLATE, "Resources": resources}


CASES: list[tuple[str, Any, Any]] = [
    ("pcs", NAMED, dict(read(NAMED, "")[0].template)),
    ("eks", eks_named(), eks_named()),
    ("batch", test_batch.TEMPLATE, test_batch.TEMPLATE),
]


@pytest.mark.parametrize(("target", "template", "written"), CASES, ids=[c[0] for c in CASES])
def test_the_template_is_the_original_to_the_letter(
    target: str, template: Any, written: Any
) -> None:
    result = adopted(template)
    assert result.lossless
    assert document(result, target) == written
    stacks = [f.message for f in result.findings if "deploy.sh updates the stack" in f.message]
    assert len(stacks) == 1


def effects(spec: str, target: str, template: str) -> list[tuple[str, str]]:
    """What the first deployment does to the stack of this template."""

    def answer(_service: str, operation: str, arguments: Any) -> Any:
        ours = arguments.get("StackName") == f"production-{target}"
        return {"TemplateBody": template} if ours and operation == "get_template" else MISSING

    new = test_live.spec(spec, target)
    live = Live(new, lambda service, _region: test_live.Client(service, answer))
    found = compare(live, new, target)
    assert found is not None
    return [(each.effect.kind, each.effect.subject) for each in found.effects]


@pytest.mark.parametrize("form", [json.dumps, yaml.safe_dump], ids=["json", "yaml"])
@pytest.mark.parametrize(("target", "template", "written"), CASES, ids=[c[0] for c in CASES])
def test_the_first_diff_is_empty(target: str, template: Any, written: Any, form: Any) -> None:
    text = template if isinstance(template, str) and form is yaml.safe_dump else form(written)
    assert effects(adopted(template).text, target, text) == []


def test_software_of_an_adopted_cluster_stays_as_it_is() -> None:
    """The template does not have it, so the bundle cannot know what runs there."""
    result = adopted(eks_named())
    assert "install: none" in result.text
    assert "install: none" not in bring(eks_named(), name="production").text
    assert any("installs no software" in finding.message for finding in result.findings)


def test_a_name_from_a_parameter_is_written_out() -> None:
    parameter = "Parameters:\n  Name: {Type: String, Default: production}\n"
    result = adopted(BY_PARAMETER.replace("Parameters:\n", parameter))
    assert result.lossless
    resources = document(result, "pcs")["Resources"]
    assert resources["Cluster"]["Properties"]["Name"] == "production"


def test_a_name_from_the_stack_cannot_be_adopted() -> None:
    """The stack would have to have two names."""
    result = adopted(test_pcs.TEMPLATE)
    assert not result.lossless
    assert "IMP012" in codes(result)


def test_a_cluster_without_a_stack_says_how_to_make_one() -> None:
    result = bring({"cluster": test_eks.CLUSTER}, {"nodegroup": test_eks.NODEGROUP}, adopt=True)
    (finding,) = [f for f in result.findings if "no stack has the cluster" in f.message]
    assert "create-change-set" in finding.help
