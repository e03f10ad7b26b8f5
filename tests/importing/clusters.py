"""Cluster configurations, each with other parts of ParallelCluster's schema."""

_SUBNET = "subnet-0a1b2c3d4e5f6789{}"

SMALL = f"""\
Image: {{Os: alinux2023}}
HeadNode:
  InstanceType: c7i.xlarge
  Networking: {{SubnetId: {_SUBNET.format(0)}}}
  Ssh: {{KeyName: team}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: cpu
      Networking: {{SubnetIds: [{_SUBNET.format(0)}]}}
      ComputeResources:
        - {{Name: c7i, InstanceType: c7i.4xlarge}}
"""

LARGE = f"""\
Region: us-west-2
Image: {{Os: ubuntu2404, CustomAmi: ami-0a1b2c3d4e5f67890}}
Tags: [{{Key: team, Value: speech}}]
Imds: {{ImdsSupport: v1.0}}
DirectoryService:
  DomainName: dc=corp,dc=example,dc=com
  DomainAddr: ldaps://corp.example.com
  PasswordSecretArn: arn:aws:secretsmanager:us-west-2:111122223333:secret:ldap-AbCdEf
  DomainReadOnlyUser: cn=reader,dc=corp,dc=example,dc=com
  AdditionalSssdConfigs: {{ldap_auth_disable_tls_never_use_in_production: true}}
HeadNode:
  InstanceType: m7i.4xlarge
  DisableSimultaneousMultithreading: true
  Networking:
    SubnetId: {_SUBNET.format(1)}
    AdditionalSecurityGroups: [sg-0a1b2c3d4e5f67890]
    ElasticIp: true
  Ssh: {{KeyName: team, AllowedIps: 203.0.113.0/24}}
  Dcv: {{Enabled: true}}
  LocalStorage: {{RootVolume: {{Size: 200, Throughput: 250}}}}
  CustomActions:
    OnNodeConfigured: {{Script: 's3://team-scripts/head.sh', Args: [a, b c]}}
    OnNodeUpdated: {{Script: 's3://team-scripts/update.sh'}}
  Imds: {{Secured: false}}
  Iam:
    AdditionalIamPolicies: [{{Policy: 'arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore'}}]
    S3Access:
      - {{BucketName: team-scripts}}
      - {{BucketName: team-data, KeyName: results/*, EnableWriteAccess: true}}
LoginNodes:
  Pools:
    - {{Name: front, InstanceType: m7i.xlarge, Count: 2, GracetimePeriod: 30,
       Networking: {{SubnetIds: [{_SUBNET.format(1)}]}}, Ssh: {{AllowedIps: 198.51.100.0/24}},
       Iam: {{AdditionalIamPolicies: [
         {{Policy: 'arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess'}}]}}}}
Scheduling:
  Scheduler: slurm
  ScalingStrategy: best-effort
  SlurmSettings:
    ScaledownIdletime: 20
    QueueUpdateStrategy: DRAIN
    EnableMemoryBasedScheduling: true
    CustomSlurmSettings:
      - SlurmctldDebug: debug2
      - {{NodeSet: fast, Nodes: 'gpu-st-p5-[1-2]'}}
    Database:
      Uri: slurm.cluster-abc.us-west-2.rds.amazonaws.com:3306
      UserName: admin
      PasswordSecretArn: arn:aws:secretsmanager:us-west-2:111122223333:secret:db-AbCdEf
  SlurmQueues:
    - Name: gpu
      CapacityReservationTarget: {{CapacityReservationId: cr-0a1b2c3d4e5f67890}}
      Networking:
        SubnetIds: [{_SUBNET.format(2)}]
        PlacementGroup: {{Enabled: true}}
        SecurityGroups: [sg-0a1b2c3d4e5f67891]
      CustomSlurmSettings: {{MaxTime: 1-00:00:00}}
      ComputeSettings:
        LocalStorage: {{RootVolume: {{Size: 200}}, EphemeralVolume: {{MountDir: /nvme}}}}
      CustomActions:
        OnNodeStart:
          Sequence:
            - Script: s3://team-scripts/one.sh
            - {{Script: 's3://team-scripts/two.sh', Args: ['2']}}
      Iam: {{S3Access: [{{BucketName: team-scripts}}]}}
      ComputeResources:
        - {{Name: nodes, InstanceType: p5.48xlarge, MinCount: 2, MaxCount: 2,
           Efa: {{Enabled: true}}, HealthChecks: {{Gpu: {{Enabled: true}}}}}}
    - Name: spot
      CapacityType: SPOT
      AllocationStrategy: capacity-optimized
      JobExclusiveAllocation: true
      Networking: {{SubnetIds: [{_SUBNET.format(2)}]}}
      ComputeResources:
        - {{Name: nodes, MaxCount: 20, DisableSimultaneousMultithreading: true, SpotPrice: 1.5,
           Instances: [{{InstanceType: c7i.4xlarge}}, {{InstanceType: c6i.4xlarge}}],
           StaticNodePriority: 5, DynamicNodePriority: 5}}
SharedStorage:
  - {{Name: projects, MountDir: /projects, StorageType: Efs,
     EfsSettings: {{PerformanceMode: maxIO, Encrypted: true}}}}
  - {{Name: fsx, MountDir: /fsx, StorageType: FsxLustre,
     FsxLustreSettings: {{StorageCapacity: 1200, DeploymentType: PERSISTENT_2,
       PerUnitStorageThroughput: 250, DeletionPolicy: Retain}}}}
  - {{Name: zfs, MountDir: /zfs, StorageType: FsxOpenZfs,
     FsxOpenZfsSettings: {{VolumeId: fsvol-0a1b2c3d4e5f67890}}}}
  - {{Name: raid, MountDir: /raid, StorageType: Ebs,
     EbsSettings: {{Size: 100, Raid: {{Type: 0, NumberOfVolumes: 3}}, Encrypted: false}}}}
Monitoring:
  DetailedMonitoring: true
  Logs:
    CloudWatch: {{RetentionInDays: 14, DeletionPolicy: Delete}}
    Rotation: {{Enabled: false}}
  Dashboards: {{CloudWatch: {{Enabled: false}}}}
DevSettings: {{Timeouts: {{HeadNodeBootstrapTimeout: 3600}}}}
"""

SPELLINGS = f"""\
Region: us-west-2
Image: {{Os: alinux2023}}
HeadNode:
  InstanceType: c7i.xlarge
  Networking: {{SubnetId: {_SUBNET.format(0)}, ElasticIp: false}}
  Dcv: {{Enabled: false}}
  Ssh: {{KeyName: team}}
Scheduling:
  Scheduler: slurm
  SlurmSettings:
    Database:
      Uri: slurm.example.com
      UserName: slurm
      PasswordSecretArn: arn:aws:secretsmanager:us-west-2:111122223333:secret:slurm-AbCdEf
  SlurmQueues:
    - Name: hpc
      Networking: {{SubnetIds: [{_SUBNET.format(0)}]}}
      Tags: [{{Key: team, Value: speech}}, {{Key: part, Value: queue}}]
      ComputeResources:
        - {{Name: hpc6a, Tags: [{{Key: use, Value: tests}}, {{Key: part, Value: nodes}}],
           InstanceType: hpc6a.48xlarge, DisableSimultaneousMultithreading: true}}
SharedStorage:
  - {{Name: data, MountDir: data, StorageType: Ebs,
     EbsSettings: {{VolumeId: vol-0a1b2c3d4e5f67890, VolumeType: gp2}}}}
  - {{Name: scratch, MountDir: /scratch-fsx, StorageType: FsxLustre,
     FsxLustreSettings: {{StorageCapacity: 1200, StorageType: SSD}}}}
"""
"""Values that have no effect, or mean the same as others, but differ in the object model."""

CLUSTERS = {"small": SMALL, "large": LARGE, "spellings": SPELLINGS}
