"""The service-model validator, and the quirks of the models that it has to read."""

from typing import Any

import pytest

from tests.support import service_models
from tests.support.tables import flow
from tests.validators.service_model import compiled, validate

# Service, operation, what is sent, and the beginnings of what is wrong with it.
REQUESTS: list[tuple[str, str, dict[str, Any], list[str]]] = flow("""
- [pcs, CreateComputeNodeGroup, {<<: &group {clusterIdentifier: pretrain,
    computeNodeGroupName: h200, subnetIds: [subnet-0a1b2c3d],
    instanceConfigs: [{instanceType: p5.48xlarge}],
    iamInstanceProfileArn: 'arn:aws:iam::123456789012:instance-profile/AWSPCS-nodes'},
    scalingConfiguration: &few {minInstanceCount: 0, maxInstanceCount: 4}}, []]
- [eks, CreateCluster, {name: c, roleArn: 'arn:aws:iam::123456789012:role/c',
    resourcesVpcConfig: {subnetIds: []}}, []]
- [pcs, DeleteQueue, {clusterIdentifier: abc}, ['(request): required member queueIdent']]
- [pcs, CreateComputeNodeGroup, {<<: *group, scalingConfiguration: *few, colour: red},
    ['(request): unknown member c']]
- [pcs, CreateComputeNodeGroup,
    {<<: *group, scalingConfiguration: {minInstanceCount: '0', maxInstanceCount: true}},
    ['scalingConfiguration.minInstanceCount: integer', scalingConfiguration.maxInstanceCount]]
- [sagemaker, CreateCluster, {ClusterName: c_}, ["ClusterName: 'c_' does not match"]]
- [sagemaker, CreateCluster, {ClusterName: c, InstanceGroups: [{InstanceGroupName: g,
    InstanceType: ml.p5.48xlarge, InstanceCount: 1,
    LifeCycleConfig: {SourceS3Uri: 's3://b/p', OnCreate: on_create.sh},
    ExecutionRole: 'arn:aws:iam::123456789012:role/r',
    InstanceStorageConfigs: [{EbsVolumeConfig: {}, FsxOpenZfsConfig: {
      DnsName: fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com}}]}]},
    ['InstanceGroups[0].InstanceStorageConfigs[0]: exactly one of']]
- [efs, CreateFileSystem, {CreationToken: ''},
    ['CreationToken: 0 characters', "CreationToken: '' does not"]]
- [ec2, CreateVpc, {CidrBlock: 10, InstanceTenancy: shared},
    ['CidrBlock: string expected', "InstanceTenancy: 'shared' is not one of"]]
""")


@pytest.mark.parametrize(("service", "operation", "params", "expected"), REQUESTS)
def test_requests(
    service: str, operation: str, params: dict[str, Any], expected: list[str]
) -> None:
    violations = validate(service, operation, params)
    assert len(violations) == len(expected), violations
    for violation, words in zip(violations, expected, strict=True):
        assert violation.startswith(words)


PATTERNS = [
    (r"[\w-_]*", "a-b_c", True),
    (r"^arn:aws:iam::\d{2}:role\/[\w-\/.@+=,]{1,1017}$", "arn:aws:iam::12:role/a-b/c", True),
    (r"([\p{L}\p{Z}\p{N}_.:\/=+\-@]*)${1,128}", "Größe 1", True),
    (r"^(?i)(true|false)$", "TRUE", True),
    (r"[\u0020-\uD7FF\uE000-\uFFFD\uD800\uDC00-\uDBFF\uDFFF\t]*", "a\U0001f600", True),
    (r"[a-z]+", "abc1", False),
    (r"(?!pcs_)^[A-Za-z][A-Za-z0-9-]+", "pcs_x", False),
]  # fmt: skip


@pytest.mark.parametrize(("pattern", "value", "matches"), PATTERNS)
def test_patterns_match_as_a_whole(pattern: str, value: str, matches: bool) -> None:
    assert bool(compiled(pattern).fullmatch(value)) == matches


@pytest.mark.parametrize(
    "service", ["ec2", "efs", "eks", "fsx", "iam", "logs", "pcs", "s3", "sagemaker", "ssm"]
)
def test_every_pattern_of_the_models_compiles(service: str) -> None:
    model = service_models.model(service)
    patterns = {model.shape_for(name).metadata.get("pattern") for name in model.shape_names}
    assert all(compiled(pattern) for pattern in patterns if pattern)
