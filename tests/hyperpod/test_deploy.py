"""deploy.sh of both targets, run with an `aws` that answers as the real one does."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import botocore.session
import pytest

from clustergen import foundation, targets
from clustergen.hyperpod import deploy, scripts
from clustergen.hyperpod.steps import Mode
from tests.hyperpod.planned import TARGETS, plan_of
from tests.hyperpod.test_lifecycle import SPEC
from tests.oracles.shell import script_violations

AWS = r"""#!/bin/bash
printf '%s\n' "$*" >>"$HERE/calls"
here() { [[ -f $HERE/status ]] || exit 254; }
case "$*" in
  *describe-stacks*) cat "$HERE/outputs" ;;
  *"s3 cp --recursive"*) rm -rf "$HERE/uploaded"; cp -R "$7" "$HERE/uploaded" ;;
  *create-cluster* | *update-cluster*) cp "$HERE/next" "$HERE/status" ;;
  *delete-cluster*) rm -f "$HERE/status" ;;
  *"--query ClusterStatus"*) here; cat "$HERE/status" ;;
  *"--query FailureMessage"*) here; cat "$HERE/failure" ;;
  *"--query ClusterArn"*) here; echo arn:aws:sagemaker:us-east-1:111122223333:cluster/abc123 ;;
  *"CurrentCount<"*)
    here
    if [[ -s $HERE/missing ]]; then head -n 1 "$HERE/missing"; sed -i 1d "$HERE/missing"; fi
    ;;
  *"--query InstanceGroups"*) here; cat "$HERE/groups" ;;
  *'!=`Running`'*) here; cat "$HERE/broken" ;;
esac
"""
EKS = """
targets:
  hyperpod-eks: {eks_cluster: "arn:aws:eks:us-east-1:111122223333:cluster/training"}
"""
SPECS = {"slurm": SPEC, "eks": EKS}
HERE = "--region us-east-1 sagemaker"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle on disk, and the folder of the `aws` that stands in for the real one."""

    folder: Path
    fake: Path

    def deploy(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        (self.fake / "calls").write_text("")
        return subprocess.run(
            ["/bin/bash", str(self.folder / "deploy.sh"), *arguments],
            env={"PATH": f"{self.fake}{os.pathsep}/usr/bin:/bin", "HERE": str(self.fake)},
            cwd=self.fake,
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self, words: str) -> list[str]:
        lines = (self.fake / "calls").read_text().splitlines()
        return [line for line in lines if words in line]

    def answers(self, **files: str) -> None:
        for name, text in files.items():
            (self.fake / name).write_text(text)


def bundle_of(folder: Path, spec: str, orchestrator: str) -> Bundle:
    plan = plan_of(spec, orchestrator)
    target = targets.load(TARGETS[orchestrator])
    made = Bundle(folder / "a bundle", folder / "fake")
    made.fake.mkdir(parents=True)
    files = target.emit(plan, target.document(plan))
    base = foundation.emit(plan)
    for file in (*files, *([base] if base else [])):
        path = made.folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text)
    for name, text in {"aws": AWS, "sleep": "#!/bin/bash\n"}.items():
        (made.fake / name).write_text(text)
        (made.fake / name).chmod(0o755)
    outputs = {name: f"{name}-0a1b".lower() for name in foundation.outputs(plan)}
    made.answers(
        outputs="".join(f"{name}\t{value}\n" for name, value in outputs.items()),
        next="InService\n",
        failure="None\n",
        groups="controller\tlogin\th200\n",
        broken="",
    )
    return made


@pytest.fixture(params=["slurm", "eks"])
def bundle(request: pytest.FixtureRequest, tmp_path: Path) -> Bundle:
    return bundle_of(tmp_path, SPECS[request.param], request.param)


def filled(made: Bundle, name: str) -> Mapping[str, object]:
    document: Mapping[str, object] = json.loads((made.folder / ".filled" / name).read_text())
    return document


def test_a_deployment(bundle: Bundle) -> None:
    done = bundle.deploy()
    assert done.returncode == 0, done.stderr
    assert len(bundle.calls("cloudformation deploy")) == 1
    assert bundle.calls("create-cluster") == [
        f"{HERE} create-cluster --cli-input-json file://.filled/create-cluster.json"
    ]
    assert bundle.calls("update-cluster") == []
    assert "InService" in done.stderr
    assert "${" not in (bundle.folder / ".filled/create-cluster.json").read_text()


def test_scripts_are_where_the_request_says(bundle: Bundle) -> None:
    bundle.deploy()
    (upload,) = bundle.calls("s3 cp")
    groups = filled(bundle, "create-cluster.json")["InstanceGroups"]
    assert isinstance(groups, list)
    assert {group["LifeCycleConfig"]["SourceS3Uri"] for group in groups} == {upload.split()[-1]}
    uploaded = sorted(path.name for path in (bundle.fake / "uploaded").iterdir())
    assert uploaded == sorted(path.name for path in (bundle.folder / "lifecycle").iterdir())
    tables = [path.read_text() for path in (bundle.fake / "uploaded").glob("*.json")]
    assert not [text for text in tables if "${" in text]


def test_a_second_run_updates_with_what_an_update_takes(bundle: Bundle) -> None:
    bundle.deploy()
    done = bundle.deploy()
    assert done.returncode == 0, done.stderr
    assert bundle.calls("create-cluster") == []
    assert bundle.calls("update-cluster") == [
        f"{HERE} update-cluster --cli-input-json file://.filled/update-cluster.json"
    ]
    created, updated = (filled(bundle, f"{verb}-cluster.json") for verb in ("create", "update"))
    assert {"VpcConfig", "Tags"}.isdisjoint(updated)
    assert updated == {name: created[name] for name in updated}


def test_the_fields_of_an_update_are_those_of_the_api() -> None:
    model = botocore.session.get_session().get_service_model("sagemaker")
    members = model.operation_model("UpdateCluster").input_shape.members
    assert set(deploy.UPDATABLE) == set(members) - {"InstanceGroupsToDelete"}


def test_a_group_that_the_spec_no_longer_has_is_said(bundle: Bundle) -> None:
    bundle.deploy()
    bundle.answers(groups="controller\tlogin\th200\told\n")
    done = bundle.deploy()
    assert "The instance group old runs and is not in the spec" in done.stderr
    assert "--instance-groups-to-delete old" in done.stderr
    assert "instance group h200 runs" not in done.stderr


def test_a_failure_says_why_and_where_to_read_on(bundle: Bundle) -> None:
    bundle.answers(
        next="Failed\n",
        failure="Lifecycle scripts did not run successfully.\n",
        broken="h200\ti-0a1b2c3d4e5f67890\tFailure\n",
    )
    done = bundle.deploy()
    assert done.returncode == 2
    assert "Lifecycle scripts did not run successfully." in done.stderr
    assert "/aws/sagemaker/Clusters/example/abc123" in done.stderr
    assert "LifecycleConfig/h200/i-0a1b2c3d4e5f67890 (Failure)" in done.stderr


def test_an_update_that_was_rolled_back_is_a_failure(bundle: Bundle) -> None:
    bundle.deploy()
    bundle.answers(failure="Partition configuration drift detected.\n")
    done = bundle.deploy()
    assert (done.returncode, "drift detected" in done.stderr) == (2, True)


def test_nodes_that_are_on_their_way_are_waited_for(bundle: Bundle) -> None:
    bundle.answers(missing="h200\t0\t2\nh200\t1\t2\n")
    done = bundle.deploy()
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stderr.splitlines() if line.startswith("example: ")]
    assert said == [
        "example: InService, and on their way: h200 0 of 2",
        "example: InService, and on their way: h200 1 of 2",
        "example: InService",
    ]


def test_nodes_that_never_come_are_a_failure(bundle: Bundle) -> None:
    bundle.answers(missing="h200\t0\t2\n" * 500, broken="h200\ti-0a1b2c3d\tFailure\n")
    done = bundle.deploy()
    assert (done.returncode, "not what was asked for: h200 0 of 2" in done.stderr) == (2, True)
    assert "LifecycleConfig/h200/i-0a1b2c3d (Failure)" in done.stderr


def test_a_dry_run_runs_nothing(bundle: Bundle) -> None:
    (bundle.fake / "aws").unlink()
    for action in ([], ["--destroy"]):
        done = bundle.deploy("--dry-run", *action)
        assert done.returncode == 0, done.stderr
        assert f"+ aws {HERE}" in done.stderr
    assert not (bundle.folder / ".filled").exists()


def test_destroy_deletes_the_cluster_alone(bundle: Bundle) -> None:
    bundle.deploy()
    done = bundle.deploy("--destroy")
    assert done.returncode == 0, done.stderr
    assert bundle.calls("delete") == [f"{HERE} delete-cluster --cluster-name example"]


def test_nothing_is_created_while_an_output_is_missing(bundle: Bundle) -> None:
    bundle.answers(outputs="VpcId\tvpc-0a1b\n")
    done = bundle.deploy()
    assert (done.returncode, "placeholders" in done.stderr) == (2, True)
    assert bundle.calls("create-cluster") == []


def test_karpenters_counts_are_left_alone(tmp_path: Path) -> None:
    spec = EKS + "kubernetes: {autoscaler: karpenter}\n"
    made = bundle_of(tmp_path, spec, "eks")
    made.deploy()
    done = made.deploy()
    assert done.returncode == 0, done.stderr
    assert made.calls("update-cluster") == []
    assert "Karpenter sizes its groups" in done.stderr


def test_a_cluster_without_scripts_uploads_none(tmp_path: Path) -> None:
    made = bundle_of(tmp_path, "", "slurm")
    done = made.deploy()
    assert done.returncode == 0, done.stderr
    assert made.calls("s3 cp") == []
    assert not (made.folder / "lifecycle").exists()


def test_the_old_form_has_its_parameters_filled(tmp_path: Path) -> None:
    made = bundle_of(tmp_path, SPEC + "targets: {hyperpod-slurm: {mode: legacy}}\n", "slurm")
    assert made.deploy().returncode == 0
    parameters = json.loads((made.fake / "uploaded/provisioning_parameters.json").read_text())
    assert parameters["fsx_dns_name"] == "storagefsxdnsname-0a1b"
    assert parameters["controller_group"] == "controller"


@pytest.mark.parametrize("orchestrator", TARGETS)
@pytest.mark.parametrize("text", ["", "whole"])
def test_validators_accept_deploy_and_verify(orchestrator: str, text: str) -> None:
    plan = plan_of(SPECS[orchestrator] if text or orchestrator == "eks" else "", orchestrator)
    target = targets.load(TARGETS[orchestrator])
    document = target.document(plan)
    mode: Mode = "kubernetes" if orchestrator == "eks" else "extended"
    found = scripts.lifecycle(plan, mode) if text else ()
    files = {file.path: file.text for file in deploy.files(plan, document, found)}
    assert script_violations({name: files[name] for name in ("deploy.sh", "verify.sh")}) == []
