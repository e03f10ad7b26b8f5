"""HyperPod clusters as specs: the rendered request is the original one."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest

from clustergen import overlay, targets
from clustergen.compiler import check_text
from clustergen.importing import Answers, Imported, Request, imported
from clustergen.renderer import render
from tests.importing.templates import bring as bring_files
from tests.importing.templates import examples_of, original_of, region_of

HYPERPOD = ("hyperpod-slurm", "hyperpod-eks")
ROLE = "arn:aws:iam::111122223333:role/nodes"
SCRIPTS = {"SourceS3Uri": "s3://sagemaker-scripts/src", "OnCreate": "on_create.sh"}
NETWORK = {
    "SecurityGroupIds": ["sg-0a1b2c3d4e5f67890"],
    "Subnets": ["subnet-0a1b2c3d4e5f67890"],
}


def _group(name: str, type: str, count: int, **members: Any) -> dict[str, Any]:
    return {
        "InstanceGroupName": name,
        "InstanceType": f"ml.{type}",
        "InstanceCount": count,
        "ExecutionRole": ROLE,
        "LifeCycleConfig": SCRIPTS,
        **members,
    }


LEGACY: dict[str, Any] = {
    "ClusterName": "Research-1",
    "InstanceGroups": [
        _group("controller-machine", "m5.12xlarge", 1),
        _group("worker-group-1", "p5.48xlarge", 16, ThreadsPerCore=1),
    ],
    "VpcConfig": NETWORK,
}
API: dict[str, Any] = {
    "ClusterName": "training",
    "InstanceGroups": [
        _group("head", "m7i.4xlarge", 1, SlurmConfig={"NodeType": "Controller"}),
        _group("front", "m7i.xlarge", 1, SlurmConfig={"NodeType": "Login"}),
        _group(
            "gpu",
            "p5.48xlarge",
            4,
            MinInstanceCount=2,
            SlurmConfig={"NodeType": "Compute", "PartitionNames": ["train"]},
            InstanceStorageConfigs=[{"EbsVolumeConfig": {"VolumeSizeInGB": 200}}],
        ),
    ],
    "Orchestrator": {"Slurm": {}},
    "NodeProvisioningMode": "Continuous",
    "Tags": [{"Key": "team", "Value": "speech"}],
}
EKS: dict[str, Any] = {
    "ClusterName": "on-eks",
    "Orchestrator": {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111122223333:cluster/eks"}},
    "InstanceGroups": [
        _group(
            "workers",
            "g5.12xlarge",
            2,
            ThreadsPerCore=1,
            OnStartDeepHealthChecks=["InstanceStress", "InstanceConnectivity"],
            KubernetesConfig={
                "Labels": {"team": "speech"},
                "Taints": [{"Key": "gpu", "Value": "true", "Effect": "NoSchedule"}],
            },
        )
    ],
    "NodeRecovery": "None",
    "VpcConfig": NETWORK,
}
CLUSTERS = {"legacy": LEGACY, "api": API, "eks": EKS}


def bring(*files: Any) -> Imported:
    texts = [(f"file-{number}.json", json.dumps(data)) for number, data in enumerate(files)]
    answers = Answers("named", "us-west-2", "vpc-0a1b2c3d4e5f67890", {"": "us-west-2a"})
    return imported(Request(texts, answers))


def requests(result: Imported) -> dict[str, Any]:
    """The request that the spec renders to, its lists in order of names."""
    checked = check_text(result.text)
    (target,) = checked.plans
    chosen, plan = targets.load(target), checked.plans[target]
    merged: dict[str, Any] = overlay.apply(
        chosen.document(plan), plan.overlay, keys=chosen.schema.list_keys
    )
    return _sorted(merged)


def _sorted(request: dict[str, Any]) -> dict[str, Any]:
    found = copy.deepcopy(request)
    found["InstanceGroups"].sort(key=lambda group: group["InstanceGroupName"])
    return found


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_rendered_request_is_the_original(name: str) -> None:
    result = bring(CLUSTERS[name])
    assert result.lossless
    assert requests(result) == _sorted(CLUSTERS[name])
    assert bring(CLUSTERS[name]).text == result.text


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_whole_bundle_of_an_import_can_be_rendered(name: str) -> None:
    checked = check_text(bring(CLUSTERS[name]).text)
    (target,) = checked.plans
    assert "create-cluster.json" in {file.path for file in render(checked, target)}


def test_several_controllers_are_in_words() -> None:
    several = copy.deepcopy(LEGACY)
    several["InstanceGroups"][0]["InstanceCount"] = 2
    result = bring(several)
    assert result.lossless
    assert "controllers: 2" in result.text
    assert "overlay" not in result.text


def test_what_the_language_has_words_for_is_in_words() -> None:
    spec = check_text(bring(API).text).spec
    assert spec is not None
    assert spec.head_node.instance_type == "m7i.4xlarge"
    assert spec.login is not None
    (group,) = spec.node_groups
    assert (group.count.min, group.count.max, group.root_volume.size) == (2, 4, 200)
    assert [queue.name for queue in spec.queues] == ["train"]
    assert spec.targets.hyperpod_slurm is not None
    assert (spec.targets.hyperpod_slurm.controller_group, group.iam.role) == ("head", ROLE)
    labelled = check_text(bring(EKS).text).spec
    assert labelled is not None
    assert labelled.node_groups[0].labels == {"team": "speech"}
    assert not labelled.resilience.replace_failed_nodes


def test_a_guess_by_name_is_a_finding_unless_the_parameters_say_it() -> None:
    renamed = json.loads(json.dumps(LEGACY).replace("controller-machine", "the-controller"))
    assert [f.code for f in bring(renamed).findings].count("IMP001") == 1
    parameters = {
        "workload_manager": "slurm",
        "controller_group": "the-controller",
        "worker_groups": [{"instance_group_name": "worker-group-1", "partition_name": "gpu"}],
    }
    result = bring(renamed, parameters)
    assert [f.code for f in result.findings].count("IMP001") == 0
    assert [f.code for f in result.findings].count("IMP003") == 1


def test_a_description_is_a_request_without_its_state() -> None:
    group = {k: v for k, v in EKS["InstanceGroups"][0].items() if k != "InstanceCount"}
    described = {
        **EKS,
        "ClusterArn": "arn:aws:sagemaker:us-west-2:111122223333:cluster/abcdefghijkl",
        "ClusterStatus": "InService",
        "CreationTime": "2026-11-01T00:00:00Z",
        "InstanceGroups": [{**group, "CurrentCount": 2, "TargetCount": 2, "Status": "InService"}],
    }
    assert requests(bring(described)) == _sorted(EKS)


def test_a_resource_of_a_template() -> None:
    template = {
        "Parameters": {"Name": {"Type": "String", "Default": "on-eks"}},
        "Resources": {
            "Cluster": {
                "Type": "AWS::SageMaker::Cluster",
                "Properties": {**EKS, "ClusterName": {"Ref": "Name"}},
            }
        },
    }
    assert requests(bring(template)) == _sorted(EKS)


NESTED: dict[str, Any] = {
    "Parameters": {
        "Gpus": {"Type": "Number"},
        "Checks": {"Type": "String", "Default": "false"},
        "Bucket": {"Type": "String"},
    },
    "Conditions": {
        "HasGpus": {"Fn::Not": [{"Fn::Equals": [{"Ref": "Gpus"}, "0"]}]},
        "HasChecks": {"Fn::Equals": [{"Ref": "Checks"}, "true"]},
    },
    "Resources": {
        "Cluster": {
            "Type": "AWS::SageMaker::Cluster",
            "Properties": {
                **EKS,
                "InstanceGroups": [
                    {
                        "Fn::If": [
                            "HasGpus",
                            {
                                **EKS["InstanceGroups"][0],
                                "InstanceCount": {"Ref": "Gpus"},
                                "ExecutionRole": {
                                    "Fn::Sub": "arn:aws:iam::${AWS::AccountId}:role/nodes"
                                },
                                "LifeCycleConfig": {
                                    "SourceS3Uri": {"Fn::Sub": "s3://${Bucket}/src"},
                                    "OnCreate": "on_create.sh",
                                },
                                "OnStartDeepHealthChecks": {
                                    "Fn::If": [
                                        "HasChecks",
                                        ["InstanceStress"],
                                        {"Ref": "AWS::NoValue"},
                                    ]
                                },
                            },
                            {"Ref": "AWS::NoValue"},
                        ]
                    }
                ],
            },
        }
    },
}
MAIN = {
    "Resources": {
        "Nested": {
            "Type": "AWS::CloudFormation::Stack",
            "Properties": {
                "TemplateURL": "https://s3.amazonaws.com/bucket/nested.json",
                "Parameters": {"Gpus": 3, "Checks": "true"},
            },
        }
    }
}


def test_templates_are_evaluated() -> None:
    result = bring_files(("nested.json", json.dumps(NESTED)), ("main.json", json.dumps(MAIN)))
    assert result.lossless
    (group,) = requests(result)["InstanceGroups"]
    assert (group["InstanceCount"], group["OnStartDeepHealthChecks"]) == (3, ["InstanceStress"])
    assert group["ExecutionRole"] == "arn:aws:iam::000000000000:role/nodes"
    assert group["LifeCycleConfig"]["SourceS3Uri"] == "s3://fill-in-nested-bucket/src"
    asked = {each.message for each in result.findings if each.code == "IMP002"}
    assert asked >= {
        "no file says what AWS::AccountId is",
        "no file says what Nested.Bucket is",
    }


def test_groups_that_depend_on_a_parameter_without_a_value() -> None:
    properties = {"InstanceGroups": {"Fn::If": ["HasGpus", [], {"Ref": "AWS::NoValue"}]}}
    gone = {"HasGpus": {"Fn::Equals": [{"Ref": "Gpus"}, "yes"]}}
    cluster = {"Type": "AWS::SageMaker::Cluster", "Properties": properties}
    template = {**NESTED, "Conditions": gone, "Resources": {"Cluster": cluster}}
    (finding,) = bring(template).findings
    assert finding.code == "IMP022"
    assert "--parameter NAME=VALUE for Gpus, Bucket" in finding.help


def test_restricted_groups_stay_restricted() -> None:
    groups = {key: value for key, value in EKS.items() if key != "InstanceGroups"}
    storage = {"SizeInGiB": 1200, "PerUnitStorageThroughput": 125}
    restricted = {
        "InstanceGroupName": "restricted",
        "InstanceType": "ml.p5.48xlarge",
        "InstanceCount": 2,
        "ExecutionRole": ROLE,
        "EnvironmentConfig": {"FSxLustreConfig": storage},
    }
    request = {**groups, "RestrictedInstanceGroups": [restricted]}
    result = bring(request)
    assert result.lossless


def test_a_file_of_another_cluster_is_an_error() -> None:
    assert [f.code for f in bring(EKS, LEGACY).findings] == ["IMP020"]


@pytest.mark.parametrize(
    ("name", "target"),
    [
        (name, target)
        for target in ("hyperpod-slurm", "hyperpod-eks")
        for name in examples_of(target)
    ],
)
def test_what_clustergen_rendered_is_lossless(name: str, target: str) -> None:
    result = bring_files(original_of(name, target), region=region_of(name), vpc="")
    assert result.lossless


def test_a_file_for_instance_groups_is_a_request_without_its_name() -> None:
    result = bring_files(LEGACY["InstanceGroups"])
    assert result.lossless
    assert "name: imported" in result.text
    assert "--name changes that" in result.text
    (guess,) = [f for f in result.findings if "assumed to be the controller" in f.message]
    assert guess.path == (0,)


def test_a_member_of_a_wrong_kind_is_left_out() -> None:
    wrong = {**EKS, "VpcConfig": {**NETWORK, "Subnets": "subnet-0a1b2c3d4e5f67890"}}
    result = bring(wrong)
    assert not result.lossless
    assert "VpcConfig.Subnets is left out" in "".join(f.message for f in result.findings)


_NODES = {"NodeType": "Compute", "PartitionNames": ["more"]}
ADDED = _group("more", "p5.48xlarge", 2, SlurmConfig=_NODES, ThreadsPerCore=1)


@pytest.mark.parametrize("given", [[ADDED], {"ClusterName": "ml", "InstanceGroups": [ADDED]}])
def test_groups_without_a_controller_join_the_cluster(given: Any) -> None:
    result = bring_files(given, name="ml")
    assert result.lossless
    assert "cluster: ml" in result.text
    (asked,) = [f for f in result.findings if "does not name the subnets" in f.message]
    assert "describe-cluster --cluster-name ml" in asked.help


def test_a_placeholder_in_a_list_is_one_finding() -> None:
    network = {**NETWORK, "Subnets": ["<SUBNET>"]}
    result = bring({**EKS, "VpcConfig": network})
    (refused,) = [f for f in result.findings if f.code == "IMP012"]
    assert '"<SUBNET>"' in refused.message
    assert "placeholder" in refused.help


@pytest.mark.parametrize("name", ["gpu", "ml.p5.48xlarge"])
def test_partitions_of_the_parameters_are_queues(name: str) -> None:
    """The README and the smoke tests of the bundle name them."""
    parameters = {
        "workload_manager": "slurm",
        "controller_group": "controller-machine",
        "worker_groups": [{"instance_group_name": "worker-group-1", "partition_name": name}],
    }
    result = bring(LEGACY, parameters)
    assert result.lossless
    spec = check_text(result.text).spec
    assert spec is not None
    assert [(each.name, each.node_groups) for each in spec.queues] == [(name, ["worker-group-1"])]
