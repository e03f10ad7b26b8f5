"""What the compiler says whatever the rules are: names of targets, and one finding for a fault."""

from __future__ import annotations

import pytest

from clustergen import compiler
from clustergen.findings import EXAMPLE_BASE, Severity
from tests.checking import check, check_fragment, found


def test_an_unknown_target_is_an_error_that_names_the_targets() -> None:
    with pytest.raises(ValueError, match="no target 'nope'; use parallelcluster, "):
        compiler.check([], targets=["nope"])


def test_a_value_that_the_reader_rejects_has_no_other_finding() -> None:
    text = EXAMPLE_BASE.replace("us-east-1", "!Ref AWS::Region")
    assert [finding.code for finding in check(text).findings] == ["SPC009"]


OVERLAY = "targets: {{parallelcluster: {{overlay: {}}}}}"


@pytest.mark.parametrize(
    "overlay", ["{Imds: {ImdsSupport: 2.0}}", "{HeadNode: {Imds: {Secured: maybe}}}"]
)
def test_a_value_that_the_schema_rejects_is_reported_once_and_with_help(overlay: str) -> None:
    findings = found(OVERLAY.format(overlay), "parallelcluster")
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    assert [finding.code for finding in errors] == ["OVL003"]
    assert errors[0].help


@pytest.mark.parametrize(
    ("target", "fragment", "code", "severity"),
    [
        # Static nodes beyond what a block holds never start.
        ("pcs", "count: 65, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}", "CAP007", "error"),
        ("eks", "count: {min: 1, max: 65}, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}",
         "CAP007", "warning"),
    ],
)  # fmt: skip
def test_severity(target: str, fragment: str, code: str, severity: str) -> None:
    findings = found(f"node_groups: [{{name: h200, {fragment}}}]", target)
    assert [str(f.severity) for f in findings if f.code == code] == [severity]


def test_different_types_are_one_finding_at_their_list() -> None:
    checked = check_fragment(
        "node_groups: [{name: h200, instance_type: null, "
        "instance_types: [m7i.4xlarge, m7i.8xlarge, m7i.2xlarge]}]",
        "pcs",
    )
    paths = [finding.path for finding in checked.findings if finding.code == "CAP004"]
    assert paths == [("node_groups", 0, "instance_types")]


@pytest.mark.parametrize("target", ["parallelcluster", "pcs", "hyperpod-slurm"])
def test_a_script_for_login_nodes_of_a_cluster_without_them_is_a_warning(target: str) -> None:
    findings = found("software: {scripts: [{run: 's3://my-bucket/a.sh', on: [login]}]}", target)
    roles = [(f.code, str(f.severity)) for f in findings if f.path[:2] == ("software", "scripts")]
    assert ("LIM005", "warning") in roles
