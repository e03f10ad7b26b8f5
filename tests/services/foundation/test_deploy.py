"""The frame of deploy.sh, with a target of these tests, in an account that remembers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from clustergen.base.shell import environment
from clustergen.deployment.model import Mark
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.aws import marks
from tests.services.foundation.planned import plan_of
from tests.support.checking import Fragments
from tests.support.cloud.account import THROTTLED
from tests.support.cloud.commands import Bundle, reaching
from tests.support.cloud.stacks import INLINE_BYTES
from tests.support.outcomes import rejected, succeeded
from tests.validators.shell import script_violations

pytestmark = pytest.mark.scenarios(6)

BLOCKS = {
    "title": "# A target of the tests.",
    "settings": 'stack="$cluster-cluster"',
    "deploy": """\
  deploy_stack "$stack" cluster.template.json {{ parameters }}
  fill cluster.yaml
  run kubectl create --file .filled/cluster.yaml""",
    "find_user": '    stack_status "$stack"',
    "destroy": '  delete_stack "$stack"',
    "pause": '  fail "not here"',
    "resume": '  fail "not here"',
}
TARGET = '{% extends "shared/deploy.sh.j2" %}\n' + "".join(
    f"{{% block {name} %}}\n{text}\n{{% endblock %}}\n" for name, text in BLOCKS.items()
)

SPEC = """
tags: {team: "it's $(reboot), \\"=", of: all}
storage:
  - {mount: /fsx, type: fsx-lustre, deployment: scratch-2, size: 1200GiB}
  - {mount: /home, type: efs, on_delete: delete}
"""
DOCUMENT = "subnet: ${PrivateSubnetId}\nmount: ${StorageFsxDnsName}:/x\nhome: ${HOME} $${x} $Vpc\n"
VALUES = {
    "PrivateSubnetId": "subnet-0a1b2c3d4e5f67890",
    "ScriptsBucketName": "scripts-bucket",
    "StorageFsxDnsName": "fs-0a1b.fsx.us-east-1.amazonaws.com",
    "VpcId": "vpc-0a1b2c3d4e5f67890",
}
TEMPLATE = {"Parameters": {"VpcId": {}}, "Resources": {"Cluster": {"Type": "AWS::X::Y"}}}
CLUSTER = json.dumps(marks.marked(TEMPLATE, Mark("example", "")))


def deploy_sh(plan: Plan, *, uploads: tuple[str, ...] = (), **more: object) -> str:
    frame = foundation.frame(plan)
    owned = [*frame["owned"], "example-cluster", "example", "", "A cluster of the tests"]
    values = {**frame, "owned": owned, "uploads": list(uploads), "parameters": ["VpcId"], **more}
    return environment().from_string(TARGET).render(values)


def files_of(spec: str, script: str = "echo\n") -> dict[str, str]:
    plan = plan_of(spec)
    return {
        "deploy.sh": deploy_sh(plan, uploads=("0f0f/a.sh",)),
        "scripts/a.sh": script,
        "cluster.yaml": DOCUMENT,
        "cluster.template.json": CLUSTER,
        **{file.path: file.text for file in foundation.files(plan)},
    }


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files_of(SPEC)) as made:
        made.account.values = dict(VALUES)
        yield made


CHANGING = ("create-change-set", "execute-change-set", "s3 cp", "kubectl", "delete-stack")


def changing(bundle: Bundle) -> list[str]:
    return [call for call in bundle.account.calls if any(word in call for word in CHANGING)]


def test_a_deployment(bundle: Bundle) -> None:
    succeeded(bundle.deploy())
    made, executed, upload, cluster, execution, created = changing(bundle)
    assert "--stack-name example-foundation" in made
    assert "--change-set-type CREATE --capabilities CAPABILITY_IAM" in made
    assert "--stack-name example-foundation" in executed
    assert upload.endswith("scripts/a.sh s3://scripts-bucket/0f0f/a.sh")
    given = "ParameterKey=VpcId,ParameterValue=vpc-0a1b2c3d4e5f67890"
    assert f" --parameters {given} --tags " in cluster
    assert "--stack-name example-cluster" in execution
    assert created == "kubectl create --file .filled/cluster.yaml"
    assert (bundle.folder / ".filled" / "cluster.yaml").read_text() == (
        "subnet: subnet-0a1b2c3d4e5f67890\n"
        "mount: fs-0a1b.fsx.us-east-1.amazonaws.com:/x\n"
        "home: ${HOME} $${x} $Vpc\n"
    )


def test_tags_reach_the_stacks_as_they_are(bundle: Bundle) -> None:
    bundle.deploy()
    stack = bundle.account.cloudformation.stacks["example-foundation"]
    assert json.loads(stack.tags) == [
        {"Key": "team", "Value": "it's $(reboot), \"="},
        {"Key": "of", "Value": "all"},
    ]


def test_every_change_is_announced(bundle: Bundle) -> None:
    output = bundle.deploy().stderr
    announced = [line for line in output.splitlines() if line.startswith("+ ")]
    assert len(announced) == len(changing(bundle))


def test_an_existing_script_is_not_uploaded_again(bundle: Bundle) -> None:
    bundle.deploy()
    succeeded(bundle.deploy())
    assert bundle.account.calling("s3 cp") == []


def test_a_dry_run_needs_no_aws(bundle: Bundle) -> None:
    bundle.remove("aws")
    succeeded(bundle.deploy("--dry-run"))
    rejected(bundle.deploy(), "aws is required")


MISSING = [
    # Output that the foundation lacks, words of the rejection.
    ("PrivateSubnetId", "cluster.yaml still has placeholders without a value: ${PrivateSubnetId}"),
    ("VpcId", "the foundation has no output VpcId"),
    ("ScriptsBucketName", "the foundation has no output ScriptsBucketName"),
]


@pytest.mark.parametrize(("name", "words"), MISSING)
def test_unfilled_placeholders_prevent_creation(tmp_path: Path, name: str, words: str) -> None:
    files = files_of(SPEC)
    template = json.loads(files[foundation.PATH])
    del template["Outputs"][name]
    with reaching(tmp_path, {**files, foundation.PATH: json.dumps(template)}) as bundle:
        rejected(bundle.deploy(), words)
        assert bundle.account.calling("kubectl") == []


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
    assert bundle.account.calling("ParameterValue=vpc-0a1b2c3d4e5f67890")
    filled = (bundle.folder / ".filled" / "cluster.yaml").read_text()
    assert "subnet: subnet-0a1b2c3d4e5f67890" in filled


def padded(size: int) -> str:
    """A template that is so large as it is sent."""
    empty = json.dumps({"Resources": {"Cluster": {"Type": "AWS::X::Y", "Metadata": ""}}})
    return empty.replace('""', f'"{"x" * (size - len(empty))}"')


@pytest.mark.parametrize(("size", "uploaded"), [(INLINE_BYTES, False), (INLINE_BYTES + 1, True)])
def test_a_large_template_goes_to_the_bucket(bundle: Bundle, size: int, uploaded: bool) -> None:
    bundle.render({"cluster.template.json": padded(size)})
    succeeded(bundle.deploy())
    url = "https://scripts-bucket.s3.us-east-1.amazonaws.com/templates/example-cluster.json"
    assert bool(bundle.account.calling(f"--template-url {url}?versionId=v1")) == uploaded


def many(count: int, tags: int) -> str:
    """A spec with so many file systems and tags."""
    listed = "".join(f"\n  - {{mount: /m{n}, type: efs}}" for n in range(count))
    tagged = ", ".join(f"tag{n}: value-of-tag-{n}" for n in range(tags))
    return f"tags: {{{tagged}}}\nstorage:{listed}\n"


FOUNDATIONS = [(6, 10, False), (20, 40, True)]
"""File systems, tags, and whether it is too large for a request without its indentation."""


@pytest.mark.parametrize(("count", "tags", "staged"), FOUNDATIONS)
def test_a_large_first_deployment(tmp_path: Path, count: int, tags: int, staged: bool) -> None:
    files = files_of(many(count, tags))
    assert len(files[foundation.PATH]) > INLINE_BYTES
    assert ("foundation-bucket.template.json" in files) == staged
    files["cluster.yaml"] = "nothing\n"
    with reaching(tmp_path, files) as bundle:
        for _ in range(2):
            succeeded(bundle.deploy())
        assert bundle.account.calling("execute-change-set") == []


def test_a_token_that_expires_during_a_change_is_reported_last(bundle: Bundle) -> None:
    bundle.account.fail("create-change-set", THROTTLED)
    done = bundle.deploy()
    assert done.returncode == 254
    assert "run the same command again" in done.stderr.splitlines()[-1]


def test_destroy_deletes_only_the_cluster_and_prints_what_remains(bundle: Bundle) -> None:
    bundle.deploy()
    done = bundle.deploy("--destroy")
    assert changing(bundle) == [
        "aws --region us-east-1 cloudformation delete-stack --stack-name example-cluster"
    ]
    assert re.search(r"example-foundation remains.*/fsx /home", done.stderr)


def test_a_stack_that_cannot_be_deleted_is_a_failure(bundle: Bundle) -> None:
    bundle.deploy()
    bundle.account.stuck["Cluster"] = "in use"
    rejected(bundle.deploy("--destroy"), "Cluster\tin use")
    bundle.account.stuck.clear()
    succeeded(bundle.deploy("--destroy"))


def test_what_leaves_the_foundation_stays_until_the_cluster_has_changed(bundle: Bundle) -> None:
    bundle.deploy()
    before = set(bundle.account.cloudformation.stacks["example-foundation"].resources)
    bundle.render(files_of(SPEC.replace("/home", "/data")))
    # /home is one that may be deleted, but not without consent.
    rejected(bundle.deploy(), "would delete StorageHome")
    assert bundle.account.calling("execute-change-set") == []
    bundle.account.fail("kubectl create", ("", "not now"))
    assert bundle.deploy("--allow-replacement").returncode != 0
    stacks = bundle.account.cloudformation.stacks
    assert set(stacks["example-foundation"].resources) > before
    succeeded(bundle.deploy("--allow-replacement"))
    assert "StorageHome" not in stacks["example-foundation"].resources


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


USAGE = [
    # Arguments, exit status.
    (["--help"], 0),
    *((arguments, 2) for arguments in (["--destory"], ["--outputs"], ["--wait"])),
    *((arguments, 2) for arguments in (["--outputs", "nowhere.json"], ["--wait", "long"])),
]


@pytest.mark.parametrize(("arguments", "status"), USAGE)
def test_usage(bundle: Bundle, arguments: list[str], status: int) -> None:
    assert bundle.deploy(*arguments).returncode == status
    assert bundle.account.calls == []


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


@pytest.mark.parametrize("with_foundation", [True, False])
@pytest.mark.parametrize("uploads", [(), ("0f/a.sh", "0e/b.sh")])
@pytest.mark.parametrize("text", ["", SPEC, many(20, 40)])
def test_validators_accept(text: str, uploads: tuple[str, ...], with_foundation: bool) -> None:
    script = deploy_sh(plan_of(text), foundation=with_foundation, uploads=uploads)
    assert script_violations({"deploy.sh": script}) == []


def test_the_foundation_has_every_output_of_these_tests() -> None:
    assert set(VALUES) <= set(foundation.outputs(plan_of(SPEC)))


KEPT = "sagemaker-example-f09c0a-111122223333"
"""What an earlier version called the bucket."""
ROLE = "arn:aws:iam::111122223333:role"
DEPLOYER = f"{ROLE}/deployer {ROLE}/*/deployer"


def parameters_of(bundle: Bundle) -> Mapping[str, str]:
    return bundle.account.cloudformation.stacks["example-foundation"].parameters


@pytest.fixture
def earlier(bundle: Bundle) -> Bundle:
    """A deployed bundle, whose bucket has the name that an earlier version gave it."""
    succeeded(bundle.deploy())
    assert parameters_of(bundle) == {}
    bundle.account.values["ScriptsBucketName"] = KEPT
    # What that version wrote, which had no parameters.
    bucket = bundle.account.cloudformation.stacks["example-foundation"].resources["ScriptsBucket"]
    bucket["Properties"]["BucketName"] = {"Fn::Sub": "sagemaker-example-f09c0a-${AWS::AccountId}"}
    bundle.account.forget_calls()
    return bundle


def kept(writers: str) -> Mapping[str, str]:
    return {"KeptBucketName": KEPT, "ScriptWriters": writers}


def test_a_bucket_of_an_earlier_version_keeps_its_name_and_gets_writers(earlier: Bundle) -> None:
    assert "replaced" not in succeeded(earlier.deploy())
    assert parameters_of(earlier) == kept(DEPLOYER)
    succeeded(earlier.deploy(), "example-foundation is up to date")
    assert parameters_of(earlier) == kept(DEPLOYER)


def test_another_deployer_is_added_before_anything_is_uploaded(earlier: Bundle) -> None:
    earlier.deploy()
    earlier.account.caller = "arn:aws:iam::111122223333:user/ops/eve,x"
    succeeded(earlier.deploy())
    first, *_ = changing(earlier)
    assert "create-change-set" in first
    assert "--use-previous-template" in first
    assert parameters_of(earlier) == kept(f"{DEPLOYER} {earlier.account.caller}")


def test_the_root_user_and_other_names_need_no_writers(earlier: Bundle) -> None:
    earlier.account.caller = "arn:aws:iam::111122223333:root"
    succeeded(earlier.deploy())
    assert parameters_of(earlier) == kept("")
    earlier.account.values["ScriptsBucketName"] = "example-foundation-scriptsbucket-0a1b2c3d4e5f"
    earlier.account.cloudformation.stacks["example-foundation"].parameters.clear()
    succeeded(earlier.deploy())
    assert parameters_of(earlier) == {}


def test_outputs_of_a_file_leave_the_bucket_alone(earlier: Bundle) -> None:
    values = {"example-foundation": earlier.account.values}
    (earlier.folder / "outputs.json").write_text(json.dumps(values))
    succeeded(earlier.deploy("--outputs", str(earlier.folder / "outputs.json")))
    assert earlier.account.calling("create-change-set", "example-foundation") == []


def test_a_bucket_is_not_replaced_without_a_word(earlier: Bundle) -> None:
    script = (earlier.folder / "deploy.sh").read_text()
    assert "KeptBucketName=$name" in script
    other = script.replace("KeptBucketName=$name", "KeptBucketName=another")
    (earlier.folder / "deploy.sh").write_text(other)
    rejected(earlier.deploy(), "would replace ScriptsBucket")


RESERVED = "capacity: {reservation: cr-0a1b2c3d4e5f67890}"
RESERVED_NODES = (
    f"node_groups: [{{name: held, instance_type: p5en.48xlarge, count: 2, {RESERVED}}}]\n"
    "queues: [{name: held, node_groups: [held]}]\n"
)


def test_a_pause_says_that_reserved_capacity_costs_money() -> None:
    for target, head, own in (("parallelcluster", ["head node"], []), ("pcs", [], ["controller"])):
        billed = json.loads(Fragments(target).files(RESERVED_NODES)["bundle.json"])["billed"]
        assert billed == ["network", "storage", *head, "reserved capacity", *own]
