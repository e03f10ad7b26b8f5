"""The frame of deploy.sh, with a target of these tests, in an account that remembers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from clustergen import foundation
from clustergen.plan.model import Plan
from clustergen.shell import environment
from tests.foundation.planned import plan_of
from tests.oracles.shell import script_violations
from tests.support.cloud.account import THROTTLED
from tests.support.cloud.commands import Bundle, reaching
from tests.support.cloud.stacks import INLINE_BYTES

TARGET = """\
{% extends "shared/deploy.sh.j2" %}
{% block title %}
# A target of the tests.
{% endblock %}
{% block settings %}
stack="$cluster-cluster"
{% endblock %}
{% block deploy %}
  deploy_stack "$stack" cluster.template.json {{ parameters }}
  fill cluster.yaml
  run kubectl create --file .filled/cluster.yaml
{% endblock %}
{% block find_user %}
    stack_status "$stack"
{% endblock %}
{% block destroy %}
  delete_stack "$stack"
{% endblock %}
{% block pause %}
  fail "not here"
{% endblock %}
{% block resume %}
  fail "not here"
{% endblock %}
"""

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
CLUSTER = json.dumps({"Parameters": {"VpcId": {}}, "Resources": {"Cluster": {"Type": "AWS::X::Y"}}})


def deploy_sh(plan: Plan, *, uploads: tuple[str, ...] = (), **more: object) -> str:
    values = {**foundation.frame(plan), "uploads": list(uploads), "parameters": ["VpcId"], **more}
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
    done = bundle.deploy()
    assert done.returncode == 0, done.stderr
    made, executed, upload, cluster, execution, created = changing(bundle)
    assert "--stack-name example-foundation" in made
    assert "--change-set-type CREATE --capabilities CAPABILITY_IAM" in made
    assert "--stack-name example-foundation" in executed
    assert upload.endswith("scripts/a.sh s3://scripts-bucket/0f0f/a.sh")
    assert (
        " --parameters ParameterKey=VpcId,ParameterValue=vpc-0a1b2c3d4e5f67890 --tags " in cluster
    )
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
    assert bundle.deploy().returncode == 0
    assert bundle.account.calling("s3 cp") == []


def test_a_dry_run_needs_no_aws(bundle: Bundle) -> None:
    bundle.remove("aws")
    assert bundle.deploy("--dry-run").returncode == 0
    done = bundle.deploy()
    assert (done.returncode, "aws is required" in done.stderr) == (2, True)


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
        done = bundle.deploy()
        assert (done.returncode, words in done.stderr) == (2, True)
        assert bundle.account.calling("kubectl") == []


OUTPUT_FILES = {
    "cdk deploy --outputs-file": {"example-foundation": VALUES},
    "describe-stacks": {
        "Stacks": [
            {
                "StackName": "example-foundation",
                "Outputs": [
                    {"OutputKey": k, "OutputValue": v, "Description": f"The {k}"}
                    for k, v in VALUES.items()
                ],
            }
        ]
    },
    "value before key": {
        "Stacks": [{"Outputs": [{"OutputValue": v, "OutputKey": k} for k, v in VALUES.items()]}]
    },
}


@pytest.mark.parametrize("form", OUTPUT_FILES)
@pytest.mark.parametrize("indent", [None, 2])
def test_outputs_from_a_file(bundle: Bundle, form: str, indent: int | None) -> None:
    (bundle.tools / "outputs.json").write_text(json.dumps(OUTPUT_FILES[form], indent=indent))
    done = bundle.deploy("--outputs", "outputs.json")
    assert done.returncode == 0, done.stderr
    assert bundle.account.calling("example-foundation") == []
    assert bundle.account.calling("ParameterValue=vpc-0a1b2c3d4e5f67890")
    filled = (bundle.folder / ".filled" / "cluster.yaml").read_text()
    assert "subnet: subnet-0a1b2c3d4e5f67890" in filled


def padded(size: int) -> str:
    """A template that is so large as it is sent."""
    empty = json.dumps({"Resources": {"Cluster": {"Type": "AWS::X::Y", "Metadata": ""}}})
    return empty.replace('""', f'"{"x" * (size - len(empty))}"')


@pytest.mark.parametrize(("size", "uploaded"), [(INLINE_BYTES, False), (INLINE_BYTES + 1, True)])
def test_a_large_template_is_uploaded_to_the_bucket(
    bundle: Bundle, size: int, uploaded: bool
) -> None:
    bundle.render({"cluster.template.json": padded(size)})
    done = bundle.deploy()
    assert done.returncode == 0, done.stderr
    url = (
        "--template-url https://scripts-bucket.s3.us-east-1.amazonaws.com/templates/example-cluster"
    )
    assert bool(bundle.account.calling(url)) == uploaded


def many(count: int, tags: int) -> str:
    """A spec with so many file systems and tags."""
    listed = "".join(f"\n  - {{mount: /m{n}, type: efs}}" for n in range(count))
    tagged = ", ".join(f"tag{n}: value-of-tag-{n}" for n in range(tags))
    return f"tags: {{{tagged}}}\nstorage:{listed}\n"


FOUNDATIONS = [(6, 10, False), (20, 40, True)]
"""File systems, tags, and whether it is too large for a request without its indentation."""


@pytest.mark.parametrize(("count", "tags", "staged"), FOUNDATIONS)
def test_a_large_foundation_is_deployed_the_first_time(
    tmp_path: Path, count: int, tags: int, staged: bool
) -> None:
    files = files_of(many(count, tags))
    assert len(files[foundation.PATH]) > INLINE_BYTES
    assert ("foundation-bucket.template.json" in files) == staged
    files["cluster.yaml"] = "nothing\n"
    with reaching(tmp_path, files) as bundle:
        for _ in range(2):
            done = bundle.deploy()
            assert done.returncode == 0, done.stderr
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
    done = bundle.deploy("--destroy")
    assert (done.returncode, "Cluster\tin use" in done.stderr) == (2, True)
    bundle.account.stuck.clear()
    assert bundle.deploy("--destroy").returncode == 0


def test_what_leaves_the_foundation_stays_until_the_cluster_has_changed(bundle: Bundle) -> None:
    bundle.deploy()
    before = set(bundle.account.cloudformation.stacks["example-foundation"].resources)
    bundle.render(files_of(SPEC.replace("/home", "/data")))
    # /home is one that may be deleted, but not without consent.
    done = bundle.deploy()
    assert (done.returncode, "would delete StorageHome" in done.stderr) == (2, True)
    assert bundle.account.calling("execute-change-set") == []
    bundle.account.fail("kubectl create", ("", "not now"))
    assert bundle.deploy("--allow-replacement").returncode != 0
    stacks = bundle.account.cloudformation.stacks
    assert set(stacks["example-foundation"].resources) > before
    assert bundle.deploy("--allow-replacement").returncode == 0
    assert "StorageHome" not in stacks["example-foundation"].resources


def test_a_template_of_others_is_not_guessed_at(bundle: Bundle) -> None:
    bundle.deploy()
    bundle.render(files_of(SPEC.replace("/home", "/data")))
    bundle.account.answers["cloudformation get-template"] = {"TemplateBody": "Resources: {}"}
    done = bundle.deploy("--allow-replacement")
    assert (done.returncode, "is not one of clustergen's" in done.stderr) == (2, True)
    assert bundle.account.calling("execute-change-set") == []


SPOT = "node_groups: [{name: h200, instance_type: g6.xlarge, capacity: spot}]"


def test_spot_instances_need_a_role_that_few_accounts_lack(tmp_path: Path) -> None:
    files = files_of(SPOT)
    files["cluster.yaml"] = "nothing\n"
    with reaching(tmp_path, files) as bundle:
        for calls in (1, 0):
            done = bundle.deploy()
            assert done.returncode == 0, done.stderr
            assert len(bundle.account.calling("create-service-linked-role")) == calls


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
    (["--destory"], 2),
    (["--outputs"], 2),
    (["--outputs", "nowhere.json"], 2),
    (["--wait"], 2),
    (["--wait", "long"], 2),
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
def test_the_status_of_a_stack_determines_the_operation(
    bundle: Bundle, status: str, words: str
) -> None:
    if status != "REVIEW_IN_PROGRESS":
        bundle.deploy()
    else:
        bundle.account.broken["Vpc"] = "stopped"
    stacks = bundle.account.cloudformation.stacks
    if status in ("REVIEW_IN_PROGRESS",):
        bundle.account.fail("execute-change-set", THROTTLED)
        bundle.deploy()
        bundle.account.broken.clear()
    stacks["example-foundation"].status = status
    done = bundle.deploy()
    assert done.returncode == (2 if words else 0), done.stderr
    assert words in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("with_foundation", [True, False])
@pytest.mark.parametrize("uploads", [(), ("0f/a.sh", "0e/b.sh")])
@pytest.mark.parametrize("text", ["", SPEC, SPOT, many(20, 40)])
def test_shell_validators_accept(
    text: str, uploads: tuple[str, ...], with_foundation: bool
) -> None:
    script = deploy_sh(plan_of(text), foundation=with_foundation, uploads=uploads)
    assert script_violations({"deploy.sh": script}) == []


def test_the_foundation_has_every_output_of_these_tests() -> None:
    assert set(VALUES) <= set(foundation.outputs(plan_of(SPEC)))
