"""The CDK app synthesizes the documents of `render`, and validators accept them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen import targets
from clustergen.base.findings import errors
from clustergen.bundle import renderer
from clustergen.deployment import resource_types
from clustergen.spec.placeholders import names
from stacks import app, parallelcluster, scripts
from tests.stacks.synthesized import Synthesized, example, new_app, synthesize
from tests.support.checking import EXAMPLES, check_example, check_fragment, faults
from tests.validators.cloudformation import lint
from tests.validators.cloudformation.second import diagnose

FREE = {"termination_protection": "false"}
TEMPLATES = ("pcs", "hyperpod-slurm", "hyperpod-eks", "eks", "batch")
"""The targets whose cluster is a template that `render` writes."""


def every(name: str) -> list[Synthesized]:
    """A spec's stacks for each target that takes it."""
    taken = [target for target in targets.NAMES if not faults(check_example(name, target))]
    # CloudFormation cannot add groups to a HyperPod cluster.
    joins = "hyperpod-slurm" if name == "hyperpod-existing-cluster" else ""
    return [example(name, target) for target in taken if target != joins]


def plain(value: Any) -> Any:
    """A template as `render` writes it: values that are imported are parameters there."""
    if isinstance(value, list):
        return [plain(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"Fn::ImportValue"}:
        return {"Ref": value["Fn::ImportValue"].rpartition("-")[2]}
    if set(value) == {"Fn::Sub"} and isinstance(value["Fn::Sub"], list):
        text, variables = value["Fn::Sub"]
        own = {k: plain(v) for k, v in variables.items() if plain(v) != {"Ref": k}}
        return {"Fn::Sub": [text, own] if own else text}
    kept = {key: plain(inner) for key, inner in value.items() if key != "Export"}
    if "Type" in kept and "DependsOn" in kept:
        waits = kept["DependsOn"]
        kept["DependsOn"] = sorted([waits] if isinstance(waits, str) else waits)
    return kept


def differences(synthesized: dict[str, Any], rendered: dict[str, Any]) -> list[str]:
    """Where a synthesized template says anything else of what a rendered one says."""
    ours, theirs = plain(synthesized), plain(rendered)
    found = [
        f"{section}.{name}"
        for section in ("Resources", "Outputs", "Mappings", "Conditions")
        for name, made in theirs.get(section, {}).items()
        if without_order(ours.get(section, {}).get(name)) != without_order(made)
    ]
    return found + [
        key for key in ("Description", "Metadata", "Transform") if ours.get(key) != theirs.get(key)
    ]


def without_order(resource: Any) -> Any:
    """A resource less what it waits for that only CDK's stack has: the scripts' way up."""
    if not isinstance(resource, dict) or "Type" not in resource:
        return resource
    waits = [each for each in resource.get("DependsOn", ()) if not each.startswith("Scripts")]
    rest = {key: value for key, value in resource.items() if key not in ("DependsOn", "Metadata")}
    return {**rest, "DependsOn": waits}


@pytest.mark.sampled(32)
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_stacks_of_every_spec(name: str) -> None:
    """For each target: equal to what `render` writes, and right for both validators."""
    validated: dict[str, str] = {}
    for made in every(name):
        target, files = made.rendered.target, made.rendered.files
        if made.foundation is not None:
            rendered = json.loads(files["foundation.template.json"])
            assert differences(made.foundation, rendered) == []
        if target in TEMPLATES:
            assert differences(made.cluster, json.loads(files["cluster.template.json"])) == []
        else:
            assert configuration(made) == yaml.safe_load(files["cluster.yaml"])
        validated |= {json.dumps(template): stack for stack, template in made.templates.items()}
    spec = check_example(name).spec
    assert spec is not None
    # The foundation is the same for every target, and validated once.
    for text, stack in validated.items():
        assert [str(found) for found in diagnose(text)] == [], stack
        assert lint({stack: text}, [spec.region]) == []


def configuration(made: Synthesized) -> Any:
    """Properties of ParallelCluster's custom resource, with placeholders again."""
    cluster = made.cluster["Resources"]["Cluster"]
    assert cluster["Type"] == "Custom::PclusterCluster"
    assert cluster["Properties"]["ClusterName"] == made.rendered.plan.name
    return placeholders(cluster["Properties"]["ClusterConfiguration"])


def placeholders(value: Any) -> Any:
    if isinstance(value, list):
        return [placeholders(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"Fn::ImportValue"}:
        return f"${{{value['Fn::ImportValue'].rpartition('-')[2]}}}"
    if set(value) == {"Fn::Join"}:
        separator, parts = value["Fn::Join"]
        return separator.join(placeholders(parts))
    return {key: placeholders(inner) for key, inner in value.items()}


FED = [("p5-on-demand", target) for target in ("pcs", "parallelcluster", "hyperpod-slurm")]


@pytest.mark.parametrize(("name", "target"), FED)
def test_the_cluster_uses_outputs_of_the_foundation(name: str, target: str) -> None:
    made = example(name, target)
    assert list(made.templates) == [f"llm-p5-{each}" for each in ("foundation", target)]
    assert made.foundation is not None
    exported = {e["Export"]["Name"] for e in made.foundation["Outputs"].values() if "Export" in e}
    taken = set(re.findall(r'"Fn::ImportValue": "([^"]+)"', json.dumps(made.cluster)))
    assert taken
    assert taken <= exported
    # Nothing is left to fill in: what parameters there are have defaults.
    assert all("Default" in each for each in made.cluster.get("Parameters", {}).values())


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "target"), [*FED, ("p5-on-demand", "eks")])
def test_the_same_spec_makes_the_same_stacks(name: str, target: str) -> None:
    """Assets, too, which are named by a hash of what is in them."""
    again = synthesize(check_example(name, target), target)
    assert again.templates == example(name, target).templates


def keys_of_scripts(made: Synthesized) -> set[str]:
    """Where the documents look for scripts in the bucket: keys, and prefixes of them."""
    text = json.dumps(made.cluster["Resources"])
    joined = re.findall(r'-ScriptsBucketName"\}, "/([^"]+)"', text)
    return {*re.findall(r"s3://\$\{ScriptsBucketName\}/([^\"]+)", text), *joined} - {"*", "/*"}


UPLOADED = [
    ("p5-on-demand", "pcs"),
    ("p5en-capacity-block", "pcs"),
    ("p5-on-demand", "hyperpod-slurm"),
    ("hyperpod-eks-mig", "hyperpod-eks"),
    ("hyperpod-slurm-legacy", "parallelcluster"),
]


@pytest.mark.parametrize(("name", "target"), UPLOADED)
def test_scripts_are_uploaded_before_documents_refer_to_them(name: str, target: str) -> None:
    made = example(name, target)
    uploads = parallelcluster.uploads if target == "parallelcluster" else scripts.of_bundle
    uploaded = uploads(made.rendered)
    named = keys_of_scripts(made)
    assert named
    for key in named:
        assert any(each == key or each.startswith(f"{key.rstrip('/')}/") for each in uploaded), key
    resources = [each for each in made.cluster["Resources"].values() if each["Type"] in WAITING]
    read = [json.dumps(each.get("Properties", {})) for each in resources]
    waiting = [r for r, text in zip(resources, read, strict=True) if "ScriptsBucketName" in text]
    assert waiting
    for resource in waiting:
        assert any(each.startswith("ScriptsCustomResource") for each in resource["DependsOn"])


WAITING = ("AWS::PCS::ComputeNodeGroup", "AWS::SageMaker::Cluster", "Custom::PclusterCluster")

# What the bundled templates do not have, and an overlay may bring.
OVERLAY = """
targets:
  pcs:
    overlay:
      Mappings: {Sizes: {small: {cores: "4"}}}
      Conditions: {Here: {"Fn::Equals": [{Ref: "AWS::Region"}, us-east-1]}}
      Metadata: {Owner: alice}
      Resources:
        Cluster: {DeletionPolicy: Retain, Metadata: {why: kept}}
        Topic: {Type: "AWS::SNS::Topic", Condition: Here, DependsOn: Cluster,
                Properties: {Tags: [{Key: empty, Value: ""}]}}
      Outputs: {Topic: {Value: {Ref: Topic}, Condition: Here}}
"""


def test_an_overlay_reaches_the_stack() -> None:
    found = check_fragment(OVERLAY, "pcs")
    made = synthesize(found, "pcs")
    rendered = {a.path: a.text for a in renderer.render(found, "pcs")}["cluster.template.json"]
    assert differences(made.cluster, json.loads(rendered)) == []
    assert made.cluster["Resources"]["Cluster"]["Metadata"]["why"] == "kept"


EKS_OVERLAY = """
storage: [{mount: /fsx, type: fsx-lustre, size: 2400GiB, throughput: 250}]
targets:
  eks:
    overlay:
      Conditions: {Here: {"Fn::Equals": [{Ref: "AWS::Region"}, us-east-1]}}
      Resources:
        Cluster:
          DeletionPolicy: Retain
          Properties:
            ZonalShiftConfig: {Enabled: true}
            UpgradePolicy: null
            Logging: {ClusterLogging: {EnabledTypes: [{Type: audit}]}}
        AddonKubeProxy: {Properties: {ResolveConflicts: PRESERVE}}
        Extra: {Type: "AWS::SNS::Topic", Condition: Here, DependsOn: Cluster,
                Properties: {TopicName: {"Fn::Sub": "${PrivateSubnetId}-news"}}}
      Outputs: {ClusterArn: {Description: other words}, Extra: {Value: {Ref: Extra}}}
"""


def test_an_overlay_reaches_a_stack_of_constructs() -> None:
    found = check_fragment(EKS_OVERLAY, "eks")
    assert not errors(found.findings), found.findings
    made = synthesize(found, "eks")
    rendered = json.loads(made.rendered.files["cluster.template.json"])
    assert differences(made.cluster, rendered) == []
    assert differences(rendered, made.cluster) == ["Outputs.NextStep", "Outputs.StackPolicy"]
    cluster = made.cluster["Resources"]["Cluster"]
    assert cluster["Properties"]["ZonalShiftConfig"] == {"Enabled": True}
    assert "UpgradePolicy" not in cluster["Properties"]
    name = made.cluster["Resources"]["Extra"]["Properties"]["TopicName"]["Fn::Sub"]
    assert name[1] == {"PrivateSubnetId": {"Fn::ImportValue": "example-foundation-PrivateSubnetId"}}


def test_a_stack_says_what_ends_the_nodes_of_karpenter() -> None:
    for name, expected in (("eks-karpenter", True), ("eks-trn2", False)):
        made = example(name, "eks")
        command = made.cluster["Outputs"].get("BeforeDestroy", {}).get("Value", "")
        steps = command.split(" && ")
        assert command.startswith("aws eks update-kubeconfig --region ") is expected
        assert len(steps) == (4 if expected else 1)
        # Whatever context is current, these reach this cluster.
        assert len({re.findall(r"--kubeconfig (\S+)", step)[0] for step in steps if step}) <= 1
        assert "delete nodepools --selector" in command or not expected
        assert any("Before `cdk destroy`" in warning for warning in made.warnings) is expected


def test_the_stacks_have_what_the_software_needs() -> None:
    made = example("eks-karpenter", "eks")
    known = {name for template in made.templates.values() for name in template["Outputs"]}
    files = made.rendered.files
    needed = {n for path in files if path.endswith(".yaml") for n in names(files[path])}
    assert "KarpenterQueueName" in needed <= known


def test_a_stack_that_installs_software() -> None:
    found = check_fragment("targets: {eks: {install: stack}}", "eks")
    assert not errors(found.findings), found.findings
    made = synthesize(found, "eks")
    kinds = {each["Type"] for each in made.cluster["Resources"].values()}
    assert {"Custom::AWSCDK-EKS-KubernetesResource", "Custom::AWSCDK-EKS-HelmChart"} <= kinds
    text = json.dumps(made.cluster)
    assert [str(found) for found in diagnose(text)] == []
    assert lint({"eks": text}, ["us-east-1"]) == []


SEEDED: list[tuple[str, Any]] = [
    ("Resources.Cluster", lambda t: t["Resources"]["Cluster"]["Properties"].update(Size="LARGE")),
    ("Resources.Cluster", lambda t: t["Resources"].pop("Cluster")),
    ("Resources.Cluster", lambda t: t["Resources"]["Cluster"].update(DeletionPolicy="Retain")),
    ("Resources.NodeGroupH100", lambda t: t["Resources"]["NodeGroupH100"].pop("DependsOn")),
    ("Outputs.ClusterId", lambda t: t["Outputs"]["ClusterId"].update(Value="x")),
    ("Description", lambda t: t.update(Description="other")),
]


@pytest.mark.parametrize(("where", "change"), SEEDED)
def test_the_comparison_sees_a_difference(where: str, change: Any) -> None:
    made = example("p5-on-demand", "pcs")
    rendered = json.loads(made.rendered.files["cluster.template.json"])
    altered = json.loads(json.dumps(made.cluster))
    change(altered)
    assert where in differences(altered, rendered)


def test_the_region_is_fixed_and_the_account_is_not() -> None:
    text = json.dumps(example("p5-on-demand", "pcs").templates)
    assert "us-east-1" in text
    assert not re.search(r"\b\d{12}\b", text.replace("111122223333", ""))


@pytest.mark.parametrize("target", ["eks", "pcs", "batch"])
def test_the_command_for_schedules_is_an_output(target: str) -> None:
    """They are no stack of the app: AWS rejects those in the past."""
    dates = "starts: '2026-12-10T11:30:00Z', ends: '2026-12-17T11:30:00Z'"
    capacity = f"{{capacity_block: cr-0a1b2c3d4e5f67890, {dates}}}"
    dated = f"node_groups: [{{name: h200, count: 2, capacity: {capacity}}}]"
    made = synthesize(check_fragment(dated, target), target)
    command = json.dumps(made.cluster["Outputs"]["Schedules"]["Value"])
    assert f"--stack-name example-{target}-schedule" in command
    given = {"batch": ["ComputeEnvironmentH200Arn"], "pcs": ["ClusterId", "NodeRoleArn"]}
    assert re.findall(r"(\w+)=", command) == given.get(target, [])
    assert "Schedules" not in example("p5-on-demand", target).cluster.get("Outputs", {})


@pytest.mark.parametrize("target", ["pcs", "batch"])
def test_stacks_with_clusters_or_data_say_how_to_protect_them(target: str) -> None:
    made = example("p5-on-demand" if target == "pcs" else "batch-fair-share", target)
    for name, template in made.templates.items():
        protected = resource_types.holds_data(template)
        command = template.get("Outputs", {}).get("StackPolicy", {}).get("Value", "")
        assert bool(command) == protected, name
        assert not command or f"--stack-name {name} --stack-policy-body" in command


@pytest.mark.parametrize(("setting", "protected"), [({}, True), (FREE, False)])
def test_stacks_are_protected(setting: dict[str, str], protected: bool, tmp_path: Path) -> None:
    rendered = app.rendered_cluster(check_example("p5-on-demand", "pcs"), "pcs", setting)
    made = app.build(new_app(str(tmp_path)), rendered)
    assert [stack.termination_protection for stack in made] == [protected] * len(made)


def test_the_app_writes_the_policy_beside_the_templates(tmp_path: Path) -> None:
    spec = str(EXAMPLES["p5-on-demand"])
    assert app.main(new_app(str(tmp_path), spec=spec, target="pcs")) == 0
    assert json.loads((tmp_path / "stack-policy.json").read_text()) == resource_types.policy()
