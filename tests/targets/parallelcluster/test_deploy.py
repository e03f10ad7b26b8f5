"""deploy.sh, run with an `aws` and a `pcluster` that answer as the real ones do."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.targets.parallelcluster.planned import files
from tests.targets.parallelcluster.specs import SPECS

OUTPUTS = {
    "PrivateSubnetId": "subnet-0a1b2c3d4e5f67890",
    "PublicSubnetId": "subnet-0a1b2c3d4e5f67891",
    "ClusterSecurityGroupId": "sg-0a1b2c3d4e5f67890",
    "LoginSecurityGroupId": "sg-0a1b2c3d4e5f67891",
    "ScriptsBucketName": "scripts-bucket",
}
CALLED = 'printf "%s\\n" "${0##*/} $*" >>"$HERE/calls"\n'
AWS = """
case "$*" in
  *describe-stacks*) cat "$HERE/outputs" ;;
  *head-object*) exit 1 ;;
  *describe-subnets*) cat "$HERE/vpcs" ;;
  *describe-vpc-attribute*) cat "$HERE/attribute" ;;
esac
"""
# A dry run ends with an error in every case, as the API does.
PCLUSTER = """
case "$*" in
  version) echo '{"version": "3.16.1"}' ;;
  *--dryrun*) cat "$HERE/dryrun"; exit 1 ;;
  *create-cluster* | *update-cluster*) echo '"CREATE_COMPLETE"' >"$HERE/status" ;;
  *describe-cluster*) cat "$HERE/status" ;;
esac
"""
ACCEPTED = '{"message": "Request would have succeeded, but DryRun flag is set."}'


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle on disk and the folder of its stand-in commands."""

    folder: Path
    here: Path

    def deploy(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = f"{self.here}{os.pathsep}/usr/bin{os.pathsep}/bin"
        return subprocess.run(
            ["/bin/bash", str(self.folder / "deploy.sh"), *arguments],
            env={"PATH": path, "HERE": str(self.here)},
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self, program: str) -> list[str]:
        calls = self.here / "calls"
        lines = calls.read_text().splitlines() if calls.exists() else []
        return [line for line in lines if line.startswith(f"{program} ")]


def bundle(folder: Path, fragment: str = "") -> Bundle:
    made = Bundle(folder / "bundle", folder / "here")
    made.here.mkdir()
    for path, text in files(fragment).items():
        (made.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (made.folder / path).write_text(text)
    (made.folder / "foundation.template.json").write_text("{}")
    for name, body in {"aws": AWS, "pcluster": PCLUSTER, "node": ""}.items():
        (made.here / name).write_text(f"#!/bin/bash\n{CALLED}{body}")
        (made.here / name).chmod(0o755)
    (made.here / "outputs").write_text("".join(f"{k}\t{v}\n" for k, v in OUTPUTS.items()))
    (made.here / "dryrun").write_text(ACCEPTED)
    (made.here / "vpcs").write_text("vpc-0a1b2c3d4e5f67890\tvpc-0a1b2c3d4e5f67890\n")
    (made.here / "attribute").write_text("vpc-0a1b2c3d4e5f67890\nENABLEDNSSUPPORT\tTrue\n")
    return made


WHERE = "--cluster-name example --region us-east-1"
FILE = "--cluster-configuration .filled/cluster.yaml"


def test_a_new_cluster_is_validated_then_created(tmp_path: Path) -> None:
    made = bundle(tmp_path, "software: {containers: pyxis}")
    done = made.deploy()
    assert done.returncode == 0, done.stderr
    changing = [c for c in made.calls("pcluster") if "describe" not in c]
    assert changing == [
        "pcluster version",
        f"pcluster create-cluster {FILE} --dryrun true {WHERE}",
        # A failed head node stays, for its logs.
        f"pcluster create-cluster {FILE} --rollback-on-failure false {WHERE}",
    ]
    copied = [c.rpartition(" ")[2] for c in made.calls("aws") if " s3 cp " in c]
    assert copied[-1] == "s3://scripts-bucket/clusters/example/hook.sh"
    filled = (made.folder / ".filled/cluster.yaml").read_text()
    assert 'SubnetId: "subnet-0a1b2c3d4e5f67890"' in filled
    assert "${" not in filled


def test_an_existing_cluster_is_updated(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    (made.here / "status").write_text('"CREATE_COMPLETE"\n')
    assert made.deploy().returncode == 0
    assert f"pcluster update-cluster {FILE} {WHERE}" in made.calls("pcluster")


def test_nothing_happens_when_nothing_changed(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    (made.here / "status").write_text('"UPDATE_COMPLETE"\n')
    (made.here / "dryrun").write_text('{"message": "No changes found in your cluster config."}')
    done = made.deploy()
    assert done.returncode == 0, done.stderr
    assert [c for c in made.calls("pcluster") if "update" in c and "--dryrun" not in c] == []


REFUSALS = [
    # File of the stand-ins, what it says, words of the refusal.
    ("dryrun", '{"message": "Invalid cluster configuration."}', "ParallelCluster refuses"),
    ("outputs", "ScriptsBucketName\tscripts-bucket\n", "${PrivateSubnetId}"),
    ("pcluster", '#!/bin/sh\necho \'{"version": "3.11.0"}\'\n', "pcluster 3.16.1 is needed"),
]


@pytest.mark.parametrize(("file", "text", "words"), REFUSALS)
def test_refusals_create_nothing(tmp_path: Path, file: str, text: str, words: str) -> None:
    made = bundle(tmp_path)
    (made.here / file).write_text(text)
    done = made.deploy()
    assert (done.returncode, words in done.stderr) == (2, True)
    created = [c for c in made.calls("pcluster") if "create-cluster" in c and "--dryrun" not in c]
    assert created == []


NETWORKS = [
    ("vpcs", "vpc-0a1b2c3d4e5f67890\tvpc-0a1b2c3d4e5f67899\n", "the subnets are not all in"),
    ("attribute", "vpc-0a1b2c3d4e5f67890\nENABLEDNSSUPPORT\tFalse\n", "enableDnsSupport of"),
]


@pytest.mark.parametrize(("file", "text", "words"), NETWORKS)
def test_an_existing_network_is_looked_at(tmp_path: Path, file: str, text: str, words: str) -> None:
    made = bundle(tmp_path, SPECS["everything exists"])
    assert made.deploy().returncode == 0
    (made.here / file).write_text(text)
    done = made.deploy()
    assert (done.returncode, words in done.stderr) == (2, True)


@pytest.mark.parametrize("action", [[], ["--destroy"]])
def test_a_dry_run_runs_nothing(tmp_path: Path, action: list[str]) -> None:
    made = bundle(tmp_path, SPECS["everything exists"])
    done = made.deploy("--dry-run", *action)
    assert done.returncode == 0, done.stderr
    assert "+ pcluster" in done.stderr
    assert made.calls("pcluster") + made.calls("aws") == []


def test_destroy_leaves_the_foundation(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    done = made.deploy("--destroy")
    assert done.returncode == 0, done.stderr
    assert made.calls("pcluster")[-1] == f"pcluster delete-cluster {WHERE}"
    assert made.calls("aws") == []
