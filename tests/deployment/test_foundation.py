"""How the foundation is deployed and deleted, in an account that remembers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from clustergen.base.artifacts import compact_text
from clustergen.services import foundation
from tests.support.checking import Fragments
from tests.support.cloud.account import THROTTLED
from tests.support.cloud.commands import Bundle, reaching
from tests.support.cloud.stacks import INLINE_BYTES
from tests.support.outcomes import rejected, succeeded

pytestmark = pytest.mark.scenarios(6)

SPEC = """
tags: {team: "a + b = c", of: all}
storage:
  - {mount: /fsx, type: fsx-lustre, deployment: scratch-2, size: 1200GiB}
  - {mount: /home, type: efs, on_delete: delete}
"""


def files_of(spec: str) -> dict[str, str]:
    return dict(Fragments("pcs").files(spec))


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files_of(SPEC)) as made:
        yield made


VALUES = {n: f"{n.lower()}-file" for n in foundation.outputs(Fragments("pcs").plan(SPEC))}
CHANGING = ("create-change-set", "execute-change-set", "put-", "set-stack-policy", "delete-stack")


def changing(bundle: Bundle) -> list[str]:
    return [call for call in bundle.account.calls if any(word in call for word in CHANGING)]


def test_tags_reach_the_stacks_as_they_are(bundle: Bundle) -> None:
    bundle.deploy()
    tags = bundle.account.cloudformation.stacks["example-foundation"].tags
    assert tags == {"team": "a + b = c", "of": "all"}


def test_every_change_is_announced(bundle: Bundle) -> None:
    output = bundle.deploy().stderr
    announced = [line for line in output.splitlines() if line.startswith("+ ")]
    assert len(announced) == len(changing(bundle))


def test_an_existing_script_is_not_uploaded_again(bundle: Bundle) -> None:
    bundle.deploy()
    succeeded(bundle.deploy())
    assert bundle.account.calling("put-object") == []


@pytest.mark.parametrize("name", ["PrivateSubnetId", "ScriptsBucketName"])
def test_without_an_output_no_cluster_is_created(tmp_path: Path, name: str) -> None:
    files = files_of(SPEC)
    template = json.loads(files[foundation.PATH])
    del template["Outputs"][name]
    with reaching(tmp_path, {**files, foundation.PATH: json.dumps(template)}) as bundle:
        rejected(bundle.deploy(), f"the foundation has no output {name}")
        assert bundle.account.calling("create-change-set", "example-pcs") == []


def _outputs(first: str) -> Iterator[dict[str, str]]:
    for key, value in VALUES.items():
        output = {"OutputKey": key, "OutputValue": value, "Description": f"The {key}"}
        yield {first: output[first], **output}


OUTPUT_FILES = {
    "cdk deploy --outputs-file": {"example-foundation": VALUES},
    "describe-stacks": {
        "Stacks": [{"StackName": "example-foundation", "Outputs": [*_outputs("OutputKey")]}]
    },
    "value before key": {"Stacks": [{"Outputs": [*_outputs("OutputValue")]}]},
}


@pytest.mark.parametrize("form", OUTPUT_FILES)
@pytest.mark.parametrize("indent", [None, 2])
def test_outputs_from_a_file(bundle: Bundle, form: str, indent: int | None) -> None:
    (bundle.tools / "outputs.json").write_text(json.dumps(OUTPUT_FILES[form], indent=indent))
    succeeded(bundle.deploy("--outputs", "outputs.json"))
    assert bundle.account.calling("example-foundation") == []
    assert bundle.account.calling("ParameterValue=privatesubnetid-file")


OTHERS = {**VALUES, "PrivateSubnetId": "theirs"}


@pytest.mark.parametrize(
    ("stacks", "words"),
    [
        ({"another": OTHERS, "example-foundation": VALUES}, "example is deployed"),
        ({"another": OTHERS, "third": VALUES}, "has two values of PrivateSubnetId, one of"),
        ({}, "has no outputs of stacks: write it with"),
    ],
)
def test_outputs_of_several_stacks_are_not_mixed(
    bundle: Bundle, stacks: dict[str, dict[str, str]], words: str
) -> None:
    (bundle.tools / "outputs.json").write_text(json.dumps(stacks))
    assert words in bundle.deploy("--outputs", "outputs.json").stderr
    assert not bundle.account.calling("theirs")


def padded(text: str, size: int) -> str:
    """A template that is so large as it is sent."""
    template = json.loads(text)
    template["Metadata"]["padding"] = ""
    template["Metadata"]["padding"] = "x" * (size - len(compact_text(template)))
    return json.dumps(template)


@pytest.mark.parametrize(("size", "uploaded"), [(INLINE_BYTES, False), (INLINE_BYTES + 1, True)])
def test_a_large_template_goes_to_the_bucket(bundle: Bundle, size: int, uploaded: bool) -> None:
    path = "cluster.template.json"
    bundle.render({path: padded(files_of(SPEC)[path], size)})
    succeeded(bundle.deploy())
    # After the two scripts of nodes.
    place = "scriptsbucketname-0a1b.s3.us-east-1.amazonaws.com"
    url = f"https://{place}/templates/example-pcs.json"
    assert bool(bundle.account.calling(f"--template-url {url}?versionId=v3 ")) == uploaded


def many(count: int, tags: int) -> str:
    """A spec with so many file systems and tags."""
    listed = "".join(f"\n  - {{mount: /m{n}, type: efs}}" for n in range(count))
    tagged = ", ".join(f"tag{n}: value-of-tag-{n}" for n in range(tags))
    return f"tags: {{{tagged}}}\nstorage:{listed}\n"


FOUNDATIONS = [(6, 10, False), (20, 40, True)]
"""File systems, tags, and whether it is too large for a request without its indentation."""


@pytest.mark.parametrize(("count", "tags", "staged"), FOUNDATIONS)
def test_a_large_first_deployment(tmp_path: Path, count: int, tags: int, staged: bool) -> None:
    files = dict(Fragments("batch").files(many(count, tags)))
    assert len(files[foundation.PATH]) > INLINE_BYTES
    assert ("foundation-bucket.template.json" in files) == staged
    with reaching(tmp_path, files) as bundle:
        for _ in range(2):
            succeeded(bundle.deploy())
        assert bundle.account.calling("execute-change-set") == []


def test_destroy_deletes_only_the_cluster_and_prints_what_remains(bundle: Bundle) -> None:
    bundle.deploy()
    done = bundle.deploy("--destroy")
    assert [call.split()[-1] for call in changing(bundle)] == ["example-pcs"]
    assert re.search(r"example-foundation remains.*/fsx /home", done.stderr)


def test_a_stack_that_cannot_be_deleted_is_a_failure(bundle: Bundle) -> None:
    bundle.deploy()
    bundle.account.stuck["Cluster"] = "in use"
    rejected(bundle.deploy("--destroy"), "Cluster\tin use")
    bundle.account.stuck.clear()
    succeeded(bundle.deploy("--destroy"))


def test_a_template_of_others_is_not_guessed_at(bundle: Bundle) -> None:
    bundle.deploy()
    bundle.render(files_of(SPEC.replace("/home", "/data")))
    bundle.account.answers["cloudformation get-template"] = {"TemplateBody": "Resources: {}"}
    rejected(bundle.deploy("--allow-replacement"), "is not one of clustergen's")
    assert bundle.account.calling("execute-change-set") == []


def test_destroy_foundation_is_a_separate_step(bundle: Bundle) -> None:
    bundle.deploy()
    bundle.deploy("--destroy")
    done = bundle.deploy("--destroy-foundation")
    assert [call.split()[-1] for call in changing(bundle)] == ["example-foundation"]
    assert "/fsx stays" in done.stderr
    assert "/home is deleted with its data" in done.stderr


STATES = [
    # Status of the stack before, words of the rejection; none: it is waited for or created again.
    ("REVIEW_IN_PROGRESS", ""),
    ("ROLLBACK_FAILED", "delete-stack --stack-name example-foundation"),
    ("DELETE_FAILED", "delete-stack --stack-name example-foundation"),
    ("UPDATE_ROLLBACK_FAILED", "continue-update-rollback --stack-name example-foundation"),
    ("UPDATE_ROLLBACK_COMPLETE", ""),
]


@pytest.mark.parametrize(("status", "words"), STATES)
def test_the_status_of_a_stack_says_what_to_do(bundle: Bundle, status: str, words: str) -> None:
    if status == "REVIEW_IN_PROGRESS":
        bundle.account.fail("execute-change-set", THROTTLED)
    bundle.deploy()
    bundle.account.cloudformation.stacks["example-foundation"].status = status
    done = bundle.deploy()
    assert done.returncode == (2 if words else 0), done.stderr
    assert words in done.stderr.splitlines()[-1]


ROLE = "arn:aws:iam::111122223333:role"
DEPLOYER = f"{ROLE}/deployer {ROLE}/*/deployer"


def parameters_of(bundle: Bundle) -> dict[str, str]:
    return bundle.account.cloudformation.stacks["example-foundation"].parameters


@pytest.fixture
def limited(bundle: Bundle) -> Bundle:
    """A deployed bundle, to whose bucket only the deployer may write."""
    succeeded(bundle.deploy())
    assert parameters_of(bundle) == {}
    parameters_of(bundle)["ScriptWriters"] = DEPLOYER
    bundle.account.forget_calls()
    return bundle


def test_the_writers_of_a_bucket_stay(limited: Bundle) -> None:
    succeeded(limited.deploy(), "example-foundation is up to date")
    assert parameters_of(limited) == {"ScriptWriters": DEPLOYER}


def test_another_deployer_is_added_before_anything_is_uploaded(limited: Bundle) -> None:
    limited.account.caller = "arn:aws:iam::111122223333:user/ops/eve,x"
    succeeded(limited.deploy())
    first, *_ = changing(limited)
    assert "create-change-set" in first
    assert "--use-previous-template" in first
    assert parameters_of(limited) == {"ScriptWriters": f"{DEPLOYER} {limited.account.caller}"}


def test_the_root_user_needs_no_place_among_the_writers(limited: Bundle) -> None:
    limited.account.caller = "arn:aws:iam::111122223333:root"
    succeeded(limited.deploy())
    assert parameters_of(limited) == {"ScriptWriters": DEPLOYER}


def test_outputs_of_a_file_leave_the_bucket_alone(limited: Bundle) -> None:
    values = {"example-foundation": {name: limited.account.output(name) for name in VALUES}}
    (limited.folder / "outputs.json").write_text(json.dumps(values))
    succeeded(limited.deploy("--outputs", str(limited.folder / "outputs.json")))
    assert limited.account.calling("create-change-set", "example-foundation") == []


RESERVED = "capacity: {reservation: cr-0a1b2c3d4e5f67890}"
RESERVED_NODES = (
    f"node_groups: [{{name: held, instance_type: p5en.48xlarge, count: 2, {RESERVED}}}]\n"
    "queues: [{name: held, node_groups: [held]}]\n"
)


def test_a_pause_says_that_reserved_capacity_costs_money() -> None:
    for target, head, own in (("parallelcluster", ["head node"], []), ("pcs", [], ["controller"])):
        billed = json.loads(Fragments(target).files(RESERVED_NODES)["bundle.json"])["billed"]
        assert billed == ["network", "storage", *head, "reserved capacity", *own]
