"""HyperPod's scripts: validators accept them, and their content decides where they are kept."""

import json
import re
from typing import get_args

import pytest

from clustergen.services.hyperpod import scripts
from clustergen.services.hyperpod.steps import Mode
from tests.services.hyperpod.planned import MODES, lifecycle_of
from tests.services.hyperpod.test_lifecycle import OTHERS, SPEC
from tests.validators.shell import script_violations

SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:x"
DATABASE = f"slurm: {{accounting: {{endpoint: db.example, secret: '{SECRET}'}}}}"
SPECS = {
    "smallest": "",
    "whole": SPEC,
    "other storage": OTHERS,
    "docker": SPEC.replace("pyxis", "docker"),
    "database": DATABASE,
    "Trainium": "node_groups: [{name: h200, instance_type: trn1.32xlarge, count: 2}]",
    "no accelerator": "node_groups: [{name: h200, instance_type: m7i.4xlarge, count: 2}]",
    "UltraServer": (
        "node_groups: [{name: h200, instance_type: p6e-gb200.36xlarge, count: 18, capacity: "
        "{training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/x'}}]"
    ),
    "two groups": """
node_groups:
  - {name: h200, instance_type: p6-b300.48xlarge, count: 2}
  - {name: cpu, instance_type: m7i.4xlarge, count: 1}
queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [cpu], slurm: {GraceTime: 60}}]
software:
  scripts:
    - {run: s3://setup/a.sh, when: start, on: [compute], node_groups: [cpu], args: ["it's $x"]}
    - {run: https://example.com/b.sh, on: [head, login]}
""",
}


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("mode", MODES)
def test_validators_accept_every_lifecycle_script(mode: Mode, name: str) -> None:
    found = lifecycle_of(SPECS[name], mode)
    shell = {file.path: file.text for file in found if file.path.endswith(".sh")}
    assert script_violations(shell) == []


@pytest.mark.parametrize("mode", MODES)
def test_scripts_have_the_form_that_hyperpod_requires(mode: Mode) -> None:
    """https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-lifecycle-best-practices-slurm-slurm-base-config.html"""
    found = lifecycle_of(SPEC, mode)
    assert found[0].path == f"lifecycle/{scripts.entry_point(mode)}"
    for file in found:
        assert file.path.startswith("lifecycle/")
        assert "\r" not in file.text
        assert not file.text.startswith("\ufeff")
        if file.path.endswith(".sh"):
            assert file.text.startswith("#!/bin/bash\n")
            assert file.executable
    assert "lifecycle/provisioning_parameters.json" not in [file.path for file in found]


def test_a_changed_script_changes_the_prefix() -> None:
    first = lifecycle_of("", "extended")
    assert scripts.prefix(first) == scripts.prefix(tuple(reversed(first)))
    others = [
        lifecycle_of("users: [{name: alice, uid: 2001}]", "extended"),
        lifecycle_of("storage: [{mount: /home, type: efs}]", "extended"),
        lifecycle_of("", "customer-managed"),
        lifecycle_of("", "kubernetes"),
        first[1:],
    ]
    assert len({scripts.prefix(found) for found in (first, *others)}) == 1 + len(others)


def code_of(text: str) -> list[str]:
    """The lines of a script that are not comments."""
    return [line for line in text.splitlines() if not line.lstrip().startswith("#")]


# AWS's client of EFS is for a file system that the spec names.
FETCHES = re.compile(
    r"https?://(?!169\.254\.169\.254|127\.0\.0\.1|amazon-efs-utils\.aws\.com/)|\b(pip|git) "
)


@pytest.mark.parametrize("mode", MODES)
def test_scripts_download_only_what_the_spec_names(mode: Mode) -> None:
    for file in lifecycle_of(SPEC, mode):
        if not file.path.endswith("user-script.sh"):
            assert not [line for line in code_of(file.text) if FETCHES.search(line)]


@pytest.mark.parametrize("mode", MODES)
def test_waits_are_bounded(mode: Mode) -> None:
    """Each step has its seconds, and no loop waits without counting."""
    for file in lifecycle_of(SPEC, mode):
        code = "\n".join(code_of(file.text))
        assert not re.search(r"while true|^\s*until ", code, re.MULTILINE)


NEW = {"age": "new", "volume": ""}
FILE_SYSTEMS = [
    {
        **{"type": "lustre", "mount": "/fsx", "options": "noatime,flock,lazystatfs", **NEW},
        "source": "${StorageFsxDnsName}@tcp:/${StorageFsxMountName}",
    },
    {
        **{"type": "nfs", "mount": "/home", "source": "${StorageHomeDnsName}:/fsx", **NEW},
        "options": "noatime,nfsvers=4.1,nconnect=16,rsize=1048576,wsize=1048576",
    },
]


def test_file_systems_are_in_a_json_file() -> None:
    found = {file.path: file.text for file in lifecycle_of(SPEC, "extended")}
    assert json.loads(found["lifecycle/file-systems.json"]) == FILE_SYSTEMS


def test_every_mode_with_scripts_is_tested() -> None:
    assert {*MODES, "bootstrap"} == set(get_args(Mode))
