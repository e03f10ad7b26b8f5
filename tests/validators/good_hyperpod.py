"""A HyperPod bundle written by hand that is right: what the validator's tests start from."""

import json
from typing import Any

from clustergen.base.text_lists import words
from tests.support.tables import flow

SCRIPTS = {
    "SourceS3Uri": "s3://${ScriptsBucketName}/lifecycle/0a1b2c3d4e5f",
    "OnInitComplete": "on_init_complete.sh",
}
SLURM: dict[str, Any] = flow("""
ClusterName: train
InstanceGroups:
  - InstanceGroupName: controller
    InstanceType: ml.m5.2xlarge
    InstanceCount: 1
    LifeCycleConfig: &scripts {SourceS3Uri: 's3://${ScriptsBucketName}/lifecycle/0a1b2c3d4e5f',
      OnInitComplete: on_init_complete.sh}
    ExecutionRole: '${HyperPodExecutionRoleArn}'
    SlurmConfig: {NodeType: Controller}
  - InstanceGroupName: gpu
    InstanceType: ml.p5.48xlarge
    InstanceCount: 4
    LifeCycleConfig: *scripts
    ExecutionRole: '${HyperPodExecutionRoleArn}'
    ThreadsPerCore: 1
    InstanceStorageConfigs:
      - EbsVolumeConfig: {VolumeSizeInGB: 500}
      - FsxLustreConfig: {DnsName: fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com,
          MountName: abcdefgh, MountPath: /fsx}
    OnStartDeepHealthChecks: [InstanceStress]
    SlurmConfig: {NodeType: Compute, PartitionNames: [gpu]}
VpcConfig: {SecurityGroupIds: [sg-0a1b2c3d4e5f60718], Subnets: [subnet-0a1b2c3d4e5f60718]}
Tags: [{Key: team, Value: a}]
Orchestrator: {Slurm: {SlurmConfigStrategy: Managed}}
NodeRecovery: Automatic
""")
LUSTRE = SLURM["InstanceGroups"][1]["InstanceStorageConfigs"][1]["FsxLustreConfig"]

EKS: dict[str, Any] = flow("""
ClusterName: train
InstanceGroups:
  - InstanceGroupName: gpu
    InstanceType: ml.p5.48xlarge
    InstanceCount: 4
    LifeCycleConfig: {SourceS3Uri: 's3://${ScriptsBucketName}/lifecycle/0a1b2c3d4e5f',
      OnCreate: on_create.sh}
    ExecutionRole: '${HyperPodExecutionRoleArn}'
    InstanceStorageConfigs: [{EbsVolumeConfig: {VolumeSizeInGB: 500}}]
    KubernetesConfig: {Labels: {workload: training}}
VpcConfig: {SecurityGroupIds: [sg-0a1b2c3d4e5f60718], Subnets: [subnet-0a1b2c3d4e5f60718]}
Orchestrator: {Eks: {ClusterArn: arn:aws:eks:us-east-1:123456789012:cluster/training}}
NodeRecovery: Automatic
NodeProvisioningMode: Continuous
""")


_OWN = "${AWS::Region}:${AWS::AccountId}"
# By what they are allowed on: actions.
_STATEMENTS = {
    f"ec2:{_OWN}:network-interface/* ec2:{_OWN}:subnet/* ec2:{_OWN}:security-group/*": """
        ec2:CreateNetworkInterface ec2:CreateNetworkInterfacePermission
        ec2:DeleteNetworkInterface* ec2:DetachNetworkInterface ec2:AttachNetworkInterface
        ec2:ModifyNetworkInterfaceAttribute ec2:AssignPrivateIpAddresses
        ec2:UnassignPrivateIpAddresses
    """,
    f"ec2:{_OWN}:network-interface/*": "ec2:CreateTags",
    "*": """
        ec2:DescribeNetworkInterfaces ec2:DescribeVpcs ec2:DescribeDhcpOptions
        ec2:DescribeSubnets ec2:DescribeSecurityGroups ec2:DescribeInstances
        ec2:DescribeInstanceTypes ec2:DescribeTags ecr:GetAuthorizationToken
    """,
    "ecr:${AWS::Region}:*:repository/*": """
        ecr:BatchCheckLayerAvailability ecr:BatchGetImage ecr:GetDownloadUrlForLayer
    """,
    f"eks:{_OWN}:cluster/*": "eks-auth:AssumeRoleForPodIdentity",
    f"cloudwatch:{_OWN}:alarm:*": "cloudwatch:DescribeAlarms",
    "s3:::${Scripts}/*": "s3:GetObject",
    "s3:::${Scripts}": "s3:ListBucket",
}


def _allow(resources: str, actions: str) -> dict[str, Any]:
    scoped = [
        resource if resource == "*" else {"Fn::Sub": f"arn:${{AWS::Partition}}:{resource}"}
        for resource in words(resources)
    ]
    return {"Effect": "Allow", "Action": [*words(actions)], "Resource": scoped}


FOUNDATION: dict[str, Any] = flow("""
Resources:
  Scripts: {Type: 'AWS::S3::Bucket', Properties: {}}
  HyperPodExecutionRole:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: {Version: '2012-10-17', Statement: [{Effect: Allow,
        Principal: {Service: sagemaker.amazonaws.com}, Action: 'sts:AssumeRole'}]}
      ManagedPolicyArns: [{'Fn::Sub':
        'arn:${AWS::Partition}:iam::aws:policy/AmazonSageMakerClusterInstanceRolePolicy'}]
      Policies: [{PolicyName: nodes, PolicyDocument: {Version: '2012-10-17', Statement: []}}]
Outputs:
  ScriptsBucketName: {Value: {Ref: Scripts}}
  HyperPodExecutionRoleArn: {Value: {'Fn::GetAtt': [HyperPodExecutionRole, Arn]}}
""")
_ROLE = FOUNDATION["Resources"]["HyperPodExecutionRole"]["Properties"]
_POLICY = _ROLE["Policies"][0]["PolicyDocument"]
_POLICY["Statement"] = [_allow(*statement) for statement in _STATEMENTS.items()]


def template(request: dict[str, Any]) -> dict[str, Any]:
    """The request as a CloudFormation template, its placeholders as parameters."""
    text = json.dumps(request)
    text = text.replace('"${HyperPodExecutionRoleArn}"', '{"Ref": "HyperPodExecutionRoleArn"}')
    text = text.replace(
        json.dumps(SCRIPTS["SourceS3Uri"]), json.dumps({"Fn::Sub": SCRIPTS["SourceS3Uri"]})
    )
    names = ("HyperPodExecutionRoleArn", "ScriptsBucketName")
    return {
        "Parameters": {name: {"Type": "String"} for name in names},
        "Resources": {
            "Cluster": {"Type": "AWS::SageMaker::Cluster", "Properties": json.loads(text)}
        },
    }


def update(request: dict[str, Any]) -> dict[str, Any]:
    """The request that makes a cluster the same."""
    return {key: value for key, value in request.items() if key not in ("VpcConfig", "Tags")}


def bundle(request: dict[str, Any]) -> dict[str, str]:
    """The files of a bundle around a request."""
    return {
        "create-cluster.json": json.dumps(request),
        "update-cluster.json": json.dumps(update(request)),
        "cluster.template.json": json.dumps(template(request)),
        "foundation.template.json": json.dumps(FOUNDATION),
        "lifecycle/on_init_complete.sh": "#!/bin/bash\nset -euo pipefail\n",
        "lifecycle/on_create.sh": "#!/bin/bash\nset -euo pipefail\n",
    }
