"""cdk-nag on the app: whatever it finds has been acknowledged in `stacks/`, with the reason."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aws_cdk as cdk
import pytest
from aws_cdk import aws_s3 as s3
from aws_cdk.cloudformation_include import CfnInclude
from cdk_nag import AwsSolutionsChecks

from stacks import acknowledged, app
from tests.stacks.synthesized import new_app
from tests.support.checking import EXAMPLES, check_example

# Specs that between them have every part that a stack may have.
CHECKED = [
    ("p5-on-demand", "pcs"),
    ("govcloud", "pcs"),
    ("mixed-fair-share-database", "parallelcluster"),
    ("hyperpod-slurm-legacy", "parallelcluster"),
    ("hyperpod-eks-new-cluster", "hyperpod-eks"),
]


def findings(folder: Path, build: Any) -> list[str]:
    """What cdk-nag says of what `build` puts into an app: rule and construct."""
    made = new_app(str(folder))
    cdk.Validations.of(made).add_plugins(AwsSolutionsChecks(made))
    build(made)
    try:
        made.synth()
    except RuntimeError:
        return list(_violations(folder / "validation-report.json"))
    return []


def _violations(report: Path) -> Iterator[str]:
    for plugin in json.loads(report.read_text(encoding="utf-8"))["pluginReports"]:
        for each in plugin["violations"]:
            for construct in each["violatingConstructs"]:
                yield f"{each['ruleName']} {construct['constructPath']}"


@pytest.mark.parametrize(("name", "target"), CHECKED)
def test_every_cdk_nag_finding_is_explained(name: str, target: str, tmp_path: Path) -> None:
    found = check_example(name, target)
    rendered = app.rendered_cluster(found, target, {})
    assert findings(tmp_path, lambda made: app.build(made, rendered)) == []


FULLEST = ("eks-karpenter", "eks-trn2", "trn1-efs")
# The rules know nothing of resources without types: here templates are read as typed ones.
TYPED = [
    *((name, "eks") for name in FULLEST),
    ("p5-on-demand", "batch"),
    ("hyperpod-eks-karpenter", "hyperpod-eks"),
    ("hyperpod-eks-new-cluster", "hyperpod-eks"),
    # These have no finding that the others lack.
    *(
        pytest.param(name, "eks", marks=pytest.mark.repeated())
        for name in EXAMPLES
        if name.startswith("eks-") and name not in FULLEST
    ),
]


TEMPLATES = ("foundation.template.json", "eks.template.json", "cluster.template.json")


@pytest.mark.parametrize(("name", "target"), TYPED)
def test_every_cdk_nag_finding_in_rendered_templates_is_explained(
    name: str, target: str, tmp_path: Path
) -> None:
    found = check_example(name, target)
    rendered = app.rendered_cluster(found, target, {})

    def build(made: Any) -> None:
        for path in (path for path in TEMPLATES if path in rendered.files):
            (tmp_path / path).write_text(rendered.files[path], encoding="utf-8")
            stack = cdk.Stack(made, path.partition(".")[0])
            CfnInclude(stack, "Rendered", template_file=str(tmp_path / path))
            if (target, path) == ("eks", "cluster.template.json") or path == "eks.template.json":
                acknowledged.eks(stack, rendered.plan)
            else:
                acknowledged.foundation(stack, rendered.plan)

    assert findings(tmp_path / "out", build) == []


def test_the_search_can_find_something(tmp_path: Path) -> None:
    def build(made: Any) -> None:
        s3.CfnBucket(cdk.Stack(made, "Bare"), "Bucket")

    assert any("AwsSolutions-S1 Bare/Bucket" in found for found in findings(tmp_path, build))
