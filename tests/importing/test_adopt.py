"""Adopting clusters that are stacks: the rendered template is theirs, so an update is empty."""

import json
from typing import Any

import pytest
import yaml

from clustergen.analysis.diff import compare
from clustergen.analysis.diff.live import Live
from clustergen.base.artifacts import Json
from clustergen.bundle import renderer
from clustergen.bundle.effects import files_of, manifests
from clustergen.checking.compiler import check_text
from clustergen.importing import Imported
from clustergen.importing.reading import read
from tests.analysis.diff import test_live
from tests.analysis.diff.test_live import MISSING
from tests.importing import test_batch, test_eks, test_pcs
from tests.importing.templates import bring, document, filled, lossless, spec_of

NAMED = test_pcs.TEMPLATE.replace("Name: !Sub '${AWS::StackName}'", "Name: production")
BY_PARAMETER = test_pcs.TEMPLATE.replace("Name: !Sub '${AWS::StackName}'", "Name: !Ref Name")


def adopted(template: Any, stack: str = "") -> Imported:
    given = {"name": "production", "adopt": True, "parameters": test_eks.ADMIN}
    return filled(bring(template, **given, stack=stack))


def eks_named() -> dict[str, Any]:
    control = test_eks.TEMPLATE["Resources"]["Control"]
    properties = {**control["Properties"], "Name": "production"}
    resources = {**test_eks.TEMPLATE["Resources"], "Control": {**control, "Properties": properties}}
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
    result = lossless(adopted(template))
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


@pytest.mark.sampled(3)
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


@pytest.mark.parametrize("given", [{}, {"Name": "production"}, {"Name": "research"}])
def test_a_name_from_a_parameter_becomes_a_question(given: dict[str, str]) -> None:
    """With another value of the parameter in the stack, an update would replace the cluster."""
    parameter = "Parameters:\n  Name: {Type: String, Default: production}\n"
    template = BY_PARAMETER.replace("Parameters:\n", parameter)
    result = lossless(bring(template, name="production", adopt=True, parameters=given))
    name = document(result, "pcs")["Resources"]["Cluster"]["Properties"]["Name"]
    assert name == given.get("Name", "production")
    asked = [f.code for f in result.findings if "is only its default" in f.message]
    assert asked == ([] if given else ["IMP002"])


@pytest.mark.parametrize(("target", "template", "written"), CASES, ids=[c[0] for c in CASES])
def test_the_stack_of_an_adopted_cluster_can_be_named(
    target: str, template: Any, written: Any
) -> None:
    for stack in ("", "mystack"):
        result = lossless(adopted(template, stack))
        files = files_of(renderer.render(check_text(result.text, targets=(target,)), target))
        known = json.loads(files["bundle.json"])["stacks"]["cluster"]
        assert known["name"] == (stack or f"production-{target}")
        asked = [f for f in result.findings if "must be the stack of this template" in f.message]
        assert len(asked) == (not stack)


def test_a_name_from_the_stack_needs_the_stack() -> None:
    """The stack would have to have two names."""
    result = adopted(test_pcs.TEMPLATE)
    assert [each.code for each in result.errors] == ["OVL009"]
    assert "use --stack NAME" in [each.help for each in result.findings]
    named = lossless(adopted(test_pcs.TEMPLATE, "production-pcs"))
    assert spec_of(named).name == "production-pcs"


@pytest.mark.parametrize(
    "name",
    ["!If [Is, one, two]", "!Sub 'c-${AWS::Region}'", "!Sub '${AWS::StackName}-${Env}'"],
)
def test_a_name_that_depends_on_more_is_not_guessed(name: str) -> None:
    """The first update would replace the cluster."""
    template = test_pcs.TEMPLATE.replace("!Sub '${AWS::StackName}'", name).replace(
        "Parameters:", "Conditions: {Is: !Equals [!Ref Env, a]}\nParameters:\n  Env: {Default: b}"
    )
    result = adopted(template, "production-pcs")
    assert [each.code for each in result.errors] == ["OVL009"]


def test_a_cluster_without_a_stack_says_how_to_make_one() -> None:
    result = bring({"cluster": test_eks.CLUSTER}, {"nodegroup": test_eks.NODEGROUP}, adopt=True)
    (finding,) = [f for f in result.findings if "no stack has the cluster" in f.message]
    assert "create-change-set" in finding.help


def test_a_described_cluster_gets_nothing_that_it_does_not_have() -> None:
    """CloudFormation takes over resources that stay when the stack is deleted, and no others."""
    found = {"cluster": test_eks.CLUSTER}, {"nodegroup": test_eks.NODEGROUP}
    result = lossless(bring(*found, adopt=True))
    template = document(result, "eks")
    made = {(each["Type"], each["DeletionPolicy"]) for each in template["Resources"].values()}
    assert made == {("AWS::EKS::Cluster", "Retain"), ("AWS::EKS::Nodegroup", "Retain")}
    assert not any("clustergen adds" in finding.message for finding in result.findings)


def test_tags_of_a_cluster_do_not_become_those_of_its_stack() -> None:
    template = eks_named()
    tags = [{"Key": "team", "Value": "speech"}]
    template["Resources"]["Control"]["Properties"]["Tags"] = tags
    result = lossless(adopted(template))
    spec = spec_of(result)
    assert not spec.tags
    assert document(result, "eks") == template


STORE = {"Type": "AWS::FSx::FileSystem", "Properties": {"FileSystemType": "LUSTRE"}}


@pytest.mark.parametrize(
    ("resources", "said"),
    [
        ({}, "of nodes. Network stays"),
        ({"Data": STORE}, "of nodes; Data with all data. Network stays"),
        ({"Data": {**STORE, "DeletionPolicy": "Retain"}}, "of nodes. Network stays"),
        ({"Net": {"Type": "AWS::EC2::VPC"}}, "of nodes; the network of its stack. Nothing stays"),
    ],
)
def test_the_bundle_says_what_goes_with_an_adopted_stack(resources: Json, said: str) -> None:
    template = eks_named()
    template["Resources"] |= resources
    checked = check_text(adopted(template).text, targets=("eks",))
    files = files_of(renderer.render(checked, "eks"))
    assert said in files["README.md"]
    losses = json.loads(files["bundle.json"])["losses"]
    *_, last, _ = said.replace("; ", ". ").split(". ")
    assert last == "of nodes" or any(line.startswith(f"{last}:") for line in losses["lines"])
    assert ("Data" in losses.get("data", [])) == ("Data with all data" in said)


def edited(result: Imported, **changes: Any) -> str:
    return yaml.safe_dump({**yaml.safe_load(result.text), **changes})


@pytest.mark.parametrize(
    ("target", "template", "place"),
    [("pcs", NAMED, "MaxInstanceCount of Nodes is"), ("eks", eks_named(), "MaxSize of Gpu is")],
)
def test_a_count_that_the_adopted_template_does_not_follow(
    target: str, template: Any, place: str
) -> None:
    result = adopted(template)
    (group,) = yaml.safe_load(result.text)["node_groups"]
    for count, idle in ((group["count"], False), ({"min": 0, "max": 9}, True)):
        text = edited(result, node_groups=[{**group, "count": count}])
        findings = check_text(text, targets=(target,)).findings
        found = [f for f in findings if f.code == "OVL010" and f.message.startswith(place)]
        assert bool(found) == idle
        assert not found or found[0].help == "write 9 here, if this is the number that you want"


def test_what_a_new_group_needs_of_the_bundle_comes_back() -> None:
    result = adopted(eks_named())
    groups = yaml.safe_load(result.text)["node_groups"]
    new = {"name": "new", "instance_type": "m7i.4xlarge", "count": 2}
    findings = check_text(edited(result, node_groups=[*groups, new]), targets=("eks",)).findings
    helps = [finding.help for finding in findings if finding.code == "OVL008"]
    assert "remove `NodeRole: null` from the overlay" in helps
    assert any("with Control, which it is called there" in help for help in helps)


def test_software_that_is_not_installed_is_no_change() -> None:
    result = adopted(eks_named())
    queues = [{"name": name, "node_groups": ["gpu"]} for name in ("gpu", "second")]
    old, new = (
        files_of(renderer.render(check_text(text, targets=("eks",)), "eks"))
        for text in (result.text, edited(result, queues=queues))
    )
    assert old["manifests/kueue.yaml"] != new["manifests/kueue.yaml"]
    assert not [*manifests.effects(old, new, ())]
