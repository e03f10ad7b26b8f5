"""Adopting clusters that are stacks: the rendered template is theirs, so an update is empty."""

from __future__ import annotations

from typing import Any

import pytest

from clustergen.importing import Imported
from clustergen.importing.reading import read
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
