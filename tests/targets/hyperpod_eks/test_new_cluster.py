"""A new EKS cluster: its stack, the add-ons after it, and single faults that validators catch."""

import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import yaml

from clustergen.services import foundation
from clustergen.targets.hyperpod_eks import addons, governance
from tests.targets.hyperpod_eks import planned
from tests.targets.hyperpod_eks.new_cluster import (
    NEW,
    codes,
    document_of,
    files_of_new,
    resources_of,
)
from tests.validators.cloudformation import check, lint
from tests.validators.hyperpod import cluster_violations
from tests.validators.iam import iam_violations, roles
from tests.validators.seeding import GONE, changed

ARN = "arn:aws:sagemaker:us-east-1:111122223333:cluster/0a1b2c3d4e5f"
EKS, CLUSTER, ADDONS = "eks.template.json", "create-cluster.json", addons.TEMPLATE
METRICS = "monitoring: {metrics: managed-prometheus}"
VPC = """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  zone: use1-az6
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}]
  control_plane_subnets:
    - {id: subnet-0a1b2c3d4e5f67891, zone: use1-az6, cidr: 10.42.255.224/28}
    - {id: subnet-0a1b2c3d4e5f67892, zone: use1-az2, cidr: 10.42.255.240/28}
  security_groups: [sg-0a1b2c3d4e5f67890]
"""
STORED = """
storage:
  - {mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500, efa: true}
  - {mount: /tools, type: efs}
  - {mount: /data, type: s3, bucket: s3://my-bucket/data}
"""
SPECS = {
    "smallest": "",
    "two queues": NEW,
    "an existing VPC": VPC,
    "an old version": "kubernetes: {version: '1.32', support: extended}",
    "metrics and storage": f"{METRICS}\n{STORED}",
    "partitions": "node_groups: [{name: h200, mig: {1g.18gb: 7}}]",
    "Karpenter": "kubernetes: {autoscaler: karpenter}\n"
    "node_groups: [{name: h200, count: {min: 0, max: 4}}]",
    "nothing besides": "kubernetes: {admission: none, jobs: none}",
    "another region": "region: us-west-2\nnetwork: {zone: usw2-az2}\ntags: {a: 'b + c'}",
    "administrators": "kubernetes: {admins: ['arn:aws:iam::111122223333:role/platform'], "
    "public_endpoint_from: [203.0.113.0/24]}",
    "Trainium and Graviton": "node_groups: [{name: h200, instance_type: trn1.32xlarge}, "
    "{name: arm, instance_type: m7g.4xlarge, count: 2}]\n"
    "kubernetes: {system_nodes: {instance_type: m7g.large, count: 3}}",
}


@pytest.mark.parametrize("text", SPECS.values(), ids=SPECS)
def test_parameters_are_outputs_of_stacks_before(text: str) -> None:
    files = files_of_new(text)
    given = set(json.loads(files.get(foundation.PATH, "{}")).get("Outputs", {}))
    for name in (EKS, "cluster.template.json", ADDONS):
        if name in files:
            template = json.loads(files[name])
            # How many nodes Karpenter has, no stack knows.
            parameters = {n for n in template.get("Parameters", {}) if not n.startswith("NodesOf")}
            assert parameters <= given, name
            given |= set(template["Outputs"]) if "Outputs" in template else set()


def of_type(resources: dict[str, Any], type: str) -> list[dict[str, Any]]:
    return [body["Properties"] for body in resources.values() if body["Type"] == type]


def test_nodes_and_control_plane_share_a_group() -> None:
    request = document_of(CLUSTER)
    assert request["Orchestrator"] == {"Eks": {"ClusterArn": "${EksClusterArn}"}}
    groups = ["${ClusterSecurityGroupId}", "${EksClusterSecurityGroupId}"]
    assert request["VpcConfig"]["SecurityGroupIds"] == groups
    parameters = document_of("cluster.template.json")["Parameters"]
    assert parameters["EksClusterSecurityGroupId"]["Type"] == "AWS::EC2::SecurityGroup::Id"
    assert "EksClusterArn" in parameters


@pytest.mark.parametrize(("version", "rules"), [("1.32", 1), ("1.33", 0), ("1.35", 0)])
def test_efa_egress_rule(version: str, rules: int) -> None:
    made = resources_of(EKS, f"kubernetes: {{version: '{version}'}}")
    assert len(of_type(made, "AWS::EC2::SecurityGroupEgress")) == rules


NAMES: list[tuple[str, set[str]]] = [
    ("", set()),
    (METRICS, set()),
    (STORED, {"aws-fsx-csi-driver", "aws-efs-csi-driver", "aws-mountpoint-s3-csi-driver"}),
]


@pytest.mark.parametrize(("text", "more"), NAMES)
def test_add_ons_of_eks(text: str, more: set[str]) -> None:
    made = of_type(resources_of(EKS, text), "AWS::EKS::Addon")
    always = {"vpc-cni", "kube-proxy", "eks-pod-identity-agent", "coredns", "aws-ebs-csi-driver"}
    assert {addon["AddonName"] for addon in made} == always | more


HYPERPOD: list[tuple[str, list[str]]] = [
    ("", [governance.TASK_GOVERNANCE, addons.CERT_MANAGER, addons.TRAINING_OPERATOR]),
    (METRICS, [governance.TASK_GOVERNANCE, addons.CERT_MANAGER, addons.TRAINING_OPERATOR,
               addons.OBSERVABILITY]),
    ("kubernetes: {jobs: none}", [governance.TASK_GOVERNANCE]),
    ("kubernetes: {admission: none}", [addons.CERT_MANAGER, addons.TRAINING_OPERATOR]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), HYPERPOD)
def test_add_ons_of_hyperpod(text: str, expected: list[str]) -> None:
    made = of_type(resources_of(ADDONS, text), "AWS::EKS::Addon")
    assert [addon["AddonName"] for addon in made] == expected
    for addon in made:
        assert {"Key": "SageMaker", "Value": "true"} in addon["Tags"]


def test_the_training_operator_has_an_association_of_its_own() -> None:
    made = resources_of(ADDONS)
    assert "PodIdentityAssociations" not in made["TrainingOperator"]["Properties"]
    association = made["TrainingOperatorIdentity"]["Properties"]
    assert association["Namespace"] == "aws-hyperpod"
    assert association["ServiceAccount"] == "hp-training-operator-controller-manager"
    role = roles(document_of(ADDONS))["TrainingOperatorRole"]
    assert role.principals == ("pods.eks.amazonaws.com",)
    assert role.allows("sagemaker:DescribeClusterNode", ARN)
    tags = document_of(CLUSTER)["Tags"]
    assert {"Key": "SageMaker", "Value": "true"} in tags


def test_metrics_go_to_the_workspace() -> None:
    text = resources_of(ADDONS, METRICS)["Observability"]["Properties"]["ConfigurationValues"]
    template, given = text["Fn::Sub"]
    values = json.loads(template)
    assert given == {"Workspace": {"Ref": "MetricsWorkspaceId"}}
    assert values["ampWorkspace"]["arn"].endswith(":workspace/${Workspace}")
    assert values["metricsProvider"]["networkMetrics"] == {"level": "BASIC"}
    assert values["metricsProvider"]["scalingMetrics"] == {"level": "DISABLED"}


def test_system_nodes() -> None:
    text = "kubernetes: {system_nodes: {instance_type: m7g.large, count: 3}}"
    [nodes] = of_type(resources_of(EKS, text), "AWS::EKS::Nodegroup")
    assert nodes["AmiType"] == "AL2023_ARM_64_STANDARD"
    assert nodes["ScalingConfig"] == {"MinSize": 3, "MaxSize": 4, "DesiredSize": 3}
    [template] = of_type(resources_of(EKS, text), "AWS::EC2::LaunchTemplate")
    data = template["LaunchTemplateData"]
    assert data["MetadataOptions"]["HttpTokens"] == "required"
    assert data["BlockDeviceMappings"][0]["Ebs"]["Encrypted"] is True
    # By the second group pods here reach file systems, as those on HyperPod's nodes do.
    cluster = {"Fn::GetAtt": ["Cluster", "ClusterSecurityGroupId"]}
    assert data["SecurityGroupIds"] == [cluster, {"Ref": "ClusterSecurityGroupId"}]
    assert nodes["Version"] == "1.35"


FINDINGS: list[tuple[str, str]] = [
    ("kubernetes: {version: '1.36'}", "K8S430"),
    ("kubernetes: {version: '1.29'}", "K8S430"),
    ("", "K8S431"),
    ("kubernetes: {devices: dra}", "K8S432"),
    ("kubernetes: {scheduler: kai}", "K8S433"),
    ("kubernetes: {jobs: kubeflow-trainer}", "K8S433"),
    (VPC.replace("use1-az2", "use1-az6"), "NET022"),
    ("kubernetes: {admins: ['arn:aws-us-gov:iam::111122223333:role/platform']}", "IAM002"),
]


@pytest.mark.parametrize(("text", "code"), FINDINGS)
def test_findings(text: str, code: str) -> None:
    assert code in codes(text)


@pytest.mark.parametrize("text", [VPC, NEW, "kubernetes: {public_endpoint_from: [203.0.113.0/24]}"])
def test_valid_values_have_no_findings(text: str) -> None:
    assert not codes(text) & {"K8S430", "K8S432", "K8S433", "NET022", "NET400", "NET401", "K8S404"}


TAINTED = """
node_groups:
  - {name: h200, instance_type: p6-b300.48xlarge, taints: [{key: team, effect: NoExecute},
     {key: nvidia.com/gpu}]}
  - {name: cpu, instance_type: m7i.4xlarge, count: 1, taints: [{key: other}]}
"""


def test_device_plugins_reach_the_nodes_of_the_spec() -> None:
    """The chart's lists are of the types of its day, and tolerate no taint of the user's."""
    values = yaml.safe_load(files_of_new(TAINTED)["manifests/helm-values.yaml"])
    efa, gpu = values["aws-efa-k8s-device-plugin"], values["nvidia-device-plugin"]
    assert efa["supportedInstanceLabels"] == {"values": ["ml.p6-b300.48xlarge"]}
    assert "ml.p6-b300.48xlarge" in json.dumps(gpu["affinity"])
    for plugin in (efa, gpu):
        keys = [toleration["key"] for toleration in plugin["tolerations"]]
        assert len(keys) == len(set(keys))
        assert {"team", "sagemaker.amazonaws.com/node-health-status"} <= set(keys)
        assert "other" not in keys
    plain = yaml.safe_load(files_of_new("")["manifests/helm-values.yaml"])
    assert "tolerations" not in plain["nvidia-device-plugin"]


# Single faults of the compiler, each caught by a validator: the file, where, and what stands there.
GROUPS = "VpcConfig.SecurityGroupIds"
OWN = "TrainingOperatorRole.Properties.AssumeRolePolicyDocument.Statement.0"
FAULTS: list[tuple[str, str, Any]] = [
    (CLUSTER, "Orchestrator.Eks.ClusterArn", "${EksClusterName}"),
    (CLUSTER, "Orchestrator.Eks.ClusterArn", "${EksArn}"),
    (CLUSTER, "Orchestrator.Eks.ClusterArn", "arn:aws:eks:us-east-1:111122223333:cluster/other"),
    (CLUSTER, GROUPS, ["${ClusterSecurityGroupId}"]),
    (CLUSTER, GROUPS, ["${EksClusterSecurityGroupId}", "${LoginSecurityGroupId}"]),
    (EKS, "Resources.Cluster.Properties.Version", "1.36"),
    (EKS, "Resources.Cluster.Properties.Version", "1.32"),
    (EKS, "Resources.Cluster.Properties.AccessConfig.AuthenticationMode", "CONFIG_MAP"),
    (EKS, "Resources.Cluster.Properties.ResourcesVpcConfig.EndpointPrivateAccess", False),
    (EKS, "Outputs.EksClusterSecurityGroupId", GONE),
    (EKS, "Outputs.EksClusterArn.Value", {"Fn::GetAtt": ["Cluster", "ClusterArn2"]}),
    (ADDONS, "Resources.TrainingOperatorIdentity.Properties.Namespace", GONE),
    (ADDONS, "Resources.TrainingOperatorIdentity.Properties.RoleArn", "training-operator"),
    (ADDONS, "Resources.TrainingOperatorRole.Properties.ManagedPolicyArns.0",
     "arn:aws:iam::aws:policy/AmazonSageMakerHyperPodTrainingOperator"),
    (ADDONS, f"Resources.{OWN}.Action", ["sts:AssumeRole", "sts:TagSessions"]),
    ("governance.template.json",
     "Resources.QuotaTrain.Properties.ComputeQuotaConfig.ComputeQuotaResources.0.InstanceType",
     "p5en.48xlarge"),
    ("governance.template.json", "Resources.QuotaTrain.Properties.ComputeQuotaTarget", {}),
    ("governance.template.json",
     "Resources.Scheduler.Properties.SchedulerConfig.PriorityClasses.0.Weight", 101),
    ("governance.template.json", "Resources.Scheduler.Properties.ClusterArn", "example"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "path", "value"), FAULTS)
def test_a_validator_catches(name: str, path: str, value: Any) -> None:
    faulty = changed(json.loads(_good()[name]), path, value)
    assert next(_violations(name, faulty), None) is not None


def _violations(name: str, document: Any) -> Iterator[Any]:
    yield from cluster_violations({**_good(), name: json.dumps(document)}, "us-east-1")
    if name != CLUSTER:
        yield from check(document)
        yield from lint({name: json.dumps(document)}, ["us-east-1"])
        yield from iam_violations(document)


@functools.cache
def _good() -> Mapping[str, str]:
    files = files_of_new(NEW)
    assert cluster_violations(files, "us-east-1") == []
    return files


def test_pods_get_volumes_on_nodes_of_hyperpod() -> None:
    """EC2 lets SageMaker alone attach volumes to them, so the driver asks SageMaker."""
    made = resources_of("eks.template.json")
    role = made["AddonAwsEbsCsiDriverRole"]["Properties"]
    [policy] = role["Policies"]
    actions = str(policy["PolicyDocument"]["Statement"])
    assert "sagemaker:AttachClusterNodeVolume" in actions
    assert "manifests/storage-class.yaml" in files_of_new()


def test_metrics_outlive_the_cluster() -> None:
    made = resources_of("foundation.template.json", "monitoring: {metrics: managed-prometheus}")
    [workspace] = of_type(made, "AWS::APS::Workspace")
    [whole] = [each for each in made.values() if each.get("Properties") == workspace]
    assert whole["DeletionPolicy"] == "RetainExceptOnCreate"
    assert whole["UpdateReplacePolicy"] == "Retain"


SUPPORT = [
    ("{version: '1.30'}", {"K8S430"}),  # HyperPod lists it still
    ("{version: '1.33'}", {"K8S502"}),
    ("{version: '1.33', support: standard}", {"K8S503"}),
    ("{version: '1.34'}", {"K8S504"}),
    ("{version: '1.35'}", set()),
]


@pytest.mark.parametrize(("words", "expected"), SUPPORT)
def test_a_new_cluster_has_a_version_with_support(words: str, expected: set[str]) -> None:
    ends = {"K8S430", "K8S502", "K8S503", "K8S504"}
    assert codes(f"kubernetes: {words}") & ends == expected
    assert not planned.codes(f"kubernetes: {words}") & ends
