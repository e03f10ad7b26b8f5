"""Hand-written artifacts that are right: where the validators' own tests start."""

from typing import Any

from tests.support.tables import flow

CLUSTER: dict[str, Any] = flow("""
Region: us-east-1
Image: {Os: ubuntu2404}
HeadNode: {InstanceType: m7i.4xlarge, Networking: {SubnetId: '${PublicSubnetId}',
  AdditionalSecurityGroups: ['${ClusterSecurityGroupId}']},
  Ssh: {KeyName: mine, AllowedIps: 203.0.113.0/24}, Imds: {Secured: true}}
LoginNodes:
  Pools: [{Name: login, InstanceType: m7i.xlarge, Count: 1, Networking:
    {SubnetIds: ['${PublicSubnetId}'], AdditionalSecurityGroups: ['${ClusterSecurityGroupId}']}}]
Scheduling:
  Scheduler: slurm
  SlurmSettings: {CustomSlurmSettings: [{SchedulerParameters: defer}]}
  SlurmQueues:
    - Name: h200
      CapacityType: CAPACITY_BLOCK
      Networking:
        {SubnetIds: ['${PrivateSubnetId}'], AdditionalSecurityGroups: ['${ClusterSecurityGroupId}']}
      ComputeResources: [{Name: p5en, InstanceType: p5en.48xlarge, MinCount: 16, MaxCount: 16,
        Efa: {Enabled: true},
        CapacityReservationTarget: {CapacityReservationId: cr-0a1b2c3d4e5f67890}}]
    - Name: hpc
      CapacityType: ONDEMAND
      Networking: {SubnetIds: ['${PrivateSubnetId}'],
        AdditionalSecurityGroups: ['${ClusterSecurityGroupId}'], PlacementGroup: {Enabled: true}}
      ComputeResources:
        [{Name: c8in, InstanceType: c8in.96xlarge, MinCount: 0, MaxCount: 8, Efa: {Enabled: true}}]
SharedStorage:
  - {Name: fast, StorageType: FsxLustre, MountDir: /fsx,
    FsxLustreSettings: {FileSystemId: '${StorageFsxId}'}}
  - {Name: homes, StorageType: FsxOpenZfs, MountDir: /home,
    FsxOpenZfsSettings: {VolumeId: '${StorageHomeVolumeId}'}}
  - {Name: tools, StorageType: Efs, MountDir: /tools,
    EfsSettings: {FileSystemId: '${StorageToolsId}'}}
Tags: [{Key: team, Value: foundation-models}]
""")
"""A `cluster.yaml` for ParallelCluster: a Capacity Block, an EFA queue, three file systems."""

MANAGED_LUSTRE: dict[str, Any] = flow("""
Name: fast
StorageType: FsxLustre
MountDir: /fsx
FsxLustreSettings: {StorageCapacity: 4800, DeploymentType: PERSISTENT_2,
  PerUnitStorageThroughput: 250, DeletionPolicy: Retain}
""")
"""A file system that ParallelCluster itself makes."""

PCS: dict[str, Any] = flow("""
AWSTemplateFormatVersion: '2010-09-09'
Parameters: {PrivateSubnetId: {Type: AWS::EC2::Subnet::Id},
  ClusterSecurityGroupId: {Type: AWS::EC2::SecurityGroup::Id},
  NodeInstanceProfileArn: {Type: String}}
Resources:
  Cluster:
    Type: AWS::PCS::Cluster
    Properties:
      Name: pretrain
      Scheduler: {Type: SLURM, Version: '25.11'}
      Size: SMALL
      Networking:
        {SubnetIds: [{Ref: PrivateSubnetId}], SecurityGroupIds: [{Ref: ClusterSecurityGroupId}]}
      SlurmConfiguration: {Accounting: {Mode: STANDARD}, ScaleDownIdleTimeInSeconds: 600,
        SlurmCustomSettings: [{ParameterName: SchedulerParameters, ParameterValue: defer}]}
      Tags: {team: foundation-models}
  Template:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        InstanceType: p5en.48xlarge
        InstanceMarketOptions: {MarketType: capacity-block}
        CapacityReservationSpecification:
          {CapacityReservationTarget: {CapacityReservationId: cr-0a1b2c3d4e5f67890}}
        MetadataOptions: {HttpTokens: required, HttpPutResponseHopLimit: 2}
        BlockDeviceMappings:
          [{DeviceName: /dev/sda1, Ebs: {VolumeSize: 200, VolumeType: gp3, Encrypted: true}}]
        UserData:
          Fn::Base64: |
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
        TagSpecifications: [{ResourceType: instance, Tags: [{Key: team, Value: foundation-models}]}]
  Nodes:
    Type: AWS::PCS::ComputeNodeGroup
    Properties:
      Name: h200
      ClusterId: {Fn::GetAtt: [Cluster, Id]}
      AmiId: '{{resolve:ssm:/aws/service/pcs/ami/dlami-base-ubuntu2404/x86_64/latest/ami-id}}'
      CustomLaunchTemplate:
        {TemplateId: {Ref: Template}, Version: {Fn::GetAtt: [Template, LatestVersionNumber]}}
      IamInstanceProfileArn: {Ref: NodeInstanceProfileArn}
      InstanceConfigs: [{InstanceType: p5en.48xlarge}]
      PurchaseOption: CAPACITY_BLOCK
      ScalingConfiguration: {MinInstanceCount: 16, MaxInstanceCount: 16}
      SubnetIds: [{Ref: PrivateSubnetId}]
      SlurmConfiguration: {SlurmCustomSettings: [{ParameterName: Weight, ParameterValue: '10'}]}
      NodeLifecycleActions:
        Stages:
          NodeBootstrapped:
            - Name: mount-fsx
              ScriptSource:
                ScriptLocation: {Fn::Sub: 's3://aws-pcs-repo-${AWS::Region}/mount-v1.0.0.sh'}
                Checksum: 0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f
              Arguments: ['--mount-point', /fsx]
  Queue:
    Type: AWS::PCS::Queue
    Properties:
      Name: train
      ClusterId: {Fn::GetAtt: [Cluster, Id]}
      ComputeNodeGroupConfigurations: [{ComputeNodeGroupId: {Fn::GetAtt: [Nodes, Id]}}]
  LogGroup:
    {Type: AWS::Logs::LogGroup, Properties: {LogGroupName: /clusters/pretrain, RetentionInDays: 30}}
  LogSource: {Type: AWS::Logs::DeliverySource, Properties: {Name: pretrain-scheduler,
    LogType: PCS_SCHEDULER_LOGS, ResourceArn: {Fn::GetAtt: [Cluster, Arn]}}}
  LogDestination: {Type: AWS::Logs::DeliveryDestination,
    Properties: {Name: pretrain-scheduler, DestinationResourceArn: {Fn::GetAtt: [LogGroup, Arn]}}}
  LogDelivery: {Type: AWS::Logs::Delivery, DependsOn: LogSource,
    Properties: {DeliverySourceName: pretrain-scheduler,
      DeliveryDestinationArn: {Fn::GetAtt: [LogDestination, Arn]}}}
""")
PCS["Resources"]["Template"]["Properties"]["LaunchTemplateData"]["NetworkInterfaces"] = [
    {
        "NetworkCardIndex": card,
        "DeviceIndex": 0 if card == 0 else 1,
        "InterfaceType": "efa",
        "Groups": [{"Ref": "ClusterSecurityGroupId"}],
        "SubnetId": {"Ref": "PrivateSubnetId"},
    }
    for card in range(16)
]
"""A PCS cluster of one Capacity Block node group with EFA on 16 cards."""

FOUNDATION: dict[str, Any] = flow("""
AWSTemplateFormatVersion: '2010-09-09'
Resources:
  Vpc: {Type: AWS::EC2::VPC, Properties: {CidrBlock: 10.42.0.0/16, EnableDnsSupport: true,
    EnableDnsHostnames: true, Tags: [{Key: Name, Value: pretrain}]}}
  PrivateSubnet: {Type: AWS::EC2::Subnet, Properties: {VpcId: {Ref: Vpc}, CidrBlock: 10.42.16.0/20,
    AvailabilityZoneId: use1-az6, MapPublicIpOnLaunch: false}}
  RouteTable: {Type: AWS::EC2::RouteTable, Properties: {VpcId: {Ref: Vpc}}}
  RouteTableOfSubnet: {Type: AWS::EC2::SubnetRouteTableAssociation,
    Properties: {RouteTableId: {Ref: RouteTable}, SubnetId: {Ref: PrivateSubnet}}}
  S3Endpoint: {Type: AWS::EC2::VPCEndpoint, Properties: {VpcEndpointType: Gateway,
    ServiceName: {Fn::Sub: 'com.amazonaws.${AWS::Region}.s3'}, VpcId: {Ref: Vpc},
    RouteTableIds: [{Ref: RouteTable}]}}
  Group: {Type: AWS::EC2::SecurityGroup, Properties: {VpcId: {Ref: Vpc},
    GroupDescription: Nodes and file systems of the cluster,
    SecurityGroupEgress: [{IpProtocol: '-1', CidrIp: 0.0.0.0/0, Description: To anywhere}]}}
  AmongMembersIn: {Type: AWS::EC2::SecurityGroupIngress, Properties: {GroupId: {Ref: Group},
    IpProtocol: '-1', SourceSecurityGroupId: {Ref: Group},
    Description: All traffic among members (EFA)}}
  AmongMembersOut: {Type: AWS::EC2::SecurityGroupEgress, Properties: {GroupId: {Ref: Group},
    IpProtocol: '-1', DestinationSecurityGroupId: {Ref: Group},
    Description: All traffic among members (EFA)}}
  Lustre:
    Type: AWS::FSx::FileSystem
    DeletionPolicy: Retain
    UpdateReplacePolicy: Retain
    Properties:
      FileSystemType: LUSTRE
      FileSystemTypeVersion: '2.15'
      StorageCapacity: 38400
      StorageType: SSD
      SubnetIds: [{Ref: PrivateSubnet}]
      SecurityGroupIds: [{Ref: Group}]
      LustreConfiguration: {DeploymentType: PERSISTENT_2, PerUnitStorageThroughput: 250,
        EfaEnabled: true, DataCompressionType: LZ4, MetadataConfiguration: {Mode: AUTOMATIC}}
  Data:
    Type: AWS::FSx::DataRepositoryAssociation
    Properties: {FileSystemId: {Ref: Lustre}, FileSystemPath: /data,
      DataRepositoryPath: s3://my-bucket/data,
      S3: {AutoImportPolicy: {Events: [NEW, CHANGED, DELETED]}}}
  Tools: {Type: AWS::EFS::FileSystem, DeletionPolicy: Retain, UpdateReplacePolicy: Retain,
    Properties: {Encrypted: true, ThroughputMode: elastic}}
  ToolsTarget: {Type: AWS::EFS::MountTarget, Properties: {FileSystemId: {Ref: Tools},
    SubnetId: {Ref: PrivateSubnet}, SecurityGroups: [{Ref: Group}]}}
  Scripts: {Type: AWS::S3::Bucket, DeletionPolicy: Retain, UpdateReplacePolicy: Retain,
    Properties: {BucketName: pretrain-scripts}}
  Role:
    Type: AWS::IAM::Role
    Properties:
      Path: /aws-pcs/
      AssumeRolePolicyDocument: {Version: '2012-10-17', Statement: [{Effect: Allow,
        Principal: {Service: ec2.amazonaws.com}, Action: sts:AssumeRole}]}
      ManagedPolicyArns:
        [{Fn::Sub: 'arn:${AWS::Partition}:iam::aws:policy/AWSPCSComputeNodePolicy'}]
      Policies:
        - PolicyName: scripts
          PolicyDocument: {Version: '2012-10-17', Statement: [{Effect: Allow, Action: s3:GetObject,
            Resource: {Fn::Sub: '${Scripts.Arn}/*'}}]}
  Profile: {Type: AWS::IAM::InstanceProfile, Properties: {Path: /aws-pcs/, Roles: [{Ref: Role}]}}
Outputs: {LustreDnsName: {Value: {Fn::GetAtt: [Lustre, DNSName]}}}
""")
"""A network with storage and a role, as a cluster needs them."""
