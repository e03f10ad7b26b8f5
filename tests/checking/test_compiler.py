"""What the compiler says whatever the rules are: names of targets, and one finding for a fault."""

import pytest

from clustergen.base.findings import EXAMPLE_BASE, Severity
from clustergen.checking import compiler
from tests.support.checking import check, check_fragment, found


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


_HEAD = "head_node: {instance_type: m7i.4xlarge}"


@pytest.mark.parametrize(
    ("targets", "listed"),
    [
        # The parts of a section without effect are not named as well.
        (["pcs"], {("LIM009", "pcs")}),
        (["pcs", "eks"], {("LIM009", "pcs"), ("LIM009", "eks")}),
        # Someone uses it; the README of the bundle for PCS still says that PCS does not.
        (["pcs", "parallelcluster"], set()),
    ],
)
def test_what_one_target_uses_is_not_listed_as_unused(
    targets: list[str], listed: set[tuple[str, str]]
) -> None:
    text = EXAMPLE_BASE + _HEAD
    checked = compiler.check_text(text, targets=targets)
    assert {(f.code, f.target) for f in checked.listed if f.path[0] == "head_node"} == listed
    assert {"LIM009", "SUP004"} <= {f.code for f in checked.about("pcs")}


def test_what_no_target_uses_is_listed() -> None:
    network = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  control_plane_subnets: [subnet-0a1b2c3d4e5f67891]"""
    text = EXAMPLE_BASE.replace("network: {zone: use1-az6}", network)
    for names in (["pcs"], ["pcs", "parallelcluster"]):
        assert "NET023" in [f.code for f in compiler.check_text(text, targets=names).listed]
    text = EXAMPLE_BASE + "software: {registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/m}"
    for names, codes in ((["pcs"], ["SUP002"]), (["pcs", "eks"], [])):
        listed = compiler.check_text(text, targets=names).listed
        assert [f.code for f in listed if f.path[:1] == ("software",)] == codes


@pytest.mark.parametrize(("autoscaler", "found"), [("karpenter", False), ("none", True)])
def test_a_feature_that_a_plan_gets_in_full_is_no_difference(autoscaler: str, found: bool) -> None:
    group = "{name: h200, count: {min: 0, max: 2}}"
    fragment = f"kubernetes: {{autoscaler: {autoscaler}}}\nnode_groups: [{group}]"
    features = [f.message for f in check_fragment(fragment, "eks").findings if f.code == "SUP002"]
    assert any("[nodes.scaling]" in message for message in features) == found
