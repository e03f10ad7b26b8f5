"""What stands where in the CreateCluster request: one row, one decision."""

import json
from typing import Any

import pytest

from tests.support.tables import flow
from tests.targets.hyperpod_eks.planned import CLUSTER, files_of, group_of, plan_of, request_of
from tests.targets.hyperpod_eks.specs import SPECS

ABSENT = object()
SPOT = SPECS["Spot beside On-Demand, scaled"]

CLUSTERS: list[tuple[str, str, Any]] = [
    ("smallest", "Orchestrator", {"Eks": {"ClusterArn": CLUSTER}}),
    ("smallest", "VpcConfig",
     {"SecurityGroupIds": ["${ClusterSecurityGroupId}"], "Subnets": ["${PrivateSubnetId}"]}),
    ("labels and taints", "Tags",
     [{"Key": "SageMaker", "Value": "true"}, {"Key": "team", "Value": "research"}]),
    ("deep health checks", "NodeRecovery", "None"),
    ("Spot beside On-Demand, scaled", "AutoScaling",
     {"Mode": "Enable", "AutoScalerType": "Karpenter"}),
    ("Spot beside On-Demand, scaled", "ClusterRole", "${HyperPodClusterRoleArn}"),
    ("two zones", "VpcConfig", {"SecurityGroupIds": ["sg-0a1b2c3d4e5f67890"],
                                "Subnets": ["subnet-0a1b2c3d4e5f67890"]}),
    ("overlay", "TieredStorageConfig",
     {"Mode": "Enable", "InstanceMemoryAllocationPercentage": 20}),
    ("patches by themselves", "TieredStorageConfig",
     {"Mode": "Enable", "InstanceMemoryAllocationPercentage": 20}),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "member", "expected"), CLUSTERS)
def test_cluster(spec: str, member: str, expected: Any) -> None:
    assert request_of(SPECS[spec]).get(member, ABSENT) == expected


GROUPS: list[tuple[str, str, str, Any]] = [
    ("smallest", "h200", "InstanceType", "ml.p5en.48xlarge"),
    ("smallest", "h200", "InstanceCount", 2),
    ("minimum", "h200", "MinInstanceCount", 2),
    ("minimum", "h200", "InstanceCount", 4),
    ("Spot beside On-Demand, scaled", "h200", "MinInstanceCount", ABSENT),
    ("empty", "h200", "InstanceCount", 0),
    ("smallest", "h200", "KubernetesConfig", ABSENT),
    ("labels and taints", "h200", "KubernetesConfig", {
        "Labels": {"example.com/team": "llm", "stage": "2"},
        "Taints": [{"Key": "training", "Effect": "NoSchedule"},
                   {"Key": "example.com/gpu", "Value": "h200", "Effect": "NoExecute"}],
    }),
    ("partitions", "h200", "KubernetesConfig",
     {"Labels": {"nvidia.com/mig.config": "mixed-1-1g.18gb-1-2g.35gb-1-3g.71gb"}}),
    ("partitions", "h100", "KubernetesConfig",
     {"Labels": {"nvidia.com/mig.config": "all-3g.40gb"}}),
    ("training plan", "h200", "TrainingPlanArn",
     "arn:aws:sagemaker:us-east-1:111122223333:training-plan/large"),
    ("Spot beside On-Demand, scaled", "h200", "CapacityRequirements", {"Spot": {}}),
    ("Spot beside On-Demand, scaled", "h200", "InstanceCount", 0),
    ("Spot beside On-Demand, scaled", "h200", "InstanceType", ABSENT),
    ("Spot beside On-Demand, scaled", "h200", "InstanceRequirements",
     {"InstanceTypes": ["ml.g6e.12xlarge", "ml.g6.12xlarge"]}),
    ("Spot beside On-Demand, scaled", "fallback", "InstanceCount", 0),
    ("Spot beside On-Demand, scaled", "system", "InstanceCount", 2),
    ("deep health checks", "h200", "OnStartDeepHealthChecks",
     ["InstanceStress", "InstanceConnectivity", "MultiNodeTrainingValidation"]),
    ("two zones", "h200", "OverrideVpcConfig", ABSENT),
    ("two zones", "system", "OverrideVpcConfig", {
        "SecurityGroupIds": ["sg-0a1b2c3d4e5f67890"],
        "Subnets": ["subnet-0a1b2c3d4e5f67890", "subnet-0a1b2c3d4e5f67891"],
    }),
    ("image, size, threads and interfaces", "h200", "ImageId", "ami-0a1b2c3d4e5f67890"),
    ("image, size, threads and interfaces", "h200", "ThreadsPerCore", 1),
    ("image, size, threads and interfaces", "h200", "NetworkInterface",
     {"InterfaceType": "efa-only"}),
    ("image, size, threads and interfaces", "h200", "InstanceStorageConfigs",
     [{"EbsVolumeConfig": {"VolumeSizeInGB": 1024}}]),
    ("patches by themselves", "h200", "AutoPatchConfig", {"PatchingStrategy": "WhenIdle"}),
    ("patches by themselves", "h200", "ScheduledUpdateConfig",
     {"ScheduleExpression": "cron(0 3 ? * SUN *)"}),
    ("idle nodes are waited for", "h200", "AutoPatchConfig",
     {"PatchingStrategy": "WhenAllIdle", "IdleWaitWindowInSeconds": 2160000}),
    ("batches are drained", "h200", "AutoPatchConfig", flow("""
        {PatchingStrategy: DrainFirst,
          DeploymentConfig: {
            RollingUpdatePolicy: {MaximumBatchSize: {Type: CAPACITY_PERCENTAGE, Value: 10}},
            WaitIntervalInSeconds: 300, AutoRollbackConfiguration: [{AlarmName: jobs failing}]},
          DrainPolicy: {DrainTimeoutInSeconds: 1800, OnDrainTimeout: Force}}
    """)),
    ("one is drained", "h200", "AutoPatchConfig", {
        "PatchingStrategy": "DrainFirst",
        "DeploymentConfig": {"RollingUpdatePolicy": {
            "MaximumBatchSize": {"Type": "INSTANCE_COUNT", "Value": 1}}},
    }),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "group", "member", "expected"), GROUPS)
def test_group(spec: str, group: str, member: str, expected: Any) -> None:
    assert group_of(SPECS[spec], group).get(member, ABSENT) == expected


def test_a_changed_script_has_another_key() -> None:
    places = {group_of(SPECS[spec])["LifeCycleConfig"]["SourceS3Uri"]
              for spec in ("smallest", "scripts of the user's")}  # fmt: skip
    assert len(places) == 2


@pytest.mark.parametrize(
    ("type", "addresses"), [("p5.48xlarge", 81), ("p5en.48xlarge", 65), ("m7i.4xlarge", 50)]
)
def test_addresses_of_a_node(type: str, addresses: int) -> None:
    """Pods have addresses of their own: a P5 node takes 81 of them."""
    text = "node_groups: [{{name: h200, instance_type: {}, count: {}}}]"
    one, two = (plan_of(text.format(type, count)).network.needed_addresses for count in (1, 2))
    assert two - one == addresses


def of_template(spec: str) -> Any:
    """The instance group of `spec` in cluster.template.json."""
    template = json.loads(files_of(SPECS[spec])["cluster.template.json"])
    [group] = template["Resources"]["Cluster"]["Properties"]["InstanceGroups"]
    return group


# What CloudFormation has of it; the rest is a finding, LIM303.
TEMPLATES: list[tuple[str, Any]] = [
    ("patches by themselves", {"PatchingStrategy": "WhenIdle"}),
    ("idle nodes are waited for", {"PatchingStrategy": "WhenAllIdle"}),
    ("batches are drained", ABSENT),
]


@pytest.mark.parametrize(("spec", "expected"), TEMPLATES)
def test_cloudformation_has_only_part_of_patching(spec: str, expected: Any) -> None:
    assert of_template(spec).get("AutoPatchConfig", ABSENT) == expected


def test_security_groups_connect_nodes_and_control_plane() -> None:
    files = files_of(SPECS["opened to the control plane"])
    template = json.loads(files["foundation.template.json"])
    ours, theirs = {"Fn::GetAtt": ["ClusterSecurityGroup", "GroupId"]}, "sg-0a1b2c3d4e5f67891"
    found = [
        (properties["GroupId"], properties["IpProtocol"], properties[peer])
        for resource in template["Resources"].values()
        for properties in [resource.get("Properties", {})]
        for peer in ("SourceSecurityGroupId", "DestinationSecurityGroupId")
        if theirs in (properties.get("GroupId"), properties.get(peer)) and peer in properties
    ]
    both = [(ours, "-1", theirs), (theirs, "-1", ours)] * 2
    assert sorted(found, key=str) == sorted(both, key=str)


def test_the_next_steps_include_remaining_tasks() -> None:
    text = files_of(SPECS["patches by themselves"])["README.md"]
    assert "20 % of the memory of each node is kept for checkpoints" in text
    assert "SourceS3Uri names" in text
    assert "checkpoints" not in files_of("")["README.md"]


def test_groups_without_nodes_have_no_tests() -> None:
    assert [path for path in files_of(SPECS["empty"]) if path.startswith("smoke/")] == []


OWN = (
    f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}', provisioning: all-at-once, lifecycle: "
    "{source: s3://my-scripts/src, on_create: setup.sh}, "
    "leave_out: [second-volume, operator-tag]}}"
)


def test_a_cluster_with_scripts_of_its_own_keeps_them() -> None:
    files, request = files_of(OWN), request_of(OWN)
    assert [path for path in files if path.startswith("lifecycle/")] == []
    assert not {"Tags", "NodeProvisioningMode"} & set(request)
    group = group_of(OWN)
    source = {"SourceS3Uri": "s3://my-scripts/src", "OnCreate": "setup.sh"}
    assert group["LifeCycleConfig"] == source
    assert "InstanceStorageConfigs" not in group


def test_without_a_second_volume_scripts_do_not_wait_for_it() -> None:
    text = f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}', leave_out: [second-volume]}}}}"
    files = files_of(text)
    assert "lifecycle/runtime-storage.sh" not in files
    assert "bound" not in files["verify.sh"].partition("main()")[2]


def test_an_existing_role_of_the_autoscaler_replaces_that_of_the_foundation() -> None:
    role = "arn:aws:iam::111122223333:role/autoscaler"
    text = (
        "kubernetes: {autoscaler: karpenter}\n"
        "node_groups: [{name: h200, count: {min: 0, max: 4}}]\n"
        f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}', cluster_role: '{role}'}}}}"
    )
    assert request_of(text)["ClusterRole"] == role
    assert "HyperPodClusterRole" not in files_of(text)["foundation.template.json"]


CHECKED = "node_groups: [{name: h200, health_checks: [gpu]}]\n"
SCRIPT = CHECKED + "software: {scripts: [{run: s3://my-bucket/b.sh, on_failure: %s}]}"
OPTIONAL = [
    ("", True),
    (CHECKED, False),
    (CHECKED + SPECS["file systems"], True),
    (SCRIPT % "continue", True),
    (SCRIPT % "stop", False),
]


@pytest.mark.parametrize(("text", "said"), OPTIONAL)
def test_the_readme_says_who_names_a_failed_step_that_nodes_can_do_without(
    text: str, said: bool
) -> None:
    readme = " ".join(files_of(text)["README.md"].split())
    assert ("it takes pods; `verify.sh` on it names the step, and no alert does" in readme) is said
