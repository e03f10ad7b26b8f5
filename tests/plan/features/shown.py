"""What shows each feature, in the files of every target that supports it in full, and no other."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.plan.features import evidence
from tests.plan.features.evidence import ANY, NAMES, Cells, Evidence, Several
from tests.support.tables import flow

_KINDS: Mapping[str, Callable[..., Evidence | Several]] = {
    "file": Evidence,
    "foundation": evidence.foundation,
    "action": evidence.action,
    "setting": evidence.setting,
    "volume": evidence.volume,
    "kueue": evidence.kueue,
    "node_script": evidence.node_script,
}
# By feature and targets: a pattern in the target's document, evidence of another kind with what it
# takes, or a list of pieces that all have to show. The feature removes from the document what is
# `gone`; `$ANY` is any text, and other names with a dollar sign are the caller's.
_SHOWN = r"""
capacity.on-demand: {pc: 'CapacityType: ONDEMAND', pcs: '"PurchaseOption": "ONDEMAND"',
  hp: {gone: TrainingPlanArn}, hpe: {gone: '"Spot"'}, eks: {gone: '"CapacityType": "SPOT"'},
  batch: '"Type": "EC2"'}
capacity.spot: {pc: 'CapacityType: SPOT', pcs: '"PurchaseOption": "SPOT"',
  hpe: '"CapacityRequirements": \{\s*"Spot"', eks: '"CapacityType": "SPOT"'}
capacity.reservation: {pcs eks batch: '"CapacityReservationId": "$HELD"',
  pc: 'CapacityReservationId: $HELD'}
capacity.reservation-group: {pcs eks batch: '"CapacityReservationResourceGroupArn": "$RESERVED"',
  pc: 'CapacityReservationResourceGroupArn: "$RESERVED"'}
capacity.block: {pc: 'CapacityType: CAPACITY_BLOCK$ANYCapacityReservationId: $HELD',
  pcs: '"MarketType": "capacity-block"$ANY"CapacityReservationId": "$HELD"$ANY"PurchaseOption":
    "CAPACITY_BLOCK"',
  eks: '"CapacityReservationId": "$HELD"$ANY"MarketType": "capacity-block"$ANY"CapacityType":
    "CAPACITY_BLOCK"',
  batch: '"MarketType": "capacity-block"$ANY"CapacityReservationId": "$HELD"'}
capacity.interruptible: {pcs: '"PurchaseOption": "INTERRUPTIBLE_CAPACITY_RESERVATION"'}
capacity.training-plan: {hp hpe: '"TrainingPlanArn": "arn:.*:training-plan/plan"'}
capacity.dates: {pc pcs: {file: [timetable\.tsv, 'nodes .*1797504600']},
  hp: {file: [timetable\.tsv, 'nodes .*1797502800']},
  eks: [{file: [schedule\.template\.json, at\(2026-12-17T10:50:00\)]},
    {kueue: '"stop": 1797504600'}]}
instances.ultraserver: {hp hpe: '"InstanceType": "ml.p6e-gb200.36xlarge"',
  pc: {file: [scripts/imex\.sh, nvidia-imex]}, pcs: /opt/clustergen/imex/prolog.sh,
  eks: p6e-gb200.36xlarge}
instances.trainium: {hp hpe: '"InstanceType": "ml.trn1.32xlarge"',
  pc: 'InstanceType: trn1.32xlarge', pcs: '"InstanceType": "trn1.32xlarge"',
  eks: '"AL2023_x86_64_NEURON"$ANY"trn1\.32xlarge"',
  batch: '"trn1.32xlarge"$ANY"ImageIdOverride"'}
instances.inferentia: {pc: 'InstanceType: inf2.8xlarge', pcs: '"InstanceType": "inf2.8xlarge"',
  eks: '"AL2023_x86_64_NEURON"$ANY"inf2\.8xlarge"',
  batch: '"inf2.8xlarge"$ANY"ImageIdOverride"'}
instances.hpc: {eks batch: '"hpc7a.96xlarge"', pc: 'InstanceType: hpc7a.96xlarge',
  pcs: '"InstanceType": "hpc7a.96xlarge"'}
instances.several-types: {hp hpe: '"InstanceTypes": \[\s*"ml.m7i.4xlarge",\s*"ml.m6i.4x',
  pcs: '"m7i.4xlarge"\s*\},\s*\{\s*"InstanceType": "m6i.4xlarge"',
  eks: '"InstanceTypes": \[\s*"m7i.4xlarge",\s*"m6i.4xlarge"\s*\]'}
instances.mixed-architecture: {hp hpe: '"InstanceType": "ml.m7g.4xlarge"',
  pcs: '/arm64/$ANYm7g\.4xlarge', eks: '"AL2023_ARM_64_STANDARD"$ANY"m7g\.4xlarge"',
  batch: '"ComputeEnvironmentArm"$ANY"m7g\.4xlarge"'}
network.efa: {pcs batch: '"InterfaceType": "efa"', pc: 'Efa:\s+Enabled: true',
  eks: '"InterfaceType": "efa-only"'}
network.efa-layout: {hp hpe eks: '"InterfaceType": "efa"', pcs: '"InterfaceType": "efa-only"'}
network.no-internet: {pcs hp hpe eks batch: {foundation: '"EndpointSecurityGroup"'},
  pc: [{foundation: '"EndpointSecurityGroup"'}, 'Dns:\s+DisableManagedDns: true']}
placement.cluster: {pc: 'PlacementGroup:\s+Enabled: true',
  pcs: '"GroupName": \{\s*"Ref": "PlacementGroupNodes"',
  eks: '"GroupName": \{\s*"Ref": "NodeGroupNodesPlacementGroup"',
  batch: '"PlacementGroup": \{\s*"Ref": "PlacementGroupNodes"'}
placement.existing: {pcs eks: '"GroupName": "my-group"', pc: 'PlacementGroup:\s+Name: my-group',
  batch: '"PlacementGroup": "my-group"'}
nodes.smt: {pc: {gone: 'DisableSimultaneousMultithreading: true'},
  hp: '"nodes"[^{]*(\{[^}]*\}[^{}]*)*"ThreadsPerCore": 2', hpe: '"ThreadsPerCore": 2',
  eks batch: {gone: '"ThreadsPerCore": 1'}}
nodes.image: {hp hpe eks: '"ImageId": "ami-0a1b2c3d4e5f67890"',
  pc: 'CustomAmi: ami-0a1b2c3d4e5f67890', pcs: '"AmiId": "ami-0a1b2c3d4e5f67890"',
  batch: '"ImageIdOverride": "ami-'}
nodes.iam: {hp hpe pcs: {foundation: '$POLICY'}, eks batch: '$POLICY', pc: 'Policy: "$POLICY"'}
nodes.unencrypted: {pcs eks batch: '"Encrypted": false', pc: 'Encrypted: false'}
nodes.volume-key: {hp hpe: '"VolumeKmsKeyId": "$KEY"', pcs eks batch: '"KmsKeyId": "$KEY"'}
nodes.volume-kept: {pcs eks batch: '"DeleteOnTermination": false'}
head.volume-kept: {pc: 'DeleteOnTermination: false'}
nodes.tags: {eks batch: '"Key": "team",\s+"Value": "blue"', pc: 'Key: team\n\s+Value: blue',
  pcs: '"team": "blue"'}
nodes.instance-profile: {pcs batch: '$PROFILE', pc: 'InstanceProfile: "$PROFILE"'}
nodes.desired: {}
nodes.accelerator-taint: {eks: {gone: '"Key": "nvidia.com/gpu"'}}
nodes.role: {hp hpe: '"ExecutionRole": "$ROLE"', pc: 'InstanceRole: "$ROLE"',
  eks: '"NodeRole": "$ROLE"', batch: '"Roles": \[\s*"nodes"'}
nodes.security-groups: {all: sg-0a1b2c3d4e5f67899}
nodes.subnets: {all: subnet-0a1b2c3d4e5f67899}
nodes.zone: {pc hp hpe: '\$\{PrivateSubnetAz4Id\}', pcs eks batch: '"Ref": "PrivateSubnetAz4Id"'}
nodes.ssh-sources: {pc: 'AllowedIps: pl-0a1b2c3d4e5f67890'}
nodes.allocation: {pc: 'AllocationStrategy: prioritized',
  pcs: '"AllocationStrategy": "lowest-price"',
  batch: '"AllocationStrategy": "BEST_FIT_PROGRESSIVE"'}
nodes.service-name: {pc: 'ComputeResources:\s+- Name: cpu\n'}
head.smt: {pc: 'DisableSimultaneousMultithreading: true', hp: '"ThreadsPerCore": 1'}
login.smt: {hp: '"ThreadsPerCore": 1'}
storage.name: {pc: 'Name: corpus'}
storage.by-cluster: {pc: EfsSettings:\s+ThroughputMode}
nodes.scratch: {pc: 'EphemeralVolume:\s+MountDir: /scratch', pcs: {action: [scratch\.sh, /scratch]},
  hp: {file: [lifecycle/on_init_complete\.sh, ' scratch\.sh /scratch\n']},
  batch: {node_script: [scratch\.sh, /scratch]}}
nodes.mig: {pcs: {setting: [SlurmCustomSettings, Gres, gpu:1g.10gb:56]},
  hpe: '"nvidia.com/mig.config": "all-1g.10gb"', eks: '"nvidia.com/mig.config": '}
nodes.labels: {hpe eks: '"Labels": \{\s*"team": "blue"',
  pcs: {setting: [SlurmCustomSettings, Features, team=blue]}}
nodes.taints: {hpe: '"Taints": \[\s*\{\s*"Key": "team",\s*"Value": "blue"',
  eks: '"Key": "team",\s*"Value": "blue"'}
nodes.slurm-settings: {pc: 'StaticNodePriority: 10',
  pcs: {setting: [SlurmCustomSettings, Weight, '10']}}
nodes.scaling: {pc: 'MinCount: 0\s+MaxCount: 2',
  pcs: '"MinInstanceCount": 0,\s*"MaxInstanceCount": 2',
  hpe: {file: [manifests/karpenter\.yaml, 'kind: NodePool']}, batch: '"MinvCpus": 0'}
nodes.mixed-scaling: {pc: 'MinCount: 1\s+MaxCount: 2',
  pcs: '"MinInstanceCount": 1,\s*"MaxInstanceCount": 2'}
health.gpu: {pc: 'HealthChecks:\s+Gpu:\s+Enabled: true'}
health.deep: {hp hpe: '"OnStartDeepHealthChecks": \[\s*"InstanceStress"'}
head.node: {pc: 'HeadNode:\s+InstanceType: m7i.8xlarge',
  hp: '"InstanceGroupName": "controller",\s*"InstanceType": "ml.m7i.8xlarge"'}
login.nodes: {pc: 'LoginNodes:\s+Pools:\s+- Name: login\s+InstanceType: m7i.2xlarge',
  pcs: '"NodeGroupLogin"$ANY"InstanceType": "m7i.2xlarge"',
  hp: '"InstanceGroupName": "login",\s*"InstanceType": "ml.m7i.2xlarge"'}
queues.slurm-settings: {pc: 'CustomSlurmSettings:\s+GraceTime: 60',
  pcs: {setting: [SlurmCustomSettings, GraceTime, '60']}}
queues.shared-groups: {
  pcs: '"QueueDebug"$ANY"ComputeNodeGroupConfigurations": \[[^\]]*"NodeGroupNodes"',
  eks: {kueue: 'kind: ClusterQueue\nmetadata:\n  name: debug'},
  batch: '"QueueDebug"$ANY"ComputeEnvironmentOrder": \[[^\]]*"ComputeEnvironmentNodes"'}
queues.parts: {pc: 'PartitionName: debug\s+Nodes: "train-st-nodes-\[1-1\]"'}
storage.lustre: {pc: 'MountDir: /data$ANYFsxLustreSettings:\s+FileSystemId:',
  pcs: {action: [mount\.sh, lustre, /data]}, hp: '"FsxLustreConfig": \{$ANY"MountPath": "/data"',
  eks: {volume: ['driver: fsx\.csi\.aws\.com', aws-fsx-csi-driver]},
  batch: {node_script: [mount\.sh, lustre, /data]}}
storage.lustre-efa: {pc: 'OnNodeStart:\s+Sequence:\s+- Script: .*/lustre-efa\.sh',
  pcs: {action: [lustre-efa\.sh, '8']},
  hp: {file: [lifecycle/on_init_complete\.sh, lustre-efa\.sh 8]},
  hpe: {file: [lifecycle/on_create\.sh, lustre-efa\.sh 8]}}
storage.lustre-metadata: {all: {foundation: '"Mode": "USER_PROVISIONED",\s*"Iops": 6000'}}
storage.intelligent-tiering: {all: {foundation: '"StorageType": "INTELLIGENT_TIERING"'}}
storage.data-repositories: {all:
  {foundation: '"AWS::FSx::DataRepositoryAssociation"$ANY"s3://my-bucket/in"'}}
storage.openzfs: {pc: 'MountDir: /data$ANYFsxOpenZfsSettings:\s+VolumeId:',
  pcs: {action: [mount\.sh, nfs, /data]}, hp: '"FsxOpenZfsConfig": \{$ANY"MountPath": "/data"',
  hpe eks: {volume: 'nfs:\s+server:'}, batch: {node_script: [mount\.sh, nfs, /data]}}
storage.ontap: {pc: 'FsxOntapSettings:\s+VolumeId: fsvol-0a1b2c3d4e5f67892',
  pcs: {action: [mount\.sh, nfs, /data, fsvol-0a1b2c3d4e5f67892]},
  hpe eks: {volume: 'server: "?svm-0a1b2c3d4e5f67892'},
  batch: {node_script: [mount\.sh, nfs, /data, 'svm-[^ ]*', '[^ ]*', existing, 'fsvol-[^ ]*']}}
storage.efs: {pc: 'EfsSettings:\s+FileSystemId:.*\s+EncryptionInTransit: true',
  pcs: {action: [mount\.sh, efs, /data]},
  eks: {volume: ['driver: efs\.csi\.aws\.com', aws-efs-csi-driver]},
  batch: {node_script: [mount\.sh, efs, /data]}}
storage.ebs: {pc: 'EbsSettings:\s+VolumeType: gp3\s+Size: 500'}
storage.bucket: {eks: {volume: ['driver: s3\.csi\.aws\.com', aws-mountpoint-s3-csi-driver]},
  batch: {node_script: [mount\.sh, s3-read-only, /data]}}
storage.file-cache: {pc: 'FileCacheSettings:\s+FileCacheId: fc-0a1b2c3d4e5f67893',
  pcs: {action: [mount\.sh, lustre, /data, 'fc-[^"]*']},
  hp: '"FsxLustreConfig": \{\s*"DnsName": "fc-0a1b2c3d4e5f67893',
  eks: {volume: [fc-0a1b2c3d4e5f67893, aws-fsx-csi-driver]}}
software.pyxis: {pc: '- Script: .*/containers\.sh\"?\s+Args:\s+\W*pyxis'}
software.docker: {pcs: {action: [containers\.sh, docker]}}
software.registry: {hpe: {file: [manifests/helm-values\.yaml, 'repository: "?111122223333']},
  eks: {file: ['values/.*\.yaml', 'repository: "?111122223333']},
  batch: {file: ['jobs/.*\.json', '"image": "111122223333']}}
software.scripts: {hp hpe: {file: ['lifecycle/.*', s3://my-bucket/setup.sh]},
  pc: '- Script: "s3://my-bucket/setup.sh"', pcs: '"ScriptLocation": "s3://my-bucket/setup.sh"',
  eks: run_script s3://my-bucket/setup.sh}
software.scripts-failure: {hp hpe: {file: ['lifecycle/.*\.sh', 'optional 3600 .*a\.sh']},
  pcs: '"OnError": "CONTINUE",\s*"ExecutionPolicy": "FIRST_BOOT_ONLY"'}
software.scripts-every-boot: {pcs: '"OnError": "TERMINATE",\s*"ExecutionPolicy": "EVERY_BOOT"'}
software.scripts-updated: {pc: {file: [scripts/hook\.sh, run s3://my-bucket/a.sh]}}
users: {pc pcs hp: {file: [users\.tsv, '\balice\b$ANY\b2001\b|\b2001\b$ANY\balice\b']}}
slurm.version: {pcs: '"Version": "25.05"'}
slurm.accounting-managed: {pcs: '"Accounting": \{\s*"Mode": "STANDARD"'}
slurm.accounting-database: {pc: 'Uri: db.example.com$ANYPasswordSecretArn: "$SECRET"',
  hp: '"Endpoint": "db.example.com"$ANY"SecretArn": "$SECRET"'}
slurm.accounts: {pc pcs hp: {file: [accounts\.tsv, '\baccount vision root 1']}}
slurm.idle-timeout: {pc: 'ScaledownIdletime: 20', pcs: '"ScaleDownIdleTimeInSeconds": 1200',
  batch: '"MinScaleDownDelayMinutes": 20'}
slurm.idle-never: {pc: 'ScaledownIdletime: -1'}
slurm.settings: {pc: 'CustomSlurmSettings:\s+- SchedulerParameters: \"?defer,nohold_on_prolog_fail',
  pcs: {setting: [SlurmCustomSettings, SchedulerParameters, defer]}}
slurm.slurmdbd-settings: {pcs: {setting: [SlurmdbdCustomSettings, PurgeJobAfter, 12months]}}
slurm.cgroup-settings: {pcs: {setting: [CgroupCustomSettings, ConstrainRAMSpace, 'yes']}}
kubernetes: {hpe: '"AutoScaling": \{\s*"Mode": "Enable"', eks: '"Version": "1.34"'}
monitoring.prometheus: {pcs: {action: monitoring.sh},
  hp: {file: [lifecycle/monitoring\.sh, append-config]}, eks: '"AWS::APS::Scraper"'}
monitoring.cloudwatch-dashboard: {
  pcs hp hpe batch: {file: [monitoring\.template\.json, AWS::CloudWatch::Dashboard]},
  pc: 'Dashboards:\s+CloudWatch:\s+Enabled: true', eks: '"amazon-cloudwatch-observability"'}
monitoring.self-hosted: {eks: {file: ['manifests/.*prometheus\.yaml', 'kind: StatefulSet']}}
monitoring.cloudwatch-metrics: {pcs: {action: monitoring.sh},
  hp: {file: [lifecycle/monitoring\.sh, emf_processor]}, eks: '"amazon-cloudwatch-observability"'}
monitoring.alerts: {pc pcs hp hpe eks: {foundation: AlertManagerDefinition}}
monitoring.grafana: {pc pcs hp hpe eks: {foundation: AWS::Grafana::Workspace}}
monitoring.grafana-files: {
  pc pcs hp hpe eks: {file: ['monitoring/dashboards/.*\.json', clustergen-]}}
monitoring.log-retention: {pcs eks batch: '"RetentionInDays": 90', pc: 'RetentionInDays: 90'}
resilience.replace: {hp hpe: '"NodeRecovery": "None"',
  eks: '"NodeRepairConfig": \{\s*"Enabled": false'}
resilience.auto-resume: {hpe:
  {file: [manifests/helm-values\.yaml, 'job-auto-restart:\s+enabled: true']}}
"""


def _piece(target: str, shown: Any) -> Evidence:
    made = _cell(target, shown)
    assert isinstance(made, Evidence)
    return made


def _cell(target: str, shown: Any) -> Evidence | Several:
    if isinstance(shown, str):
        return evidence.document(target, shown)
    if isinstance(shown, list):
        return Several(tuple(_piece(target, part) for part in shown))
    [(kind, given)] = shown.items()
    if kind == "gone":
        return evidence.document(target, given, gone=True)
    return _KINDS[kind](*([given] if isinstance(given, str) else given))


def _cells(shown: Mapping[str, Any]) -> Cells:
    return {
        target: _cell(target, cell)
        for names, cell in shown.items()
        for target in (
            NAMES.values() if names == "all" else (NAMES[name] for name in names.upper().split())
        )
    }


def cells(**parts: str) -> dict[str, Cells]:
    """What shows each feature. `parts` are the values of names in patterns."""
    table: Mapping[str, Mapping[str, Any]] = flow(_SHOWN, ANY=ANY, **parts)
    return {feature: _cells(shown) for feature, shown in table.items()}
