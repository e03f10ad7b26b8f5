"""ARNs are checked to their ends, and what the services accept is accepted."""

import re

import pytest

from clustergen.spec import patterns
from clustergen.spec.patterns import Pattern
from tests.support import service_models

ACCOUNT = "us-east-1:111122223333"
IAM = "arn:aws:iam::111122223333"
UUID = "0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"

GOOD: list[tuple[Pattern, str]] = [
    (patterns.ROLE, f"{IAM}:role/nodes"),
    (patterns.ROLE, f"{IAM}:role/a/b+c/n_o=d,e.s@x-1"),
    (patterns.ROLE, "arn:aws-us-gov:iam::111122223333:role/nodes"),
    (patterns.PRINCIPAL, f"{IAM}:user/bob@example.com"),
    (
        patterns.PRINCIPAL,
        f"{IAM}:role/aws-reserved/sso.amazonaws.com/us-east-1/AWSReservedSSO_Admin_0a1b2c3d4e5f",
    ),
    (patterns.INSTANCE_PROFILE, f"{IAM}:instance-profile/team/nodes"),
    (patterns.POLICY, "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy"),
    (patterns.KMS_KEY, f"arn:aws:kms:{ACCOUNT}:key/{UUID}"),
    (patterns.KMS_KEY, f"arn:aws:kms:{ACCOUNT}:key/mrk-{'0a' * 16}"),
    (patterns.KMS_KEY, f"arn:aws:kms:{ACCOUNT}:alias/team/data"),
    (patterns.TRAINING_PLAN, f"arn:aws:sagemaker:{ACCOUNT}:training-plan/p5en-december"),
    (patterns.RESERVATION_GROUP, f"arn:aws:resource-groups:{ACCOUNT}:group/team.h100"),
    (patterns.EKS_CLUSTER_ARN, f"arn:aws:eks:{ACCOUNT}:cluster/platform_1"),
    (patterns.SECRET, f"arn:aws:secretsmanager:{ACCOUNT}:secret:rds!db-{UUID}-AbCdEf"),
    (patterns.SECRET, f"arn:aws:secretsmanager:{ACCOUNT}:secret:team/slurm-AbCdEf"),
    (patterns.TOPIC, f"arn:aws:sns:{ACCOUNT}:pages"),
]
# Several at once, words of a shell, and placeholders.
ENDS = ("*", "a b", "x$(touch y)", "x\ny", "<name>")
BAD = [(pattern, re.sub(r"[^:/]+$", end, arn)) for pattern, arn in GOOD for end in ENDS] + [
    (patterns.ROLE, f"{IAM}:role/*/nodes"),
    (patterns.ROLE, f"{IAM}:role/"),
    (patterns.ROLE, "arn:aws:iam:::role/nodes"),
    (patterns.KMS_KEY, f"arn:aws:kms:{ACCOUNT}:key/mine"),
    (patterns.SECRET, f"arn:aws:kms:{ACCOUNT}:key/{UUID}"),
    (patterns.EKS_CLUSTER_ARN, f"arn:aws:ecs:{ACCOUNT}:cluster/platform"),
]


@pytest.mark.parametrize(("pattern", "arn"), GOOD)
def test_accepted(pattern: Pattern, arn: str) -> None:
    assert re.search(pattern.regex, arn)


def test_rejected() -> None:
    assert [arn for pattern, arn in BAD if re.fullmatch(pattern.regex, arn)] == []


# Our pattern, and the service's own of the same thing.
SERVICES = [
    (patterns.ROLE, "sagemaker", "RoleArn"),
    (patterns.INSTANCE_PROFILE, "pcs", "InstanceProfileArn"),
    (patterns.KMS_KEY, "efs", "KmsKeyId"),
    (patterns.TRAINING_PLAN, "sagemaker", "TrainingPlanArn"),
    (patterns.RESERVATION_GROUP, "resource-groups", "GroupArn"),
    (patterns.EKS_CLUSTER_ARN, "sagemaker", "EksClusterArn"),
]


@pytest.mark.parametrize(("pattern", "service", "shape"), SERVICES)
def test_the_service_accepts_the_same(pattern: Pattern, service: str, shape: str) -> None:
    own = service_models.model(service).shape_for(shape).metadata["pattern"]
    for mine, arn in GOOD:
        if mine is pattern:
            assert re.fullmatch(own.strip("^$") if service == "efs" else own, arn), arn


SCRIPTS = {
    "s3://bucket/setup.sh": True,
    "s3://team-bucket/boot/setup env.sh": True,
    "https://example.com/setup.sh": True,
    "https://example.com/set up.sh": False,
    "s3://bucket/a\nb.sh": False,
    "s3://bucket/a.sh ": False,
    "setup.sh": False,
}


def test_scripts() -> None:
    assert {url: bool(re.fullmatch(patterns.SCRIPT.regex, url)) for url in SCRIPTS} == SCRIPTS
