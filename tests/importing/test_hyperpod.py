"""HyperPod clusters as specs: the rendered request is the original one."""

import copy
import json
from typing import Any

import pytest

from clustergen.bundle.renderer import render
from clustergen.checking.compiler import check_text
from clustergen.importing import Imported
from clustergen.services.hyperpod.described import without_state
from tests.importing.templates import bring, lossless, rendered, spec_of
from tests.support.service_models import model
from tests.support.tables import flow
from tests.validators.service_model import validate

ROLE = "arn:aws:iam::111122223333:role/nodes"
SCRIPTS = {"SourceS3Uri": "s3://sagemaker-scripts/src", "OnCreate": "on_create.sh"}
NETWORK = {"SecurityGroupIds": ["sg-0a1b2c3d4e5f67890"], "Subnets": ["subnet-0a1b2c3d4e5f67890"]}


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
WORKERS = flow("""
{MinInstanceCount: 2, SlurmConfig: {NodeType: Compute, PartitionNames: [train]},
  InstanceStorageConfigs: [{EbsVolumeConfig: {VolumeSizeInGB: 200}}]}
""")
API: dict[str, Any] = {
    "InstanceGroups": [
        _group("head", "m7i.4xlarge", 1, SlurmConfig={"NodeType": "Controller"}),
        _group("front", "m7i.xlarge", 1, SlurmConfig={"NodeType": "Login"}),
        _group("gpu", "p5.48xlarge", 4, **WORKERS),
    ],
    **flow("""
        {ClusterName: training, Orchestrator: {Slurm: {}}, NodeProvisioningMode: Continuous,
          Tags: [{Key: team, Value: speech}]}
    """),
}
PODS = flow("""
{ThreadsPerCore: 1, OnStartDeepHealthChecks: [InstanceStress, InstanceConnectivity],
  KubernetesConfig: {Labels: {team: speech},
    Taints: [{Key: gpu, Value: 'true', Effect: NoSchedule}]}}
""")
EKS: dict[str, Any] = {
    "ClusterName": "on-eks",
    "Orchestrator": {"Eks": {"ClusterArn": "arn:aws:eks:us-west-2:111122223333:cluster/eks"}},
    "InstanceGroups": [_group("workers", "g5.12xlarge", 2, **PODS)],
    "NodeRecovery": "None",
    "VpcConfig": NETWORK,
}
CLUSTERS = {"legacy": LEGACY, "api": API, "eks": EKS}


def requests(result: Imported) -> dict[str, Any]:
    """The request that the spec renders to, its lists in order of names."""
    checked = check_text(result.text)
    (target,) = checked.plans
    return _sorted(rendered(checked, target))


def _sorted(request: dict[str, Any]) -> dict[str, Any]:
    found = copy.deepcopy(request)
    found["InstanceGroups"].sort(key=lambda group: group["InstanceGroupName"])
    return found


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_rendered_request_is_the_original(name: str) -> None:
    result = lossless(bring(CLUSTERS[name]))
    assert requests(result) == _sorted(CLUSTERS[name])
    assert bring(CLUSTERS[name]).text == result.text


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_whole_bundle_of_an_import_can_be_rendered(name: str) -> None:
    checked = check_text(bring(CLUSTERS[name]).text)
    (target,) = checked.plans
    assert "create-cluster.json" in {file.path for file in render(checked, target)}


def test_beside_karpenter_a_minimum_is_that_of_a_group_that_it_does_not_scale() -> None:
    group = _group("sys", "m5.2xlarge", 2, MinInstanceCount=1)
    scaled = {"Mode": "Enable", "AutoScalerType": "Karpenter"}
    more = {"AutoScaling": scaled, "ClusterRole": ROLE, "NodeProvisioningMode": "Continuous"}
    result = lossless(bring({**EKS, **more, "InstanceGroups": [group]}))
    assert "count: 2" in result.text
    assert spec_of(result).targets.hyperpod_eks.cluster_role == ROLE


def test_several_controllers_are_in_words() -> None:
    several = copy.deepcopy(LEGACY)
    several["InstanceGroups"][0]["InstanceCount"] = 2
    result = lossless(bring(several))
    assert "controllers: 2" in result.text
    assert "overlay" not in result.text


def test_what_the_language_has_words_for_is_in_words() -> None:
    spec = spec_of(bring(API))
    assert spec.head_node.instance_type == "m7i.4xlarge"
    (group,) = spec.node_groups
    assert (group.count.min, group.count.max, group.root_volume.size) == (2, 4, 200)
    assert [queue.name for queue in spec.queues] == ["train"]
    assert (spec.targets.hyperpod_slurm.controller_group, group.iam.role) == ("head", ROLE)
    labelled = spec_of(bring(EKS))
    assert labelled.node_groups[0].labels == {"team": "speech"}
    assert not labelled.resilience.replace_failed_nodes


def parameters(controller: str, partition: str) -> dict[str, Any]:
    """The file of parameters beside the request LEGACY."""
    workers = [{"instance_group_name": "worker-group-1", "partition_name": partition}]
    controlled = {"workload_manager": "slurm", "controller_group": controller}
    return controlled | {"worker_groups": workers}


def test_a_guess_by_name_is_a_finding_unless_the_parameters_say_it() -> None:
    renamed = json.loads(json.dumps(LEGACY).replace("controller-machine", "the-controller"))
    assert [f.code for f in bring(renamed).findings].count("IMP001") == 1
    result = bring(renamed, parameters("the-controller", "gpu"))
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


def test_no_state_of_a_description_is_in_a_request() -> None:
    """By botocore's model: it would come back as an overlay, or as a difference."""
    shown = _everything(model("sagemaker").operation_model("DescribeCluster").output_shape)
    del shown["ClusterArn"]
    wrong = validate("sagemaker", "CreateCluster", without_state(shown))
    assert [each for each in wrong if "unknown member" in each] == []


def _everything(shape: Any) -> Any:
    """A value with every member of a shape."""
    if shape.type_name == "structure":
        return {name: _everything(inner) for name, inner in shape.members.items()}
    return [_everything(shape.member)] if shape.type_name == "list" else 1


def test_a_resource_of_a_template() -> None:
    named = {**EKS, "ClusterName": {"Ref": "Name"}}
    template = {
        "Parameters": {"Name": {"Type": "String", "Default": "on-eks"}},
        "Resources": {"Cluster": {"Type": "AWS::SageMaker::Cluster", "Properties": named}},
    }
    assert requests(bring(template)) == _sorted(EKS)


NESTED: dict[str, Any] = flow("""
Parameters: {Gpus: {Type: Number}, Checks: {Type: String, Default: 'false'}, Bucket: {Type: String}}
Conditions:
  HasGpus: {Fn::Not: [{Fn::Equals: [{Ref: Gpus}, '0']}]}
  HasChecks: {Fn::Equals: [{Ref: Checks}, 'true']}
Resources:
  Cluster:
    Type: AWS::SageMaker::Cluster
    Properties:
      ClusterName: on-eks
      Orchestrator: {Eks: {ClusterArn: arn:aws:eks:us-west-2:111122223333:cluster/eks}}
      InstanceGroups:
        - Fn::If:
            - HasGpus
            - InstanceGroupName: workers
              InstanceType: ml.g5.12xlarge
              InstanceCount: {Ref: Gpus}
              ExecutionRole: {Fn::Sub: 'arn:aws:iam::${AWS::AccountId}:role/nodes'}
              LifeCycleConfig:
                SourceS3Uri: {Fn::Sub: 's3://${Bucket}/src'}
                OnCreate: on_create.sh
              ThreadsPerCore: 1
              OnStartDeepHealthChecks: {Fn::If: [HasChecks, [InstanceStress], {Ref: AWS::NoValue}]}
              KubernetesConfig:
                Labels: {team: speech}
                Taints: [{Key: gpu, Value: 'true', Effect: NoSchedule}]
            - {Ref: AWS::NoValue}
      NodeRecovery: None
      VpcConfig: {SecurityGroupIds: [sg-0a1b2c3d4e5f67890], Subnets: [subnet-0a1b2c3d4e5f67890]}
""")
MAIN: dict[str, Any] = flow("""
Resources:
  Nested:
    Type: AWS::CloudFormation::Stack
    Properties:
      TemplateURL: https://s3.amazonaws.com/bucket/nested.json
      Parameters: {Gpus: 3, Checks: 'true'}
""")


def test_templates_are_evaluated() -> None:
    result = lossless(bring(("nested.json", json.dumps(NESTED)), ("main.json", json.dumps(MAIN))))
    (group,) = requests(result)["InstanceGroups"]
    assert (group["InstanceCount"], group["OnStartDeepHealthChecks"]) == (3, ["InstanceStress"])
    assert group["ExecutionRole"] == "arn:aws:iam::000000000000:role/nodes"
    assert group["LifeCycleConfig"]["SourceS3Uri"] == "s3://fill-in-nested-bucket/src"
    asked = {each.message for each in result.findings if each.code == "IMP002"}
    assert asked >= {"no file says what AWS::AccountId is", "no file says what Nested.Bucket is"}


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
    restricted = _group(
        "restricted", "p5.48xlarge", 2, EnvironmentConfig={"FSxLustreConfig": storage}
    )
    del restricted["LifeCycleConfig"]
    request = {**groups, "RestrictedInstanceGroups": [restricted]}
    cluster = {"Type": "AWS::SageMaker::Cluster", "Properties": request}
    for given in (request, {"Resources": {"Cluster": cluster}}):
        checked = check_text(lossless(bring(given)).text)
        assert rendered(checked, "hyperpod-eks") == request


def test_a_file_of_another_cluster_is_an_error() -> None:
    assert [f.code for f in bring(EKS, LEGACY).findings] == ["IMP020"]


def test_a_file_for_instance_groups_is_a_request_without_its_name() -> None:
    result = lossless(bring(LEGACY["InstanceGroups"]))
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
    result = lossless(bring(given, name="ml"))
    assert "cluster: ml" in result.text
    (asked,) = [f for f in result.findings if "does not name the subnets" in f.message]
    assert "describe-cluster --cluster-name ml" in asked.help


def test_a_placeholder_in_a_list_is_one_finding() -> None:
    network = {**NETWORK, "Subnets": ["<SUBNET>"]}
    result = bring({**EKS, "VpcConfig": network})
    (rejected,) = result.errors
    assert "'<SUBNET>' is not a subnet id" in rejected.message


@pytest.mark.parametrize("name", ["gpu", "ml.p5.48xlarge"])
def test_partitions_of_the_parameters_are_queues(name: str) -> None:
    """The README and the smoke tests of the bundle name them."""
    spec = spec_of(lossless(bring(LEGACY, parameters("controller-machine", name))))
    assert [(each.name, each.node_groups) for each in spec.queues] == [(name, ["worker-group-1"])]
