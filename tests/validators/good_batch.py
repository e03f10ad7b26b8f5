"""A template of AWS Batch that is right: two p5.48xlarge with EFA, and a multi-node job on them.

Written from the documentation of Batch, not from what the compiler writes.
"""

from typing import Any

from tests.support.tables import flow

CARDS = 32


CONTAINER: dict[str, Any] = flow("""
Image: public.ecr.aws/hpc-cloud/nccl-tests:latest
InstanceType: p5.48xlarge
Command: [/bin/bash, '-c', 'true']
Environment: [{Name: GPUS, Value: '8'}]
ResourceRequirements:
  [{Type: VCPU, Value: '192'}, {Type: MEMORY, Value: '1966080'}, {Type: GPU, Value: '8'}]
Ulimits: [{Name: memlock, SoftLimit: -1, HardLimit: -1},
  {Name: nofile, SoftLimit: 1048576, HardLimit: 1048576}]
LinuxParameters: {SharedMemorySize: 65536}
""")
CONTAINER["LinuxParameters"]["Devices"] = [
    {"HostPath": f"/dev/infiniband/uverbs{n}"} for n in range(CARDS)
]

BATCH: dict[str, Any] = flow("""
AWSTemplateFormatVersion: '2010-09-09'
Parameters:
  {NodesGroupId: {Type: AWS::EC2::SecurityGroup::Id}, NodesSubnetId: {Type: AWS::EC2::Subnet::Id}}
Resources:
  Placement: {Type: AWS::EC2::PlacementGroup, Properties: {Strategy: cluster}}
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument: {Version: '2012-10-17', Statement: [{Effect: Allow,
        Principal: {Service: ec2.amazonaws.com}, Action: sts:AssumeRole}]}
  Profile: {Type: AWS::IAM::InstanceProfile, Properties: {Roles: [{Ref: Role}]}}
  Template: {Type: AWS::EC2::LaunchTemplate, Properties: {LaunchTemplateData: {}}}
  Environment:
    Type: AWS::Batch::ComputeEnvironment
    Properties:
      Type: MANAGED
      State: ENABLED
      ReplaceComputeEnvironment: false
      UpdatePolicy: {TerminateJobsOnUpdate: false, JobExecutionTimeoutMinutes: 30}
      ComputeResources:
        Type: EC2
        AllocationStrategy: BEST_FIT_PROGRESSIVE
        MinvCpus: 0
        MaxvCpus: 384
        InstanceTypes: [p5.48xlarge]
        Subnets: [{Ref: NodesSubnetId}]
        InstanceRole: {Fn::GetAtt: [Profile, Arn]}
        PlacementGroup: {Ref: Placement}
        Ec2Configuration: [{ImageType: ECS_AL2023_NVIDIA}]
        LaunchTemplate: {LaunchTemplateId: {Ref: Template},
          Version: {Fn::GetAtt: [Template, LatestVersionNumber]}}
  Policy:
    Type: AWS::Batch::SchedulingPolicy
    Properties: {FairsharePolicy: {ShareDistribution: [{ShareIdentifier: vision, WeightFactor: 0.5},
      {ShareIdentifier: robots, WeightFactor: 1}]}}
  Queue:
    Type: AWS::Batch::JobQueue
    Properties:
      Priority: 1
      State: ENABLED
      ComputeEnvironmentOrder: [{Order: 1, ComputeEnvironment: {Ref: Environment}}]
      SchedulingPolicyArn: {Fn::GetAtt: [Policy, Arn]}
      JobStateTimeLimitActions: [{Reason: CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY, State: RUNNABLE,
        MaxTimeSeconds: 14400, Action: CANCEL}]
  Job: {Type: AWS::Batch::JobDefinition, Properties: {Type: multinode, PlatformCapabilities: [EC2],
    RetryStrategy: {Attempts: 1}, Timeout: {AttemptDurationSeconds: 3600},
    NodeProperties: {NumNodes: 2, MainNode: 0}}}
""")
BATCH["Resources"]["Template"]["Properties"]["LaunchTemplateData"]["NetworkInterfaces"] = [
    {
        "NetworkCardIndex": card,
        "DeviceIndex": 0,
        "InterfaceType": "efa",
        "Groups": [{"Ref": "NodesGroupId"}],
        "DeleteOnTermination": True,
    }
    for card in range(CARDS)
]
BATCH["Resources"]["Job"]["Properties"]["NodeProperties"]["NodeRangeProperties"] = [
    {"TargetNodes": "0:", "Container": CONTAINER}
]
