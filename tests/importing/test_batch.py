"""AWS Batch as specs: environments, queues and job definitions of templates."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from clustergen.compiler import check_text
from tests.checking import check as check_spec
from tests.checking import check_example
from tests.importing.templates import (
    GROUP,
    SUBNET,
    bring,
    by_name,
    codes,
    document,
    examples_of,
    original_of,
    region_of,
)

PROFILE = "arn:aws:iam::111122223333:instance-profile/nodes"
TEMPLATE: dict[str, Any] = {
    "Parameters": {"MaxvCpus": {"Type": "Number", "Default": 96}},
    "Resources": {
        "Launch": {
            "Type": "AWS::EC2::LaunchTemplate",
            "Properties": {"LaunchTemplateData": {"UserData": {"Fn::Base64": "#!/bin/bash\n"}}},
        },
        "Gpu": {
            "Type": "AWS::Batch::ComputeEnvironment",
            "Properties": {
                "ComputeEnvironmentName": "gpu",
                "Type": "MANAGED",
                "ComputeResources": {
                    "Type": "SPOT",
                    "AllocationStrategy": "SPOT_CAPACITY_OPTIMIZED",
                    "MinvCpus": 0,
                    "MaxvCpus": {"Ref": "MaxvCpus"},
                    "DesiredvCpus": 0,
                    "InstanceTypes": ["g6.12xlarge"],
                    "Subnets": [SUBNET.format(1)],
                    "SecurityGroupIds": [GROUP.format(1)],
                    "InstanceRole": PROFILE,
                    "LaunchTemplate": {
                        "LaunchTemplateId": {"Ref": "Launch"},
                        "Version": "$Latest",
                    },
                },
            },
        },
        "Queue": {
            "Type": "AWS::Batch::JobQueue",
            "Properties": {
                "JobQueueName": "research-train",
                "Priority": 10,
                "ComputeEnvironmentOrder": [
                    {"Order": 1, "ComputeEnvironment": {"Ref": "Gpu"}},
                ],
            },
        },
        "Job": {
            "Type": "AWS::Batch::JobDefinition",
            "Properties": {
                "JobDefinitionName": "train",
                "Type": "container",
                "ContainerProperties": {
                    "Image": "public.ecr.aws/amazonlinux/amazonlinux:2023",
                    "ResourceRequirements": [
                        {"Type": "VCPU", "Value": "4"},
                        {"Type": "MEMORY", "Value": "2048"},
                    ],
                },
            },
        },
    },
}


def test_the_rendered_template_has_the_settings_of_the_original() -> None:
    result = bring(TEMPLATE)
    assert result.lossless
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
    spec = check_text(bring(TEMPLATE).text).spec
    assert spec is not None
    assert spec.name == "research"
    (group,) = spec.node_groups
    assert (group.name, group.count.min, group.count.max) == ("gpu", 0, 2)
    assert group.capacity.spot
    assert group.allocation == "capacity-optimized"
    assert [(queue.name, queue.priority) for queue in spec.queues] == [("train", 10)]
    assert spec.network.security_groups == [GROUP.format(1)]


ARN = "arn:aws:batch:eu-west-1:111122223333:{}/{}"
ENVIRONMENT = {
    "computeEnvironmentName": "gpu",
    "computeEnvironmentArn": ARN.format("compute-environment", "gpu"),
    "ecsClusterArn": "arn:aws:ecs:eu-west-1:111122223333:cluster/gpu_Batch_1",
    "uuid": "0a1b2c3d",
    "type": "MANAGED",
    "state": "ENABLED",
    "status": "VALID",
    "statusReason": "ComputeEnvironment Healthy",
    "containerOrchestrationType": "ECS",
    "unmanagedvCpus": 0,
    "serviceRole": "arn:aws:iam::111122223333:role/aws-service-role/batch.amazonaws.com/"
    "AWSServiceRoleForBatch",
    "tags": {"team": "speech", "aws:cloudformation:stack-name": "research"},
    "computeResources": {
        "type": "EC2",
        "allocationStrategy": "BEST_FIT_PROGRESSIVE",
        "minvCpus": 0,
        "maxvCpus": 96,
        "desiredvCpus": 48,
        "instanceTypes": ["g6.12xlarge"],
        "subnets": [SUBNET.format(1)],
        "securityGroupIds": [GROUP.format(1)],
        "instanceRole": PROFILE,
        "tags": {},
        "launchTemplate": {"launchTemplateName": "gpu", "version": "$Latest"},
    },
}
POLICY = ARN.format("scheduling-policy", "fair")
DESCRIBED: dict[str, Any] = {
    "environments": {"computeEnvironments": [ENVIRONMENT]},
    "queues": {
        "jobQueues": [
            {
                "jobQueueName": "research-train",
                "jobQueueArn": ARN.format("job-queue", "research-train"),
                "state": "ENABLED",
                "status": "VALID",
                "statusReason": "JobQueue Healthy",
                "schedulingPolicyArn": POLICY,
                "priority": 10,
                "computeEnvironmentOrder": [
                    {"order": 1, "computeEnvironment": ENVIRONMENT["computeEnvironmentArn"]}
                ],
                "tags": {},
            }
        ]
    },
    "policies": {
        "schedulingPolicies": [
            {
                "name": "fair",
                "arn": POLICY,
                "fairsharePolicy": {
                    "shareDecaySeconds": 600,
                    "computeReservation": 5,
                    "shareDistribution": [{"shareIdentifier": "speech", "weightFactor": 0.5}],
                },
                "tags": {},
            }
        ]
    },
    "jobs": {
        "jobDefinitions": [
            {
                "jobDefinitionName": "research-job",
                "jobDefinitionArn": ARN.format("job-definition", f"research-job:{revision}"),
                "revision": revision,
                "status": "ACTIVE" if revision < 12 else "INACTIVE",
                "type": "container",
                "parameters": {"dataSet": "corpus"},
                "tags": {},
                "containerProperties": {
                    "image": "public.ecr.aws/amazonlinux/amazonlinux:2023",
                    "command": ["echo", f"revision {revision}"],
                    "environment": [],
                    "volumes": [],
                    "resourceRequirements": [
                        {"value": "4", "type": "VCPU"},
                        {"value": "2048", "type": "MEMORY"},
                    ],
                    "logConfiguration": {
                        "logDriver": "awslogs",
                        "options": {"awslogs-group": "jobs"},
                        "secretOptions": [],
                    },
                },
                "containerOrchestrationType": "ECS",
            }
            for revision in (9, 10, 12)
        ]
    },
    "templates": {
        "LaunchTemplateVersions": [
            {
                "LaunchTemplateId": "lt-1",
                "LaunchTemplateName": "gpu",
                "VersionNumber": number,
                "DefaultVersion": number == 9,
                "LaunchTemplateData": {"UserData": data},
            }
            for number, data in ((9, "IyEvYmluL3NoCg=="), (10, "IyEvYmluL2Jhc2gK"))
        ]
    },
}


def test_descriptions_of_the_service() -> None:
    result = bring(*DESCRIBED.values(), region="", vpc="")
    assert result.lossless
    spec = check_text(result.text).spec
    assert spec is not None
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
    machines = {**ENVIRONMENT["computeResources"], "launchTemplate": template}  # type: ignore[dict-item]
    environment = {**ENVIRONMENT, "computeResources": machines}
    files = {**DESCRIBED, "environments": {"computeEnvironments": [environment]}}
    result = bring(*files.values())
    assert result.lossless
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
    result = bring(_queues(A="DeepLearning_JQ", B="Spot", C=None))
    assert result.lossless
    spec = check_text(result.text).spec
    assert spec is not None
    assert {queue.name for queue in spec.queues} == {"DeepLearning-JQ", "Spot", "C"}
    assert set(by_name(document(result, "batch"), "AWS::Batch::JobQueue", "JobQueueName")) == {
        "DeepLearning_JQ",
        "Spot",
        "C",
    }
    assert "IMP012" not in codes(result)


def test_an_adopted_cluster_has_the_name_of_its_stack() -> None:
    result = bring(_queues(A="research-train"), name="production", adopt=True)
    assert result.lossless
    assert "\nname: production\n" in result.text
    assert "research-train: research-train" in result.text


def test_an_import_gives_the_same_bytes_again() -> None:
    assert bring(TEMPLATE).text == bring(TEMPLATE).text


def test_a_queue_alone_is_a_part() -> None:
    queue = {"Resources": {"Queue": TEMPLATE["Resources"]["Queue"]}}
    assert codes(bring(queue))[-1:] == ["IMP022"]


def test_check_of_a_template_points_to_import() -> None:
    (finding,) = check_spec(str(TEMPLATE)).findings
    assert (finding.code, "Batch" in finding.message) == ("SPC026", True)


@pytest.mark.parametrize("name", examples_of("batch"))
def test_an_imported_bundle_has_the_settings_of_the_bundle(name: str) -> None:
    result = bring(original_of(name, "batch"), region=region_of(name), vpc="")
    assert result.lossless
    again, spec = yaml.safe_load(result.text), check_example(name).spec
    assert spec is not None
    assert [each["name"] for each in again["node_groups"]] == [g.name for g in spec.node_groups]
