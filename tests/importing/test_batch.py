"""AWS Batch as specs: environments, queues and job definitions of templates."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clustergen.compiler import check_text
from tests.checking import check as check_spec
from tests.importing.templates import (
    GROUP,
    SPECS,
    SUBNET,
    bring,
    by_name,
    codes,
    document,
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
    assert [(queue.name, queue.priority) for queue in spec.queues] == [("train", 10)]
    assert spec.network.security_groups == [GROUP.format(1)]


def test_an_import_gives_the_same_bytes_again() -> None:
    assert bring(TEMPLATE).text == bring(TEMPLATE).text


def test_a_queue_alone_is_a_part() -> None:
    queue = {"Resources": {"Queue": TEMPLATE["Resources"]["Queue"]}}
    assert codes(bring(queue))[-1:] == ["IMP022"]


def test_check_of_a_template_points_to_import() -> None:
    (finding,) = check_spec(str(TEMPLATE)).findings
    assert (finding.code, "Batch" in finding.message) == ("SPC026", True)


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_an_imported_bundle_has_the_settings_of_the_bundle(path: Path) -> None:
    result = bring(original_of(path, "batch"), region=region_of(path), vpc="")
    assert result.lossless
