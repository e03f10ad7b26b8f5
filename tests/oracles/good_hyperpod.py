"""A HyperPod bundle written by hand that is right: what the validator's tests start from."""

from __future__ import annotations

import json
from typing import Any

from clustergen.words import words

ROLE = "${HyperPodExecutionRoleArn}"
SCRIPTS = {
    "SourceS3Uri": "s3://${ScriptsBucketName}/lifecycle/0a1b2c3d4e5f",
    "OnInitComplete": "on_init_complete.sh",
}
LUSTRE = {
    "DnsName": "fs-0a1b2c3d4e5f60718.fsx.us-east-1.amazonaws.com",
    "MountName": "abcdefgh",
    "MountPath": "/fsx",
}
VPC = {"SecurityGroupIds": ["sg-0a1b2c3d4e5f60718"], "Subnets": ["subnet-0a1b2c3d4e5f60718"]}

SLURM: dict[str, Any] = {
    "ClusterName": "train",
    "InstanceGroups": [
        {
            "InstanceGroupName": "controller",
            "InstanceType": "ml.m5.2xlarge",
            "InstanceCount": 1,
            "LifeCycleConfig": SCRIPTS,
            "ExecutionRole": ROLE,
            "SlurmConfig": {"NodeType": "Controller"},
        },
        {
            "InstanceGroupName": "gpu",
            "InstanceType": "ml.p5.48xlarge",
            "InstanceCount": 4,
            "LifeCycleConfig": SCRIPTS,
            "ExecutionRole": ROLE,
            "ThreadsPerCore": 1,
            "InstanceStorageConfigs": [
                {"EbsVolumeConfig": {"VolumeSizeInGB": 500}},
                {"FsxLustreConfig": LUSTRE},
            ],
            "OnStartDeepHealthChecks": ["InstanceStress"],
            "SlurmConfig": {"NodeType": "Compute", "PartitionNames": ["gpu"]},
        },
    ],
    "VpcConfig": VPC,
    "Tags": [{"Key": "team", "Value": "a"}],
    "Orchestrator": {"Slurm": {"SlurmConfigStrategy": "Managed"}},
    "NodeRecovery": "Automatic",
}

EKS: dict[str, Any] = {
    "ClusterName": "train",
    "InstanceGroups": [
        {
            "InstanceGroupName": "gpu",
            "InstanceType": "ml.p5.48xlarge",
            "InstanceCount": 4,
            "LifeCycleConfig": {
                "SourceS3Uri": SCRIPTS["SourceS3Uri"],
                "OnCreate": "on_create.sh",
            },
            "ExecutionRole": ROLE,
            "InstanceStorageConfigs": [{"EbsVolumeConfig": {"VolumeSizeInGB": 500}}],
            "KubernetesConfig": {"Labels": {"workload": "training"}},
        }
    ],
    "VpcConfig": VPC,
    "Orchestrator": {"Eks": {"ClusterArn": "arn:aws:eks:us-east-1:123456789012:cluster/training"}},
    "NodeRecovery": "Automatic",
    "NodeProvisioningMode": "Continuous",
}


def _allow(actions: list[str], *resources: str) -> dict[str, Any]:
    scoped = [
        resource if resource == "*" else {"Fn::Sub": f"arn:${{AWS::Partition}}:{resource}"}
        for resource in resources
    ]
    return {"Effect": "Allow", "Action": actions, "Resource": scoped}


_OWN = "ec2:${AWS::Region}:${AWS::AccountId}"
_DESCRIBED = words("""
    NetworkInterfaces Vpcs DhcpOptions Subnets SecurityGroups
    Instances InstanceTypes Tags
""")
_STATEMENTS = [
    _allow(
        [
            "ec2:CreateNetworkInterface",
            "ec2:CreateNetworkInterfacePermission",
            "ec2:DeleteNetworkInterface*",
            "ec2:DetachNetworkInterface",
            "ec2:AttachNetworkInterface",
            "ec2:ModifyNetworkInterfaceAttribute",
            "ec2:AssignPrivateIpAddresses",
            "ec2:UnassignPrivateIpAddresses",
        ],
        f"{_OWN}:network-interface/*",
        f"{_OWN}:subnet/*",
        f"{_OWN}:security-group/*",
    ),
    _allow(["ec2:CreateTags"], f"{_OWN}:network-interface/*"),
    _allow([f"ec2:Describe{what}" for what in _DESCRIBED], "*"),
    _allow(["ecr:GetAuthorizationToken"], "*"),
    _allow(
        ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
        "ecr:${AWS::Region}:*:repository/*",
    ),
    _allow(["eks-auth:AssumeRoleForPodIdentity"], "eks:${AWS::Region}:${AWS::AccountId}:cluster/*"),
    _allow(["cloudwatch:DescribeAlarms"], "cloudwatch:${AWS::Region}:${AWS::AccountId}:alarm:*"),
]
FOUNDATION: dict[str, Any] = {
    "Resources": {
        "Scripts": {
            "Type": "AWS::S3::Bucket",
            "Properties": {"BucketName": {"Fn::Sub": "sagemaker-train-${AWS::AccountId}"}},
        },
        "HyperPodExecutionRole": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "AssumeRolePolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "sagemaker.amazonaws.com"},
                            "Action": "sts:AssumeRole",
                        }
                    ],
                },
                "ManagedPolicyArns": [
                    {
                        "Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/"
                        "AmazonSageMakerClusterInstanceRolePolicy"
                    }
                ],
                "Policies": [
                    {
                        "PolicyName": "nodes",
                        "PolicyDocument": {"Version": "2012-10-17", "Statement": _STATEMENTS},
                    }
                ],
            },
        },
    },
    "Outputs": {
        "ScriptsBucketName": {"Value": {"Ref": "Scripts"}},
        "HyperPodExecutionRoleArn": {"Value": {"Fn::GetAtt": ["HyperPodExecutionRole", "Arn"]}},
    },
}


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
