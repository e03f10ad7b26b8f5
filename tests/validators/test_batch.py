"""The validator of AWS Batch passes what is right and catches single faults.

Most of these are found by neither cfn-lint nor the service models nor moto.
"""

import base64
from typing import Any

import pytest

from tests.validators.batch import batch_violations
from tests.validators.cloudformation import check, lint
from tests.validators.good import PCS
from tests.validators.good_batch import BATCH, CARDS
from tests.validators.seeding import GONE, changed

ENVIRONMENT = "Resources.Environment.Properties"
COMPUTE = f"{ENVIRONMENT}.ComputeResources"
NICS = "Resources.Template.Properties.LaunchTemplateData.NetworkInterfaces"
DATA = "Resources.Template.Properties.LaunchTemplateData"
QUEUE = "Resources.Queue.Properties"
ACTION = f"{QUEUE}.JobStateTimeLimitActions.0"
JOB = "Resources.Job.Properties"
NODES = f"{JOB}.NodeProperties"
RANGES = f"{NODES}.NodeRangeProperties"
CONTAINER = f"{RANGES}.0.Container"
ASKED = f"{CONTAINER}.ResourceRequirements"
SHARES = "Resources.Policy.Properties.FairsharePolicy.ShareDistribution"
TRUST = "Resources.Role.Properties.AssumeRolePolicyDocument.Statement.0.Principal.Service"


def interface(card: int, device: int = 0, type: str = "efa") -> dict[str, Any]:
    return {
        "NetworkCardIndex": card,
        "DeviceIndex": device,
        "InterfaceType": type,
        "Groups": [{"Ref": "NodesGroupId"}],
    }


def order(number: int) -> list[dict[str, Any]]:
    ref = {"Ref": "Environment"}
    return [{"Order": n, "ComputeEnvironment": ref} for n in range(1, number + 1)]


def ranges(*targets: str) -> list[dict[str, Any]]:
    container = BATCH["Resources"]["Job"]["Properties"]["NodeProperties"]["NodeRangeProperties"][0]
    return [{**container, "TargetNodes": target} for target in targets]


def other_type(targets: str, name: str) -> dict[str, Any]:
    [found] = ranges(targets)
    return {**found, "Container": {**found["Container"], "InstanceType": name}}


OTHER = [{"LaunchTemplateName": "other", "Version": "1"}]
RETRIED = [{"Action": "RETRY", "OnStatusReason": "Host EC2*"}]
PLAIN = base64.b64encode(b"#!/bin/bash\ntrue\n").decode()

FAULTS: list[tuple[str, Any, str]] = [
    # What multi-node jobs need of compute environments.
    (f"{COMPUTE}.Type", "SPOT", "runs no multi-node jobs"),
    (f"{COMPUTE}.MaxvCpus", 191, "384 vCPUs of Environment"),
    (f"{NICS}.{CARDS}", interface(0, 1, "efa-only"), "card 0 of p5.48xlarge has no place"),
    # Launch templates and networks.
    (f"{COMPUTE}.SecurityGroupIds", [{"Ref": "NodesGroupId"}], "beside interfaces"),
    (f"{NICS}.0.InterfaceType", "EFA", "no InterfaceType EFA"),
    (f"{NICS}.{CARDS}", interface(CARDS), f"no network card {CARDS}"),
    (f"{NICS}.0.Groups", [], "without Groups"),
    (f"{NICS}.0.SubnetId", {"Ref": "NodesSubnetId"}, "is ignored"),
    (f"{COMPUTE}.LaunchTemplate.LaunchTemplateName", "nodes", "an id or a name"),
    (f"{COMPUTE}.LaunchTemplate.Version", 1, "is text"),
    (f"{COMPUTE}.LaunchTemplate.Version", "$Latest", "resolved once"),
    (f"{COMPUTE}.LaunchTemplate.Overrides", OTHER, "without types of its own"),
    (f"{COMPUTE}.Subnets", [{"Ref": "NodesSubnetId"}, "subnet-0b"], "several subnets"),
    (f"{DATA}.InstanceMarketOptions", {"MarketType": "capacity-block"}, "without its id"),
    # The compute environment itself.
    (f"{COMPUTE}.AllocationStrategy", "BEST_FIT", "no infrastructure updates"),
    (f"{ENVIRONMENT}.ReplaceComputeEnvironment", GONE, "changes replace it"),
    (f"{ENVIRONMENT}.ComputeEnvironmentName", "nodes", "without a replacement"),
    (f"{ENVIRONMENT}.Tags", {"team": "a"}, "without a replacement"),
    (f"{ENVIRONMENT}.ServiceRole", "arn:aws:iam::111122223333:role/batch", "linked role"),
    (f"{ENVIRONMENT}.UpdatePolicy.JobExecutionTimeoutMinutes", 9000, "not 1 to 7200"),
    (f"{COMPUTE}.DesiredvCpus", 0, "Batch moves itself"),
    (f"{COMPUTE}.MinvCpus", 1000, "above MaxvCpus"),
    (f"{COMPUTE}.ScalingPolicy", {"MinScaleDownDelayMinutes": 5}, "not 20 to 10080"),
    (f"{COMPUTE}.Ec2Configuration.0.ImageType", "ECS_AL2_NVIDIA", "ImageType ECS_AL2_NVIDIA"),
    (f"{COMPUTE}.Ec2Configuration.0.ImageType", "ECS_AL2023_NVIDA", "ImageType"),
    (f"{COMPUTE}.Ec2Configuration.0.ImageType", "ECS_AL2023", "ECS_AL2023 for"),
    (f"{COMPUTE}.InstanceTypes", ["p5.48xlarge", "m7g.4xlarge"], "two architectures"),
    (f"{COMPUTE}.InstanceTypes", ["p5.48xlage"], "no instance type"),
    (f"{COMPUTE}.InstanceRole", {"Fn::GetAtt": ["Role", "Arn"]}, "not an instance profile"),
    (TRUST, "batch.amazonaws.com", "does not trust EC2"),
    # Queues and shares.
    (f"{QUEUE}.ComputeEnvironmentOrder", order(4), "4 compute environments"),
    (f"{QUEUE}.Priority", 5000, "not 0 to 1000"),
    (f"{ACTION}.Action", "TERMINATE", "for SageMaker's queues"),
    (f"{ACTION}.Reason", "CAPACITY:NONE", "no Reason"),
    (f"{ACTION}.MaxTimeSeconds", 60, "not 600 to 86400"),
    (f"{SHARES}.0.ShareIdentifier", "team-a", "ShareIdentifier 'team-a'"),
    (f"{SHARES}.0.ShareIdentifier", "robots", "one identifier"),
    (f"{SHARES}.0.WeightFactor", 0, "WeightFactor 0"),
    # Job definitions.
    (f"{NODES}.MainNode", 2, "main node 2 of 2"),
    (RANGES, ranges("1:"), "for 2 nodes"),
    (RANGES, ranges("0..1"), "targetNodes '0..1'"),
    (RANGES, [*ranges("0:0"), other_type("1:", "p5en.48xlarge")], "2 instance types"),
    (RANGES, ranges(*["0:"] * 6), "6 ranges of nodes"),
    (f"{ASKED}.1", GONE, "no MEMORY"),
    (f"{ASKED}.1.Value", "2097152", "2097152 MEMORY"),
    (f"{ASKED}.2.Value", "9", "9 GPU"),
    (f"{ASKED}.0.Value", "193", "193 VCPU"),
    (f"{CONTAINER}.LinuxParameters.Devices.31", GONE, "uverbs31"),
    (f"{CONTAINER}.Ulimits.1.Name", "nfile", "no ulimit nfile"),
    (f"{CONTAINER}.Ulimits.0", GONE, "memory is not locked"),
    (f"{CONTAINER}.Environment.0.Name", "AWS_BATCH_X", "is Batch's"),
    (f"{CONTAINER}.InstanceType", "p5e.48xlarge", "no compute environment has"),
    (f"{CONTAINER}.Image", "x" * 256, "image"),
    (f"{CONTAINER}.MountPoints", [{"SourceVolume": "fsx"}], "no volume fsx"),
    (f"{CONTAINER}.Command.2", "x" * 25_000, "more than 24576"),
    (f"{JOB}.PlatformCapabilities", ["FARGATE"], "platformCapabilities"),
    (f"{JOB}.ContainerProperties", {"Image": "busybox"}, "beside nodeProperties"),
    (f"{JOB}.Timeout.AttemptDurationSeconds", 30, "less than 60"),
    (f"{JOB}.RetryStrategy.Attempts", 11, "not 1 to 10"),
    (f"{JOB}.RetryStrategy.EvaluateOnExit", RETRIED, "what no rule matches"),
]


def test_the_template_is_right() -> None:
    assert batch_violations(BATCH) == []
    assert check(BATCH) == []


@pytest.mark.parametrize(("path", "value", "words"), FAULTS)
def test_single_faults_are_caught(path: str, value: Any, words: str) -> None:
    found = batch_violations(changed(BATCH, path, value))
    assert any(words in violation for violation in found), found


def test_user_data_that_is_not_mime_is_caught() -> None:
    """The validator of launch templates finds it."""
    faulty = changed(BATCH, f"{DATA}.UserData", PLAIN)
    assert any("not MIME multipart" in violation for violation in check(faulty))


RESERVED: list[tuple[str, str]] = [
    ("echo ECS_CLUSTER=mine >>/etc/ecs/ecs.config", "what Batch sets"),
    ("systemctl restart docker", "waits for user data"),
]


@pytest.mark.parametrize(("line", "words"), RESERVED)
def test_user_data_against_the_agent_is_caught(line: str, words: str) -> None:
    head = 'Content-Type: multipart/mixed; boundary="B"\nMIME-Version: 1.0\n\n--B\n'
    part = f"Content-Type: text/x-shellscript\n\n#!/bin/bash\n{line}\n\n--B--\n"
    text = base64.b64encode(f"{head}{part}".encode()).decode()
    found = batch_violations(changed(BATCH, f"{DATA}.UserData", text))
    assert any(words in violation for violation in found)


# What the other validators find of a template of Batch.
OF_OTHERS: list[tuple[str, Any]] = [
    (f"{ENVIRONMENT}.Tags", [{"Key": "team", "Value": "a"}]),
    (f"{COMPUTE}.Colour", "red"),
    (f"{COMPUTE}.AllocationStrategy", "BEST_FIT_PROGRESIVE"),
    (f"{COMPUTE}.Type", "EC"),
]


@pytest.mark.parametrize(("path", "value"), OF_OTHERS)
def test_faults_of_form_are_caught(path: str, value: Any) -> None:
    assert check(changed(BATCH, path, value))


def test_templates_without_batch_pass() -> None:
    assert batch_violations(PCS) == []


def test_cfn_lint_accepts_the_template() -> None:
    import json

    found = lint({"good": json.dumps(BATCH)}, ["us-east-1"])
    assert [str(each) for each in found] == []
