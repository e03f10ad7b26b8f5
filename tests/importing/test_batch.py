"""AWS Batch as specs: environments, queues and job definitions of templates."""

from typing import Any

import pytest

from tests.importing.templates import (
    GROUP,
    SUBNET,
    bring,
    by_name,
    codes,
    document,
    lossless,
    spec_of,
)
from tests.support.tables import flow

PROFILE = "arn:aws:iam::111122223333:instance-profile/nodes"
TEMPLATE: dict[str, Any] = flow(r"""
Parameters: {MaxvCpus: {Type: Number, Default: 96}}
Resources:
  Launch:
    Type: AWS::EC2::LaunchTemplate
    Properties: {LaunchTemplateData: {UserData: {Fn::Base64:
      "MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=A\n"}}}
  Gpu:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      ComputeEnvironmentName: gpu
      Type: MANAGED
      ComputeResources: {Type: SPOT, AllocationStrategy: SPOT_CAPACITY_OPTIMIZED, MinvCpus: 0,
        MaxvCpus: {Ref: MaxvCpus}, DesiredvCpus: 0, InstanceTypes: [g6.12xlarge],
        Subnets: [subnet-0a1b2c3d4e5f67891], SecurityGroupIds: [sg-0a1b2c3d4e5f67891],
        InstanceRole: 'arn:aws:iam::111122223333:instance-profile/nodes',
        LaunchTemplate: {LaunchTemplateId: {Ref: Launch}, Version: $Latest}}
  Queue:
    Type: AWS::Batch::JobQueue
    Properties: {JobQueueName: research-train, Priority: 10,
      ComputeEnvironmentOrder: [{Order: 1, ComputeEnvironment: {Ref: Gpu}}]}
  Job:
    Type: AWS::Batch::JobDefinition
    Properties:
      JobDefinitionName: train
      Type: container
      ContainerProperties:
        Image: public.ecr.aws/amazonlinux/amazonlinux:2023
        ResourceRequirements: [{Type: VCPU, Value: '4'}, {Type: MEMORY, Value: '2048'}]
""")


def test_the_rendered_template_has_the_settings_of_the_original() -> None:
    result = lossless(bring(TEMPLATE))
    assert bring(TEMPLATE).text == result.text
    template = document(result, "batch")
    (environment,) = [
        each["Properties"]
        for each in template["Resources"].values()
        if each["Type"] == "AWS::Batch::ComputeEnvironment"
    ]
    resources = environment["ComputeResources"]
    assert resources["AllocationStrategy"] == "SPOT_CAPACITY_OPTIMIZED"
    assert (resources["InstanceRole"], resources["MaxvCpus"]) == (PROFILE, 96)
    queue = by_name(template, "AWS::Batch::JobQueue", "JobQueueName")["research-train"]
    assert queue["ComputeEnvironmentOrder"][0]["ComputeEnvironment"] == {
        "Ref": "ComputeEnvironmentGpu"
    }
    assert "train" in by_name(template, "AWS::Batch::JobDefinition", "JobDefinitionName")


def test_what_the_language_has_words_for_is_in_words() -> None:
    spec = spec_of(bring(TEMPLATE))
    assert spec.name == "research"
    (group,) = spec.node_groups
    assert (group.name, group.count.min, group.count.max) == ("gpu", 0, 2)
    assert group.capacity.spot
    assert group.allocation == "capacity-optimized"
    assert [(queue.name, queue.priority) for queue in spec.queues] == [("train", 10)]
    assert spec.network.security_groups == [GROUP.format(1)]


ARN = "arn:aws:batch:eu-west-1:111122223333:{}/{}"
COMPUTE: dict[str, Any] = flow("""
{type: EC2, allocationStrategy: BEST_FIT_PROGRESSIVE, minvCpus: 0, maxvCpus: 96, desiredvCpus: 48,
  instanceTypes: [g6.12xlarge], launchTemplate: {launchTemplateName: gpu, version: $Latest},
  tags: {}}
""")
COMPUTE |= {"subnets": [SUBNET.format(1)], "securityGroupIds": [GROUP.format(1)]}
ENVIRONMENT: dict[str, Any] = flow("""
{computeEnvironmentName: gpu, uuid: 0a1b2c3d, type: MANAGED, state: ENABLED, status: VALID,
  statusReason: ComputeEnvironment Healthy, containerOrchestrationType: ECS, unmanagedvCpus: 0,
  ecsClusterArn: arn:aws:ecs:eu-west-1:111122223333:cluster/gpu_Batch_1, serviceRole:
    arn:aws:iam::111122223333:role/aws-service-role/batch.amazonaws.com/AWSServiceRoleForBatch,
  tags: {team: speech, aws:cloudformation:stack-name: research}}
""")
ENVIRONMENT |= {
    "computeEnvironmentArn": ARN.format("compute-environment", "gpu"),
    "computeResources": {**COMPUTE, "instanceRole": PROFILE},
}
POLICY = ARN.format("scheduling-policy", "fair")
JOB: dict[str, Any] = flow("""
jobDefinitionName: research-job
type: container
parameters: {dataSet: corpus}
tags: {}
containerProperties:
  image: public.ecr.aws/amazonlinux/amazonlinux:2023
  environment: []
  volumes: []
  resourceRequirements: [{value: '4', type: VCPU}, {value: '2048', type: MEMORY}]
  logConfiguration: {logDriver: awslogs, options: {awslogs-group: jobs}, secretOptions: []}
containerOrchestrationType: ECS
""")
DESCRIBED: dict[str, Any] = {
    "environments": {"computeEnvironments": [ENVIRONMENT]},
    **flow("""
queues:
  jobQueues:
    - {jobQueueName: research-train, state: ENABLED, status: VALID,
       jobQueueArn: 'arn:aws:batch:eu-west-1:111122223333:job-queue/research-train',
       statusReason: JobQueue Healthy, priority: 10, tags: {},
       schedulingPolicyArn: 'arn:aws:batch:eu-west-1:111122223333:scheduling-policy/fair',
       computeEnvironmentOrder: [{order: 1,
         computeEnvironment: 'arn:aws:batch:eu-west-1:111122223333:compute-environment/gpu'}]}
policies:
  schedulingPolicies:
    - {name: fair, arn: 'arn:aws:batch:eu-west-1:111122223333:scheduling-policy/fair', tags: {},
       fairsharePolicy: {shareDecaySeconds: 600, computeReservation: 5,
         shareDistribution: [{shareIdentifier: speech, weightFactor: 0.5}]}}
templates:
  LaunchTemplateVersions:
    - {LaunchTemplateId: lt-1, LaunchTemplateName: gpu, VersionNumber: 9, DefaultVersion: true,
       LaunchTemplateData: {UserData: "TUlNRS1WZXJzaW9uOiAxLjAKQ29udGVudC1UeXBlOiBtdWx0\\
         aXBhcnQvbWl4ZWQ7IGJvdW5kYXJ5PUEKCiMhL2Jpbi9zaAo="}}
    - {LaunchTemplateId: lt-1, LaunchTemplateName: gpu, VersionNumber: 10, DefaultVersion: false,
       LaunchTemplateData: {UserData: "TUlNRS1WZXJzaW9uOiAxLjAKQ29udGVudC1UeXBlOiBtdWx0\\
         aXBhcnQvbWl4ZWQ7IGJvdW5kYXJ5PUEKCiMhL2Jpbi9iYXNoCg=="}}
"""),
    "jobs": {
        "jobDefinitions": [
            {
                **JOB,
                "jobDefinitionArn": ARN.format("job-definition", f"research-job:{revision}"),
                "revision": revision,
                "status": "ACTIVE" if revision < 12 else "INACTIVE",
                "containerProperties": {
                    **JOB["containerProperties"],
                    "command": ["echo", f"revision {revision}"],
                },
            }
            for revision in (9, 10, 12)
        ]
    },
}


def test_descriptions_of_the_service() -> None:
    result = lossless(bring(*DESCRIBED.values(), region="", vpc=""))
    spec = spec_of(result)
    assert (spec.name, spec.region) == ("research", "eu-west-1")
    template = document(result, "batch")
    (environment,) = [
        each["Properties"]
        for each in template["Resources"].values()
        if each["Type"] == "AWS::Batch::ComputeEnvironment"
    ]
    assert "ServiceRole" not in environment
    assert environment["Tags"] == {"team": "speech"}
    queue = by_name(template, "AWS::Batch::JobQueue", "JobQueueName")["research-train"]
    (policy,) = [
        id
        for id, each in template["Resources"].items()
        if each["Type"] == "AWS::Batch::SchedulingPolicy"
    ]
    assert queue["SchedulingPolicyArn"] == {"Ref": policy}


def test_of_several_versions_the_used_one_is_imported() -> None:
    template = document(bring(*DESCRIBED.values()), "batch")
    job = by_name(template, "AWS::Batch::JobDefinition", "JobDefinitionName")["research-job"]
    assert job["ContainerProperties"]["Command"] == ["echo", "revision 10"]
    assert job["Parameters"] == {"dataSet": "corpus"}
    assert job["ContainerProperties"]["LogConfiguration"]["Options"] == {"awslogs-group": "jobs"}
    assert "#!/bin/bash" in str(template)
    assert "#!/bin/sh" not in str(template)


def test_the_default_version_of_a_launch_template() -> None:
    template = {"launchTemplateId": "lt-1", "version": ""}
    machines = {**ENVIRONMENT["computeResources"], "launchTemplate": template}
    environment = {**ENVIRONMENT, "computeResources": machines}
    files = {**DESCRIBED, "environments": {"computeEnvironments": [environment]}}
    result = lossless(bring(*files.values()))
    assert "#!/bin/sh" in str(document(result, "batch"))


def _queues(**names: str | None) -> dict[str, Any]:
    """The template with queues of these names, by their logical ids."""
    queue = TEMPLATE["Resources"]["Queue"]
    resources = {key: v for key, v in TEMPLATE["Resources"].items() if key != "Queue"}
    for id, name in names.items():
        properties = {k: v for k, v in queue["Properties"].items() if k != "JobQueueName"}
        named = {"JobQueueName": name} if name else {}
        resources[id] = {**queue, "Properties": {**properties, **named}}
    return {**TEMPLATE, "Resources": resources}


def test_queues_keep_their_names() -> None:
    result = lossless(bring(_queues(A="DeepLearning_JQ", B="Spot", C=None)))
    spec = spec_of(result)
    assert {queue.name for queue in spec.queues} == {"DeepLearning-JQ", "Spot", "C"}
    assert set(by_name(document(result, "batch"), "AWS::Batch::JobQueue", "JobQueueName")) == {
        "DeepLearning_JQ",
        "Spot",
        "C",
    }
    assert "IMP012" not in codes(result)


def test_an_adopted_cluster_has_the_name_of_its_stack() -> None:
    result = lossless(bring(_queues(A="research-train"), name="production", adopt=True))
    assert "\nname: production\n" in result.text
    assert "research-train: research-train" in result.text


def _with(**environments: Any) -> dict[str, Any]:
    """The template with other compute resources, each in an environment with a queue."""
    resources = dict(TEMPLATE["Resources"])
    for name, each in environments.items():
        known = resources["Gpu"]["Properties"]
        properties = {**known, "ComputeEnvironmentName": name, "ComputeResources": each}
        resources[name] = {**resources["Gpu"], "Properties": properties}
        order = [{"Order": 1, "ComputeEnvironment": {"Ref": name}}]
        queue = {"JobQueueName": name, "Priority": 1, "ComputeEnvironmentOrder": order}
        resources[f"{name}Queue"] = {"Type": "AWS::Batch::JobQueue", "Properties": queue}
    return {**TEMPLATE, "Resources": resources}


NETWORK = {"Subnets": ["subnet-0a1b2c3d4e5f67891"], "SecurityGroupIds": ["sg-0a1b2c3d4e5f67891"]}


def test_environments_without_instances_stay_as_they_are() -> None:
    result = lossless(bring(_with(small={"Type": "FARGATE", "MaxvCpus": 16, **NETWORK})))
    spec = spec_of(result)
    assert [each.name for each in spec.node_groups] == ["gpu"]
    assert [each.name for each in spec.queues] == ["train"]
    queues = by_name(document(result, "batch"), "AWS::Batch::JobQueue", "JobQueueName")
    assert {"research-train", "small"} == set(queues)


@pytest.mark.parametrize("family", ["c6i", "optimal", "default_arm64"])
def test_families_stay_families(family: str) -> None:
    resources = TEMPLATE["Resources"]["Gpu"]["Properties"]["ComputeResources"]
    result = lossless(bring(_with(cpu={**resources, "InstanceTypes": [family]})))
    group = next(each for each in spec_of(result).node_groups if each.name == "cpu")
    assert len(group.instance_types) > 3
    environments = [
        each["Properties"]["ComputeResources"]
        for each in document(result, "batch")["Resources"].values()
        if each["Type"] == "AWS::Batch::ComputeEnvironment"
    ]
    assert [family] in [each["InstanceTypes"] for each in environments]


def test_a_template_without_instances_is_a_question() -> None:
    small = _with(small={"Type": "FARGATE", "MaxvCpus": 16, **NETWORK})["Resources"]
    result = bring({"Resources": {name: small[name] for name in ("small", "smallQueue")}})
    asked = [each.message for each in result.findings if each.code == "IMP002"]
    assert any(each.startswith("no compute environment starts EC2 instances") for each in asked)


def test_a_queue_alone_is_a_part() -> None:
    queue = {"Resources": {"Queue": TEMPLATE["Resources"]["Queue"]}}
    assert codes(bring(queue))[-1:] == ["IMP022"]
