"""Hand-written artifacts that are right: where the validators' own tests start."""

from __future__ import annotations

from typing import Any

GROUP = "${ClusterSecurityGroupId}"

CLUSTER: dict[str, Any] = {
    "Region": "us-east-1",
    "Image": {"Os": "ubuntu2404"},
    "HeadNode": {
        "InstanceType": "m7i.4xlarge",
        "Networking": {
            "SubnetId": "${PublicSubnetId}",
            "AdditionalSecurityGroups": [GROUP],
        },
        "Ssh": {"KeyName": "mine", "AllowedIps": "203.0.113.0/24"},
        "Imds": {"Secured": True},
    },
    "LoginNodes": {
        "Pools": [
            {
                "Name": "login",
                "InstanceType": "m7i.xlarge",
                "Count": 1,
                "Networking": {
                    "SubnetIds": ["${PublicSubnetId}"],
                    "AdditionalSecurityGroups": [GROUP],
                },
            }
        ]
    },
    "Scheduling": {
        "Scheduler": "slurm",
        "SlurmSettings": {"CustomSlurmSettings": [{"SchedulerParameters": "defer"}]},
        "SlurmQueues": [
            {
                "Name": "h200",
                "CapacityType": "CAPACITY_BLOCK",
                "Networking": {
                    "SubnetIds": ["${PrivateSubnetId}"],
                    "AdditionalSecurityGroups": [GROUP],
                },
                "ComputeResources": [
                    {
                        "Name": "p5en",
                        "InstanceType": "p5en.48xlarge",
                        "MinCount": 16,
                        "MaxCount": 16,
                        "Efa": {"Enabled": True},
                        "CapacityReservationTarget": {
                            "CapacityReservationId": "cr-0a1b2c3d4e5f67890"
                        },
                    }
                ],
            },
            {
                "Name": "hpc",
                "CapacityType": "ONDEMAND",
                "Networking": {
                    "SubnetIds": ["${PrivateSubnetId}"],
                    "AdditionalSecurityGroups": [GROUP],
                    "PlacementGroup": {"Enabled": True},
                },
                "ComputeResources": [
                    {
                        "Name": "c8in",
                        "InstanceType": "c8in.96xlarge",
                        "MinCount": 0,
                        "MaxCount": 8,
                        "Efa": {"Enabled": True},
                    }
                ],
            },
        ],
    },
    "SharedStorage": [
        {
            "Name": "fast",
            "StorageType": "FsxLustre",
            "MountDir": "/fsx",
            "FsxLustreSettings": {"FileSystemId": "${StorageFsxId}"},
        },
        {
            "Name": "homes",
            "StorageType": "FsxOpenZfs",
            "MountDir": "/home",
            "FsxOpenZfsSettings": {"VolumeId": "${StorageHomeVolumeId}"},
        },
        {
            "Name": "tools",
            "StorageType": "Efs",
            "MountDir": "/tools",
            "EfsSettings": {"FileSystemId": "${StorageToolsId}"},
        },
    ],
    "Tags": [{"Key": "team", "Value": "foundation-models"}],
}
"""A `cluster.yaml` for ParallelCluster: a Capacity Block, an EFA queue, three file systems."""

MANAGED_LUSTRE = {
    "Name": "fast",
    "StorageType": "FsxLustre",
    "MountDir": "/fsx",
    "FsxLustreSettings": {
        "StorageCapacity": 4800,
        "DeploymentType": "PERSISTENT_2",
        "PerUnitStorageThroughput": 250,
        "DeletionPolicy": "Retain",
    },
}
"""A file system that ParallelCluster itself makes."""

_BOOTSTRAP = """\
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="==CLUSTER=="

--==CLUSTER==
Content-Type: text/cloud-config; charset="us-ascii"

packages: [nfs-common]

--==CLUSTER==
Content-Type: text/x-shellscript; charset="us-ascii"

#!/bin/bash
set -euo pipefail
mkdir -p /fsx

--==CLUSTER==--
"""


_IMAGE = "/aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id"


def _ref(name: str) -> dict[str, str]:
    return {"Ref": name}


def _att(name: str, attribute: str) -> dict[str, list[str]]:
    return {"Fn::GetAtt": [name, attribute]}


PCS: dict[str, Any] = {
    "AWSTemplateFormatVersion": "2010-09-09",
    "Parameters": {
        "PrivateSubnetId": {"Type": "AWS::EC2::Subnet::Id"},
        "ClusterSecurityGroupId": {"Type": "AWS::EC2::SecurityGroup::Id"},
        "NodeInstanceProfileArn": {"Type": "String"},
    },
    "Resources": {
        "Cluster": {
            "Type": "AWS::PCS::Cluster",
            "Properties": {
                "Name": "pretrain",
                "Scheduler": {"Type": "SLURM", "Version": "25.11"},
                "Size": "SMALL",
                "Networking": {
                    "SubnetIds": [_ref("PrivateSubnetId")],
                    "SecurityGroupIds": [_ref("ClusterSecurityGroupId")],
                },
                "SlurmConfiguration": {
                    "Accounting": {"Mode": "STANDARD"},
                    "ScaleDownIdleTimeInSeconds": 600,
                    "SlurmCustomSettings": [
                        {"ParameterName": "SchedulerParameters", "ParameterValue": "defer"}
                    ],
                },
                "Tags": {"team": "foundation-models"},
            },
        },
        "Template": {
            "Type": "AWS::EC2::LaunchTemplate",
            "Properties": {
                "LaunchTemplateData": {
                    "InstanceType": "p5en.48xlarge",
                    "InstanceMarketOptions": {"MarketType": "capacity-block"},
                    "CapacityReservationSpecification": {
                        "CapacityReservationTarget": {
                            "CapacityReservationId": "cr-0a1b2c3d4e5f67890"
                        }
                    },
                    "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 2},
                    "BlockDeviceMappings": [
                        {
                            "DeviceName": "/dev/sda1",
                            "Ebs": {"VolumeSize": 200, "VolumeType": "gp3", "Encrypted": True},
                        }
                    ],
                    "NetworkInterfaces": [
                        {
                            "NetworkCardIndex": card,
                            "DeviceIndex": 0 if card == 0 else 1,
                            "InterfaceType": "efa",
                            "Groups": [_ref("ClusterSecurityGroupId")],
                            "SubnetId": _ref("PrivateSubnetId"),
                        }
                        for card in range(16)
                    ],
                    "UserData": {"Fn::Base64": _BOOTSTRAP},
                    "TagSpecifications": [
                        {
                            "ResourceType": "instance",
                            "Tags": [{"Key": "team", "Value": "foundation-models"}],
                        }
                    ],
                }
            },
        },
        "Nodes": {
            "Type": "AWS::PCS::ComputeNodeGroup",
            "Properties": {
                "Name": "h200",
                "ClusterId": _att("Cluster", "Id"),
                "AmiId": f"{{{{resolve:ssm:{_IMAGE}}}}}",
                "CustomLaunchTemplate": {
                    "TemplateId": _ref("Template"),
                    "Version": _att("Template", "LatestVersionNumber"),
                },
                "IamInstanceProfileArn": _ref("NodeInstanceProfileArn"),
                "InstanceConfigs": [{"InstanceType": "p5en.48xlarge"}],
                "PurchaseOption": "CAPACITY_BLOCK",
                "ScalingConfiguration": {"MinInstanceCount": 16, "MaxInstanceCount": 16},
                "SubnetIds": [_ref("PrivateSubnetId")],
                "SlurmConfiguration": {
                    "SlurmCustomSettings": [{"ParameterName": "Weight", "ParameterValue": "10"}]
                },
                "NodeLifecycleActions": {
                    "Stages": {
                        "NodeBootstrapped": [
                            {
                                "Name": "mount-fsx",
                                "ScriptSource": {
                                    "ScriptLocation": {
                                        "Fn::Sub": "s3://aws-pcs-repo-${AWS::Region}/mount-v1.0.0.sh"
                                    },
                                    "Checksum": "0f" * 32,
                                },
                                "Arguments": ["--mount-point", "/fsx"],
                            }
                        ]
                    }
                },
            },
        },
        "Queue": {
            "Type": "AWS::PCS::Queue",
            "Properties": {
                "Name": "train",
                "ClusterId": _att("Cluster", "Id"),
                "ComputeNodeGroupConfigurations": [{"ComputeNodeGroupId": _att("Nodes", "Id")}],
            },
        },
        "LogGroup": {
            "Type": "AWS::Logs::LogGroup",
            "Properties": {"LogGroupName": "/clusters/pretrain", "RetentionInDays": 30},
        },
        "LogSource": {
            "Type": "AWS::Logs::DeliverySource",
            "Properties": {
                "Name": "pretrain-scheduler",
                "LogType": "PCS_SCHEDULER_LOGS",
                "ResourceArn": _att("Cluster", "Arn"),
            },
        },
        "LogDestination": {
            "Type": "AWS::Logs::DeliveryDestination",
            "Properties": {
                "Name": "pretrain-scheduler",
                "DestinationResourceArn": _att("LogGroup", "Arn"),
            },
        },
        "LogDelivery": {
            "Type": "AWS::Logs::Delivery",
            "DependsOn": "LogSource",
            "Properties": {
                "DeliverySourceName": "pretrain-scheduler",
                "DeliveryDestinationArn": _att("LogDestination", "Arn"),
            },
        },
    },
}
"""A PCS cluster of one Capacity Block node group with EFA on 16 cards."""

FOUNDATION: dict[str, Any] = {
    "AWSTemplateFormatVersion": "2010-09-09",
    "Resources": {
        "Vpc": {
            "Type": "AWS::EC2::VPC",
            "Properties": {
                "CidrBlock": "10.42.0.0/16",
                "EnableDnsSupport": True,
                "EnableDnsHostnames": True,
                "Tags": [{"Key": "Name", "Value": "pretrain"}],
            },
        },
        "PrivateSubnet": {
            "Type": "AWS::EC2::Subnet",
            "Properties": {
                "VpcId": _ref("Vpc"),
                "CidrBlock": "10.42.16.0/20",
                "AvailabilityZoneId": "use1-az6",
                "MapPublicIpOnLaunch": False,
            },
        },
        "RouteTable": {"Type": "AWS::EC2::RouteTable", "Properties": {"VpcId": _ref("Vpc")}},
        "RouteTableOfSubnet": {
            "Type": "AWS::EC2::SubnetRouteTableAssociation",
            "Properties": {"RouteTableId": _ref("RouteTable"), "SubnetId": _ref("PrivateSubnet")},
        },
        "S3Endpoint": {
            "Type": "AWS::EC2::VPCEndpoint",
            "Properties": {
                "ServiceName": {"Fn::Sub": "com.amazonaws.${AWS::Region}.s3"},
                "VpcEndpointType": "Gateway",
                "VpcId": _ref("Vpc"),
                "RouteTableIds": [_ref("RouteTable")],
            },
        },
        "Group": {
            "Type": "AWS::EC2::SecurityGroup",
            "Properties": {
                "GroupDescription": "Nodes and file systems of the cluster",
                "VpcId": _ref("Vpc"),
                "SecurityGroupEgress": [
                    {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0", "Description": "To anywhere"}
                ],
            },
        },
        "AmongMembersIn": {
            "Type": "AWS::EC2::SecurityGroupIngress",
            "Properties": {
                "GroupId": _ref("Group"),
                "IpProtocol": "-1",
                "SourceSecurityGroupId": _ref("Group"),
                "Description": "All traffic among members (EFA)",
            },
        },
        "AmongMembersOut": {
            "Type": "AWS::EC2::SecurityGroupEgress",
            "Properties": {
                "GroupId": _ref("Group"),
                "IpProtocol": "-1",
                "DestinationSecurityGroupId": _ref("Group"),
                "Description": "All traffic among members (EFA)",
            },
        },
        "Lustre": {
            "Type": "AWS::FSx::FileSystem",
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": {
                "FileSystemType": "LUSTRE",
                "FileSystemTypeVersion": "2.15",
                "StorageCapacity": 38400,
                "StorageType": "SSD",
                "SubnetIds": [_ref("PrivateSubnet")],
                "SecurityGroupIds": [_ref("Group")],
                "LustreConfiguration": {
                    "DeploymentType": "PERSISTENT_2",
                    "PerUnitStorageThroughput": 250,
                    "EfaEnabled": True,
                    "DataCompressionType": "LZ4",
                    "MetadataConfiguration": {"Mode": "AUTOMATIC"},
                },
            },
        },
        "Data": {
            "Type": "AWS::FSx::DataRepositoryAssociation",
            "Properties": {
                "FileSystemId": _ref("Lustre"),
                "FileSystemPath": "/data",
                "DataRepositoryPath": "s3://my-bucket/data",
                "S3": {"AutoImportPolicy": {"Events": ["NEW", "CHANGED", "DELETED"]}},
            },
        },
        "Tools": {
            "Type": "AWS::EFS::FileSystem",
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": {"Encrypted": True, "ThroughputMode": "elastic"},
        },
        "ToolsTarget": {
            "Type": "AWS::EFS::MountTarget",
            "Properties": {
                "FileSystemId": _ref("Tools"),
                "SubnetId": _ref("PrivateSubnet"),
                "SecurityGroups": [_ref("Group")],
            },
        },
        "Scripts": {
            "Type": "AWS::S3::Bucket",
            "DeletionPolicy": "Retain",
            "UpdateReplacePolicy": "Retain",
            "Properties": {"BucketName": "pretrain-scripts"},
        },
        "Role": {
            "Type": "AWS::IAM::Role",
            "Properties": {
                "Path": "/aws-pcs/",
                "AssumeRolePolicyDocument": {
                    "Version": "2012-10-17",
                    "Statement": [
                        {
                            "Effect": "Allow",
                            "Principal": {"Service": "ec2.amazonaws.com"},
                            "Action": "sts:AssumeRole",
                        }
                    ],
                },
                "ManagedPolicyArns": [
                    {"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/AWSPCSComputeNodePolicy"}
                ],
                "Policies": [
                    {
                        "PolicyName": "scripts",
                        "PolicyDocument": {
                            "Version": "2012-10-17",
                            "Statement": [
                                {
                                    "Effect": "Allow",
                                    "Action": "s3:GetObject",
                                    "Resource": {"Fn::Sub": "${Scripts.Arn}/*"},
                                }
                            ],
                        },
                    }
                ],
            },
        },
        "Profile": {
            "Type": "AWS::IAM::InstanceProfile",
            "Properties": {"Path": "/aws-pcs/", "Roles": [_ref("Role")]},
        },
    },
    "Outputs": {"LustreDnsName": {"Value": _att("Lustre", "DNSName")}},
}
"""A network with storage and a role, as a cluster needs them."""
