"""The first deployments of adopted clusters change nothing that runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from clustergen.bundle import renderer
from clustergen.bundle.effects import Files, files_of
from clustergen.checking.compiler import check_text
from clustergen.importing import Imported
from tests.importing import test_adopt
from tests.importing.templates import VPC, bring
from tests.support.cloud.commands import reaching
from tests.support.cloud.stacks import Stack

SUBNET = "subnet-0a1b2c3d4e5f67890"
PARALLELCLUSTER = f"""\
Region: us-west-2
Image: {{Os: ubuntu2404}}
HeadNode:
  InstanceType: c7i.xlarge
  Networking: {{SubnetId: {SUBNET}}}
  Ssh: {{KeyName: team}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: cpu
      Networking: {{SubnetIds: [{SUBNET}]}}
      ComputeResources: [{{Name: c7i, InstanceType: c7i.4xlarge, MaxCount: 8}}]
"""
GROUPS = {"machine-1": ("ml.m7i.4xlarge", 1), "machine-2": ("ml.p5.48xlarge", 4)}
SCRIPTS = {"SourceS3Uri": "s3://sagemaker-scripts/src", "OnCreate": "on_create.sh"}
HYPERPOD = {
    "ClusterName": "production",
    "InstanceGroups": [
        {
            "InstanceGroupName": name,
            "InstanceType": type,
            "InstanceCount": count,
            "ExecutionRole": "arn:aws:iam::111122223333:role/owner",
            "LifeCycleConfig": SCRIPTS,
        }
        for name, (type, count) in GROUPS.items()
    ],
    "VpcConfig": {"SecurityGroupIds": ["sg-0a1b2c3d4e5f67890"], "Subnets": [SUBNET]},
}
ROLES = {
    "workload_manager": "slurm",
    "controller_group": "machine-1",
    "worker_groups": [{"instance_group_name": "machine-2", "partition_name": "gpu"}],
}
NETWORK = {
    "ec2 describe-subnets": {"Subnets": [{"SubnetId": SUBNET, "VpcId": VPC}]},
    "ec2 describe-vpc-attribute": {
        "EnableDnsSupport": {"Value": True},
        "EnableDnsHostnames": {"Value": True},
    },
}


def bundle(result: Imported, target: str) -> Files:
    assert result.lossless
    return files_of(renderer.render(check_text(result.text, targets=(target,)), target))


def test_parallelcluster_finds_no_change(tmp_path: Path) -> None:
    result = bring(PARALLELCLUSTER, name="example", zones={"": "usw2-az1"}, adopt=True)
    files = bundle(result, "parallelcluster")
    with reaching(tmp_path, files) as made:
        running = made.account.pcluster
        running.status, running.configuration = "CREATE_COMPLETE", files["cluster.yaml"]
        made.account.answers |= NETWORK
        for _ in range(2):
            done = made.deploy()
            assert done.returncode == 0, done.stderr
            assert running.status == "CREATE_COMPLETE"
            assert not made.account.calling("pcluster create-cluster")


def test_the_runbook_of_an_adopted_cluster_knows_that_it_has_no_foundation() -> None:
    readme = bundle(bring(PARALLELCLUSTER, name="example", adopt=True), "parallelcluster")
    assert "foundation" not in readme["README.md"]


def test_hyperpod_keeps_its_groups_and_its_controller(tmp_path: Path) -> None:
    names = ("create-cluster.json", json.dumps(HYPERPOD)), ("roles.json", json.dumps(ROLES))
    result = bring(*names, name="production", zones={"": "usw2-az1"}, adopt=True)
    with reaching(tmp_path, bundle(result, "hyperpod-slurm")) as made:
        running = made.account.hyperpod
        running.status, running.request = "InService", HYPERPOD
        counts = {name: count for name, (_, count) in GROUPS.items()}
        running.groups, running.current = dict(counts), dict(counts)
        for _ in range(2):
            done = made.deploy()
            assert done.returncode == 0, done.stderr
            assert running.groups == counts
            assert not made.account.calling("sagemaker create-cluster")
        [sent] = made.account.calling("sagemaker update-cluster")
        sent = json.loads((made.folder / ".filled/update-cluster.json").read_text())
        assert sent["InstanceGroups"] == HYPERPOD["InstanceGroups"]


@pytest.mark.parametrize(
    ("target", "template", "written"), test_adopt.CASES, ids=[c[0] for c in test_adopt.CASES]
)
def test_a_stack_stays_as_it_is(target: str, template: Any, written: Any, tmp_path: Path) -> None:
    """With the values that its owner gave its parameters, which are not their defaults."""
    files = bundle(test_adopt.adopted(template), target)
    given = dict.fromkeys(written["Parameters"], "chosen")
    running = Stack(f"production-{target}", "CREATE_COMPLETE", json.loads(json.dumps(written)))
    running.ids, running.parameters = {name: name for name in written["Resources"]}, given
    with reaching(tmp_path, files) as made:
        made.account.cloudformation.stacks[running.name] = running
        made.account.made(running, set())
        for _ in range(2):
            done = made.deploy()
            assert done.returncode == 0, done.stderr
            assert f"{running.name} is up to date: nothing changes." in done.stderr
            assert running.resources == written["Resources"]
            assert running.parameters == given
        for change in ("helm upgrade", "kubectl apply", "kubectl delete"):
            assert not made.account.calling(change)


@pytest.mark.parametrize("status", ["", "ROLLBACK_COMPLETE"])
def test_an_adopted_bundle_creates_no_second_cluster(status: str, tmp_path: Path) -> None:
    files = bundle(test_adopt.adopted(test_adopt.NAMED), "pcs")
    with reaching(tmp_path, files) as made:
        if status:
            made.account.cloudformation.stacks["production-pcs"] = Stack("production-pcs", status)
        done = made.deploy()
        assert done.returncode == 2
        if status:
            assert "the stack production-pcs is not this bundle's" in done.stderr
        else:
            assert "no stack production-pcs has a cluster in us-west-2" in done.stderr
            assert "targets.pcs.stack" in done.stderr
        for change in ("create-change-set", "delete-stack"):
            assert not made.account.calling(change)


def test_roles_with_names_of_their_own_can_be_updated(tmp_path: Path) -> None:
    template = test_adopt.eks_named()
    trust = {"AssumeRolePolicyDocument": {"Statement": []}, "RoleName": "nodes"}
    template["Resources"]["Named"] = {"Type": "AWS::IAM::Role", "Properties": trust}
    files = bundle(test_adopt.adopted(template), "eks")
    running = Stack("production-eks", "CREATE_COMPLETE", test_adopt.eks_named())
    running.ids = {name: name for name in running.resources}
    running.parameters = dict.fromkeys(running.template["Parameters"], "chosen")
    with reaching(tmp_path, files) as made:
        made.account.cloudformation.stacks[running.name] = running
        made.account.made(running, set())
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        assert "Named" in running.resources


def test_destroying_data_of_the_cluster_needs_consent(tmp_path: Path) -> None:
    volume = "{Name: apps, MountDir: /apps, StorageType: Ebs, EbsSettings: {Size: 50}}"
    result = bring(f"{PARALLELCLUSTER}SharedStorage: [{volume}]\n", name="example", adopt=True)
    files = bundle(result, "parallelcluster")
    with reaching(tmp_path, files) as made:
        running = made.account.pcluster
        running.status, running.configuration = "CREATE_COMPLETE", files["cluster.yaml"]
        done = made.deploy("--destroy")
        assert (done.returncode, running.status) == (2, "CREATE_COMPLETE")
        assert "this also deletes, with all data: /apps." in done.stderr
        done = made.deploy("--destroy", "--allow-replacement")
        assert done.returncode == 0, done.stderr
        assert made.account.calling("pcluster delete-cluster")
