"""The frame of deploy.sh, run with an `aws` that only writes down what it was asked."""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from clustergen import foundation
from clustergen.plan.model import Plan
from clustergen.shell import environment
from tests.foundation.planned import plan_of
from tests.oracles.shell import script_violations

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
  run aws create --file .filled/cluster.yaml
{% endblock %}
{% block destroy %}
  delete_stack "$stack"
{% endblock %}
"""

# Answers describe-stacks with the outputs beside it, and head-object with what was copied before.
AWS = r"""#!/usr/bin/env bash
here=$(dirname "$0")
all="$*"
printf '%s\n' "$*" >>"$here/calls"
case "$*" in
  *describe-stacks*) cat "$here/outputs" ;;
  *head-object*) grep -qsF "/${all##*--key }" "$here/copied" ;;
  *"s3 cp"*) printf '%s\n' "$*" >>"$here/copied" ;;
esac
"""

SPEC = """
tags: {team: "it's $(reboot)"}
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


def deploy_sh(plan: Plan, *, with_foundation: bool = True, uploads: tuple[str, ...] = ()) -> str:
    return (
        environment()
        .from_string(TARGET)
        .render(plan=plan, foundation=with_foundation, uploads=list(uploads), parameters=["VpcId"])
    )


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle on disk, and the folder of the `aws` that stands in for the real one."""

    folder: Path
    fake: Path

    def deploy(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        (self.fake / "calls").unlink(missing_ok=True)
        path = f"{self.fake}{os.pathsep}/usr/bin{os.pathsep}/bin"
        return subprocess.run(
            ["bash", str(self.folder / "deploy.sh"), *arguments],
            env={"PATH": path},
            cwd=self.fake,
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self) -> list[str]:
        calls = self.fake / "calls"
        return calls.read_text().splitlines() if calls.exists() else []

    def outputs(self, values: dict[str, str]) -> None:
        lines = (f"{name}\t{value}\n" for name, value in values.items())
        (self.fake / "outputs").write_text("".join(lines))


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    made = Bundle(tmp_path / "a bundle", tmp_path / "fake")
    (made.folder / "scripts").mkdir(parents=True)
    made.fake.mkdir()
    (made.fake / "aws").write_text(AWS)
    (made.fake / "aws").chmod(0o755)
    made.outputs(VALUES)
    (made.folder / "deploy.sh").write_text(deploy_sh(plan_of(SPEC), uploads=("0f0f/a.sh",)))
    (made.folder / "scripts" / "a.sh").write_text("echo\n")
    (made.folder / "cluster.yaml").write_text(DOCUMENT)
    (made.folder / "cluster.template.json").write_text("{}")
    (made.folder / "foundation.template.json").write_text("{}")
    return made


def test_a_deployment(bundle: Bundle) -> None:
    done = bundle.deploy()
    assert done.returncode == 0, done.stderr
    options = "--no-fail-on-empty-changeset --capabilities CAPABILITY_IAM"
    tags = "--tags team=it's $(reboot)"
    assert bundle.calls() == [
        "--region us-east-1 cloudformation deploy --stack-name example-foundation"
        f" --template-file foundation.template.json {options} {tags}",
        "--region us-east-1 cloudformation describe-stacks --stack-name example-foundation"
        " --query Stacks[0].Outputs[].[OutputKey,OutputValue] --output text",
        "--region us-east-1 s3api head-object --bucket scripts-bucket --key 0f0f/a.sh",
        "--region us-east-1 s3 cp scripts/a.sh s3://scripts-bucket/0f0f/a.sh",
        "--region us-east-1 cloudformation deploy --stack-name example-cluster"
        f" --template-file cluster.template.json {options} {tags}"
        " --parameter-overrides VpcId=vpc-0a1b2c3d4e5f67890",
        "create --file .filled/cluster.yaml",
    ]
    assert (bundle.folder / ".filled" / "cluster.yaml").read_text() == (
        "subnet: subnet-0a1b2c3d4e5f67890\n"
        "mount: fs-0a1b.fsx.us-east-1.amazonaws.com:/x\n"
        "home: ${HOME} $${x} $Vpc\n"
    )


def test_every_command_is_announced(bundle: Bundle) -> None:
    announced = [line for line in bundle.deploy().stderr.splitlines() if line.startswith("+ aws")]
    assert len(announced) == len(bundle.calls())


def test_a_second_run_asks_for_the_same_and_uploads_nothing(bundle: Bundle) -> None:
    bundle.deploy()
    first = bundle.calls()
    bundle.deploy()
    assert bundle.calls() == [call for call in first if " s3 cp " not in call]


@pytest.mark.parametrize("action", [[], ["--destroy"], ["--destroy-foundation"]])
def test_a_dry_run_runs_nothing(bundle: Bundle, action: list[str]) -> None:
    done = bundle.deploy("--dry-run", *action)
    assert done.returncode == 0, done.stderr
    assert "+ aws" in done.stderr
    assert bundle.calls() == []
    assert not (bundle.folder / ".filled").exists()


def test_a_dry_run_needs_no_aws(bundle: Bundle) -> None:
    (bundle.fake / "aws").unlink()
    assert bundle.deploy("--dry-run").returncode == 0
    done = bundle.deploy()
    assert (done.returncode, "aws is needed" in done.stderr) == (2, True)


MISSING = [
    # Output that the foundation lacks, words of the refusal.
    ("PrivateSubnetId", "cluster.yaml still has placeholders without a value: ${PrivateSubnetId}"),
    ("VpcId", "the foundation has no output VpcId"),
    ("ScriptsBucketName", "the foundation has no output ScriptsBucketName"),
]


@pytest.mark.parametrize(("name", "words"), MISSING)
def test_nothing_is_created_while_a_placeholder_is_unfilled(
    bundle: Bundle, name: str, words: str
) -> None:
    bundle.outputs({key: value for key, value in VALUES.items() if key != name})
    done = bundle.deploy()
    assert (done.returncode, words in done.stderr) == (2, True)
    assert not [call for call in bundle.calls() if call.startswith("create")]


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
    (bundle.fake / "outputs.json").write_text(json.dumps(OUTPUT_FILES[form], indent=indent))
    done = bundle.deploy("--outputs", "outputs.json")
    assert done.returncode == 0, done.stderr
    assert not [call for call in bundle.calls() if "example-foundation" in call]
    assert "vpc-0a1b2c3d4e5f67890" in bundle.calls()[-2]
    filled = (bundle.folder / ".filled" / "cluster.yaml").read_text()
    assert "subnet: subnet-0a1b2c3d4e5f67890" in filled


def test_large_templates_go_through_the_bucket(bundle: Bundle) -> None:
    (bundle.folder / "cluster.template.json").write_text(" " * 51201)
    bundle.deploy()
    assert "--s3-bucket scripts-bucket --s3-prefix templates" in bundle.calls()[-2]


def test_destroy_deletes_the_cluster_alone_and_says_what_stays(bundle: Bundle) -> None:
    done = bundle.deploy("--destroy")
    assert bundle.calls() == [
        "--region us-east-1 cloudformation delete-stack --stack-name example-cluster",
        "--region us-east-1 cloudformation wait stack-delete-complete --stack-name example-cluster",
    ]
    assert re.search(r"example-foundation stays.*/fsx /home", done.stderr)


def test_destroy_foundation_is_a_step_of_its_own(bundle: Bundle) -> None:
    done = bundle.deploy("--destroy-foundation")
    assert [call.split()[-1] for call in bundle.calls()] == ["example-foundation"] * 2
    assert "/fsx stays" in done.stderr
    assert "/home is deleted with its data" in done.stderr


USAGE = [
    # Arguments, exit status.
    (["--help"], 0),
    (["--destory"], 2),
    (["--outputs"], 2),
    (["--outputs", "nowhere.json"], 2),
]


@pytest.mark.parametrize(("arguments", "status"), USAGE)
def test_usage(bundle: Bundle, arguments: list[str], status: int) -> None:
    assert bundle.deploy(*arguments).returncode == status
    assert bundle.calls() == []


def test_a_failing_command_stops_the_script(bundle: Bundle) -> None:
    (bundle.fake / "aws").write_text('#!/bin/sh\necho "$*" >>"$(dirname "$0")/calls"\nexit 7\n')
    assert bundle.deploy().returncode == 7
    assert len(bundle.calls()) == 1


@pytest.mark.parametrize("with_foundation", [True, False])
@pytest.mark.parametrize("uploads", [(), ("0f/a.sh", "0e/b.sh")])
@pytest.mark.parametrize("text", ["", SPEC])
def test_shell_validators_accept(
    text: str, uploads: tuple[str, ...], with_foundation: bool
) -> None:
    script = deploy_sh(plan_of(text), with_foundation=with_foundation, uploads=uploads)
    assert script_violations({"deploy.sh": script}) == []


def test_the_foundation_has_every_output_of_these_tests() -> None:
    assert set(VALUES) <= set(foundation.outputs(plan_of(SPEC)))
