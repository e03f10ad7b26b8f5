"""The features: for each, a spec that uses it, the same without it, and what shows it in the files.

A use is a pair of fragments over :data:`BASE`: the first makes room for the feature (the right kind
of instance, a queue to set), the second, laid over it, asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from clustergen.compiler import Checked
from tests.checking import check
from tests.features.evidence import (
    ANY,
    BATCH,
    EKS,
    HP,
    HPE,
    PC,
    PCS,
    Cells,
    Evidence,
    Several,
    action,
    but_batch,
    everywhere,
    foundation,
    hyperpod,
    kueue,
    node_script,
    request,
    setting,
    template,
    volume,
    yaml,
)

BASE = """\
version: 1
name: truth
region: us-east-1
network: {zone: use1-az6}
node_groups:
  - {name: nodes, instance_type: m7i.4xlarge, count: 2}
software: {containers: none}
targets: {hyperpod-eks: {eks_cluster: 'arn:aws:eks:us-east-1:111122223333:cluster/c'}}
"""


@dataclass(frozen=True, slots=True)
class Use:
    """``without`` and ``uses`` are fragments; ``others`` are the pairs of targets that need their
    own, as a service's limits want it."""

    without: str
    uses: str
    others: Mapping[str, Use] = field(default_factory=dict)

    def on(self, target: str) -> Use:
        return self.others.get(target, self)

    def checked(self, target: str) -> tuple[Checked, Checked]:
        """The compiler's answer without the feature, and with it."""
        mine = self.on(target)
        before = mine.without or "{}"
        return check(BASE, before, target=target), check(BASE, before, mine.uses, target=target)


def _group(fields: str) -> str:
    """Fields of the base's one node group."""
    return f"node_groups: [{{name: nodes, {fields}}}]"


def _queue(fields: str) -> str:
    return f"queues: [{{name: train, node_groups: [nodes], {fields}}}]"


def _storage(fields: str) -> str:
    return f"storage: [{{mount: /data, {fields}}}]"


_MANAGED = "slurm: {accounting: managed}\nlogin: {}"
_HELD = "cr-0a1b2c3d4e5f67890"
_RESERVED = "arn:aws:resource-groups:us-east-1:111122223333:group/held"
_PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan"
_PLANNED = f"capacity: {{training_plan: '{_PLAN}'}}"
_BLOCK = f"capacity: {{capacity_block: {_HELD}}}"
_SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf"
_IMAGE = "image: ami-0a1b2c3d4e5f67890"
_P5 = _group("instance_type: p5.48xlarge")
_KARPENTER = "kubernetes: {autoscaler: karpenter}"
_DASHBOARD = Evidence(r"monitoring\.template\.json", "AWS::CloudWatch::Dashboard")
_GRAFANA = Evidence(r"monitoring/dashboards/.*\.json", "clustergen-")
_PROMETHEUS = "monitoring: {metrics: managed-prometheus}"
_SSD = "type: fsx-lustre, size: 38400GiB, throughput: 250"
_LUSTRE = _storage(_SSD)
_DATABASE = (
    "slurm: {accounting: {endpoint: db.example.com,"
    " secret: 'arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf'}}"
)
_REGISTRY = "software: {registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror}"
_ECR_IMAGE = "targets: {batch: {image: '111122223333.dkr.ecr.us-east-1.amazonaws.com/train:1'}}"
_POLICY = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
_SCRIPT = "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [compute]%s}]}"
_KEY = "arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"
_PROFILE = "arn:aws:iam::111122223333:instance-profile/nodes"
_ROLE = "arn:aws:iam::111122223333:role/nodes"
_VPC_THERE = """\
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]
  control_plane_subnets:
    - {id: subnet-0a1b2c3d4e5f67892, zone: use1-az6}
    - {id: subnet-0a1b2c3d4e5f67893, zone: use1-az2}
"""
_VPC = """\
network:
  vpc: vpc-0a1b2c3d4e5f67890
  zone: use1-dfw2-az1
  private_subnets:
    - {id: subnet-0a1b2c3d4e5f67890, zone: use1-dfw2-az1, cidr: 10.42.0.0/17}
    - {id: subnet-0a1b2c3d4e5f67891, zone: us-east-1a, cidr: 10.42.128.0/24}
  control_plane_subnets:
    - {id: subnet-0a1b2c3d4e5f67892, zone: us-east-1a, cidr: 10.42.255.224/28}
    - {id: subnet-0a1b2c3d4e5f67893, zone: us-east-1b, cidr: 10.42.255.240/28}
"""
"""UltraServers are in Dallas, the controllers of services in the region itself."""


def _scaled(count: str, before: str) -> Use:
    use = Use(_group(f"count: {before}"), _group(f"count: {count}"))
    karpenter = Use(f"{use.without}\n{_KARPENTER}", use.uses)
    return Use(use.without, use.uses, {HPE: karpenter, EKS: karpenter})


def _mixed() -> Use:
    """HyperPod has a minimum where Karpenter does not scale the group."""
    use = _scaled("{min: 1, max: 2}", "{min: 0, max: 2}")
    fixed = Use(_group("count: 2"), _group("count: {min: 1, max: 2}"))
    return Use(use.without, use.uses, {**use.others, HPE: fixed})


def _ultraserver() -> Use:
    """In place of another kind of node that is bought in the same way."""
    other = f"{_VPC}head_node: {{instance_type: m7g.4xlarge}}\n"
    other += _group("instance_type: p6-b200.48xlarge, count: 18")
    ultra = _group("instance_type: p6e-gb200.36xlarge")
    planned = Use(f"{other[:-2]}, {_PLANNED}}}]", ultra)
    return Use(f"{other[:-2]}, {_BLOCK}}}]", ultra, {HP: planned, HPE: planned})


@dataclass(frozen=True, slots=True)
class Row:
    """How a spec asks for a feature, and what shows it.

    ``evidence`` has every target that supports the feature in full, and no other.
    """

    use: Use
    evidence: Cells = field(default_factory=dict)


TABLE: Mapping[str, Row] = {
    "capacity.on-demand": Row(
        Use(
            _group("capacity: spot"),
            _group("capacity: on-demand"),
            {HP: Use(f"{_P5[:-2]}, {_PLANNED}}}]", _group("capacity: on-demand"))},
        ),
        {
            PC: yaml("CapacityType: ONDEMAND"),
            PCS: template('"PurchaseOption": "ONDEMAND"'),
            HP: request("TrainingPlanArn", gone=True),
            HPE: request('"Spot"', gone=True),
            EKS: template('"CapacityType": "SPOT"', gone=True),
            BATCH: template('"Type": "EC2"'),
        },
    ),
    "capacity.spot": Row(
        Use("", _group("capacity: spot")),
        {
            PC: yaml("CapacityType: SPOT"),
            PCS: template('"PurchaseOption": "SPOT"'),
            HPE: request(r'"CapacityRequirements": \{\s*"Spot"'),
            EKS: template('"CapacityType": "SPOT"'),
        },
    ),
    "capacity.reservation": Row(
        Use("", _group(f"capacity: {{reservation: {_HELD}}}")),
        {
            PC: yaml(f"CapacityReservationId: {_HELD}"),
            PCS: template(f'"CapacityReservationId": "{_HELD}"'),
            EKS: template(f'"CapacityReservationId": "{_HELD}"'),
            BATCH: template(f'"CapacityReservationId": "{_HELD}"'),
        },
    ),
    "capacity.reservation-group": Row(
        Use("", _group(f"capacity: {{reservation_group: '{_RESERVED}'}}")),
        {
            PC: yaml(f'CapacityReservationResourceGroupArn: "{_RESERVED}"'),
            PCS: template(f'"CapacityReservationResourceGroupArn": "{_RESERVED}"'),
            EKS: template(f'"CapacityReservationResourceGroupArn": "{_RESERVED}"'),
            BATCH: template(f'"CapacityReservationResourceGroupArn": "{_RESERVED}"'),
        },
    ),
    "capacity.block": Row(
        Use(_P5, _group(_BLOCK)),
        {
            PC: yaml(f"CapacityType: CAPACITY_BLOCK(.|\n)*CapacityReservationId: {_HELD}"),
            PCS: template(
                rf'"MarketType": "capacity-block"(.|\n)*"CapacityReservationId": "{_HELD}"'
                r'(.|\n)*"PurchaseOption": "CAPACITY_BLOCK"'
            ),
            EKS: template(
                rf'"CapacityReservationId": "{_HELD}"{ANY}"MarketType": "capacity-block"'
                rf'{ANY}"CapacityType": "CAPACITY_BLOCK"'
            ),
            BATCH: template(
                rf'"MarketType": "capacity-block"{ANY}"CapacityReservationId": "{_HELD}"'
            ),
        },
    ),
    "capacity.interruptible": Row(
        Use("", _group(f"capacity: {{interruptible_reservation: {_HELD}}}")),
        {
            PCS: template('"PurchaseOption": "INTERRUPTIBLE_CAPACITY_RESERVATION"'),
        },
    ),
    "capacity.training-plan": Row(
        Use(_P5, _group(_PLANNED)),
        {
            **hyperpod(request('"TrainingPlanArn": "arn:.*:training-plan/plan"')),
        },
    ),
    "capacity.dates": Row(
        Use(
            f"{_P5[:-2]}, {_BLOCK}}}]",
            _group(_BLOCK.replace("}", ", ends: '2026-12-17T11:30:00Z'}")),
            dict.fromkeys(
                (HP, HPE),
                Use(
                    f"{_P5[:-2]}, {_PLANNED}}}]",
                    _group(_PLANNED.replace("}", ", ends: '2026-12-17T11:30:00Z'}")),
                ),
            ),
        ),
        {
            **dict.fromkeys((PC, PCS), Evidence(r"timetable\.tsv", "nodes .*1797504600")),
            HP: Evidence(r"timetable\.tsv", "nodes .*1797502800"),
            EKS: Several(
                (
                    Evidence(r"schedule\.template\.json", r"at\(2026-12-17T10:50:00\)"),
                    kueue('"stop": 1797504600'),
                )
            ),
        },
    ),
    "instances.ultraserver": Row(
        _ultraserver(),
        {
            **hyperpod(request('"InstanceType": "ml.p6e-gb200.36xlarge"')),
            EKS: template("p6e-gb200.36xlarge"),
        },
    ),
    "instances.trainium": Row(
        Use(
            _P5,
            _group("instance_type: trn1.32xlarge"),
            # Its default image has no Neuron driver.
            {
                PCS: Use(
                    f"{_P5[:-2]}, {_IMAGE}}}]", _group(f"instance_type: trn1.32xlarge, {_IMAGE}")
                )
            },
        ),
        {
            **hyperpod(request('"InstanceType": "ml.trn1.32xlarge"')),
            PC: yaml("InstanceType: trn1.32xlarge"),
            PCS: template('"InstanceType": "trn1.32xlarge"'),
            EKS: template(r'"AL2023_x86_64_NEURON"(.|\n)*"trn1\.32xlarge"'),
            BATCH: template(r'"trn1.32xlarge"(.|\n)*"ImageIdOverride"'),
        },
    ),
    "instances.inferentia": Row(
        Use(
            "",
            _group("instance_type: inf2.8xlarge"),
            {PCS: Use(_group(_IMAGE), _group(f"instance_type: inf2.8xlarge, {_IMAGE}"))},
        ),
        {
            PC: yaml("InstanceType: inf2.8xlarge"),
            PCS: template('"InstanceType": "inf2.8xlarge"'),
            EKS: template(r'"AL2023_x86_64_NEURON"(.|\n)*"inf2\.8xlarge"'),
            BATCH: template(r'"inf2.8xlarge"(.|\n)*"ImageIdOverride"'),
        },
    ),
    "instances.hpc": Row(
        Use(_group("efa: false"), _group("instance_type: hpc7a.96xlarge")),
        {
            PC: yaml("InstanceType: hpc7a.96xlarge"),
            PCS: template('"InstanceType": "hpc7a.96xlarge"'),
            EKS: template('"hpc7a.96xlarge"'),
        },
    ),
    "instances.several-types": Row(
        Use("", _group("instance_type: null, instance_types: [m7i.4xlarge, m6i.4xlarge]")),
        {
            **hyperpod(request(r'"InstanceTypes": \[\s*"ml.m7i.4xlarge",\s*"ml.m6i.4x')),
            PCS: template(r'"m7i.4xlarge"\s*\},\s*\{\s*"InstanceType": "m6i.4xlarge"'),
            EKS: template(r'"InstanceTypes": \[\s*"m7i.4xlarge",\s*"m6i.4xlarge"\s*\]'),
        },
    ),
    "instances.mixed-architecture": Row(
        Use("", "node_groups: [{name: arm, instance_type: m7g.4xlarge, count: 2}]"),
        {
            **hyperpod(request('"InstanceType": "ml.m7g.4xlarge"')),
            PCS: template(r"/arm64/(.|\n)*m7g\.4xlarge"),
            EKS: template(r'"AL2023_ARM_64_STANDARD"(.|\n)*"m7g\.4xlarge"'),
            BATCH: template(r'"ComputeEnvironmentArm"(.|\n)*"m7g\.4xlarge"'),
        },
    ),
    "network.efa": Row(
        Use(
            _group("instance_type: p5.48xlarge, placement: cluster, efa: false"),
            _group("efa: true"),
        ),
        {
            PC: yaml(r"Efa:\s+Enabled: true"),
            PCS: template('"InterfaceType": "efa"'),
            EKS: template('"InterfaceType": "efa-only"'),
            BATCH: template('"InterfaceType": "efa"'),
        },
    ),
    "network.efa-layout": Row(
        Use(
            _P5,
            _group("efa_layout: efa"),
            {target: Use(_P5, _group("efa_layout: efa-only")) for target in (PC, PCS)},
        ),
        {
            **hyperpod(request('"InterfaceType": "efa"')),
            PCS: template('"InterfaceType": "efa-only"'),
            EKS: template('"InterfaceType": "efa"'),
        },
    ),
    "network.no-internet": Row(
        Use(
            "network: {internet: nat}",
            "network: {internet: none}",
            {
                BATCH: Use(_ECR_IMAGE, f"network: {{internet: none}}\n{_ECR_IMAGE}"),
                **dict.fromkeys(
                    (EKS, HPE), Use(_REGISTRY, f"network: {{internet: none}}\n{_REGISTRY}")
                ),
            },
        ),
        {
            PC: Several(
                (foundation('"EndpointSecurityGroup"'), yaml(r"Dns:\s+DisableManagedDns: true"))
            ),
            **dict.fromkeys((PCS, HP, HPE, EKS, BATCH), foundation('"EndpointSecurityGroup"')),
        },
    ),
    "placement.cluster": Row(
        Use("", _group("placement: cluster")),
        {
            PC: yaml(r"PlacementGroup:\s+Enabled: true"),
            PCS: template(r'"GroupName": \{\s*"Ref": "PlacementGroupNodes"'),
            EKS: template(r'"GroupName": \{\s*"Ref": "NodeGroupNodesPlacementGroup"'),
            BATCH: template(r'"PlacementGroup": \{\s*"Ref": "PlacementGroupNodes"'),
        },
    ),
    "placement.existing": Row(
        Use("", _group("placement: {group: my-group}")),
        {
            PC: yaml(r"PlacementGroup:\s+Name: my-group"),
            PCS: template('"GroupName": "my-group"'),
            EKS: template('"GroupName": "my-group"'),
            BATCH: template('"PlacementGroup": "my-group"'),
        },
    ),
    "nodes.smt": Row(
        Use(_group("threads_per_core: 1"), _group("threads_per_core: 2")),
        {
            PC: yaml("DisableSimultaneousMultithreading: true", gone=True),
            HP: request(r'"nodes"[^{]*(\{[^}]*\}[^{}]*)*"ThreadsPerCore": 2'),
            HPE: request('"ThreadsPerCore": 2'),
            EKS: template('"ThreadsPerCore": 1', gone=True),
            BATCH: template('"ThreadsPerCore": 1', gone=True),
        },
    ),
    "nodes.image": Row(
        Use("", _group("image: ami-0a1b2c3d4e5f67890")),
        {
            **hyperpod(request('"ImageId": "ami-0a1b2c3d4e5f67890"')),
            PC: yaml("CustomAmi: ami-0a1b2c3d4e5f67890"),
            PCS: template('"AmiId": "ami-0a1b2c3d4e5f67890"'),
            EKS: template('"ImageId": "ami-0a1b2c3d4e5f67890"'),
            BATCH: template('"ImageIdOverride": "ami-'),
        },
    ),
    "nodes.iam": Row(
        Use("", _group(f"iam: {{policies: ['{_POLICY}']}}")),
        {
            PC: yaml(f'Policy: "{_POLICY}"'),
            **hyperpod(foundation(_POLICY)),
            **dict.fromkeys((EKS, BATCH), template(_POLICY)),
            PCS: foundation(_POLICY),
        },
    ),
    "nodes.unencrypted": Row(
        Use("", _group("root_volume: {encrypted: false}")),
        {
            PC: yaml("Encrypted: false"),
            **dict.fromkeys((PCS, EKS, BATCH), template('"Encrypted": false')),
        },
    ),
    "nodes.volume-key": Row(
        Use("", _group(f"root_volume: {{kms_key: '{_KEY}'}}")),
        {
            **hyperpod(request(f'"VolumeKmsKeyId": "{_KEY}"')),
            **dict.fromkeys((PCS, EKS, BATCH), template(f'"KmsKeyId": "{_KEY}"')),
        },
    ),
    "nodes.volume-kept": Row(
        Use("", _group("root_volume: {on_delete: retain}")),
        dict.fromkeys((PCS, EKS, BATCH), template('"DeleteOnTermination": false')),
    ),
    "head.volume-kept": Row(
        Use("head_node: {}", "head_node: {root_volume: {on_delete: retain}}"),
        {PC: yaml("DeleteOnTermination: false")},
    ),
    "nodes.tags": Row(
        Use("", _group("tags: {team: blue}")),
        {
            PC: yaml(r"Key: team\n\s+Value: blue"),
            PCS: template('"team": "blue"'),
            **dict.fromkeys((EKS, BATCH), template(r'"Key": "team",\s+"Value": "blue"')),
        },
    ),
    "nodes.instance-profile": Row(
        Use("", _group(f"iam: {{instance_profile: '{_PROFILE}'}}")),
        {
            PC: yaml(f'InstanceProfile: "{_PROFILE}"'),
            **dict.fromkeys((PCS, BATCH), template(_PROFILE)),
        },
    ),
    "nodes.desired": Row(
        Use(
            "node_groups: [{name: nodes, count: {min: 1, max: 4}}]",
            "node_groups: [{name: nodes, count: {min: 1, max: 4, desired: 2}}]",
        ),
        {},
    ),
    "nodes.accelerator-taint": Row(
        Use(_P5, _group("instance_type: p5.48xlarge, accelerator_taint: false")),
        {EKS: template('"Key": "nvidia.com/gpu"', gone=True)},
    ),
    "nodes.role": Row(
        Use("", _group(f"iam: {{role: '{_ROLE}'}}")),
        {
            PC: yaml(f'InstanceRole: "{_ROLE}"'),
            **hyperpod(request(f'"ExecutionRole": "{_ROLE}"')),
            EKS: template(f'"NodeRole": "{_ROLE}"'),
            BATCH: template(r'"Roles": \[\s*"nodes"'),
        },
    ),
    "nodes.security-groups": Row(
        Use("", _group("security_groups: [sg-0a1b2c3d4e5f67899]")),
        {
            PC: yaml("sg-0a1b2c3d4e5f67899"),
            **hyperpod(request("sg-0a1b2c3d4e5f67899")),
            **dict.fromkeys((PCS, EKS, BATCH), template("sg-0a1b2c3d4e5f67899")),
        },
    ),
    "nodes.subnets": Row(
        Use(_VPC_THERE, _group("subnets: [subnet-0a1b2c3d4e5f67899]")),
        {
            PC: yaml("subnet-0a1b2c3d4e5f67899"),
            **hyperpod(request("subnet-0a1b2c3d4e5f67899")),
            **dict.fromkeys((PCS, EKS, BATCH), template("subnet-0a1b2c3d4e5f67899")),
        },
    ),
    "nodes.zone": Row(
        Use("", _group("zone: use1-az4")),
        {
            PC: yaml(r"\$\{PrivateSubnetAz4Id\}"),
            **hyperpod(request(r"\$\{PrivateSubnetAz4Id\}")),
            **dict.fromkeys((PCS, EKS, BATCH), template('"Ref": "PrivateSubnetAz4Id"')),
        },
    ),
    "nodes.ssh-sources": Row(
        Use("login: {}", "login: {ssh_from: pl-0a1b2c3d4e5f67890}"),
        {PC: yaml("AllowedIps: pl-0a1b2c3d4e5f67890")},
    ),
    "nodes.allocation": Row(
        Use(
            "node_groups: [{name: nodes, instance_type: null, "
            "instance_types: [m7i.4xlarge, m6i.4xlarge]}]",
            _group("allocation: capacity-optimized"),
            {
                PCS: Use(_group("capacity: spot"), _group("allocation: lowest-price")),
                BATCH: Use(
                    "node_groups: [{name: nodes, instance_type: null, "
                    "instance_types: [m7i.4xlarge, m6i.4xlarge]}]",
                    _group("allocation: lowest-price"),
                ),
            },
        ),
        {
            PC: yaml("AllocationStrategy: capacity-optimized"),
            PCS: template('"AllocationStrategy": "lowest-price"'),
            BATCH: template('"AllocationStrategy": "BEST_FIT_PROGRESSIVE"'),
        },
    ),
    "nodes.service-name": Row(
        Use("", _group("service_name: cpu")),
        {PC: yaml(r"ComputeResources:\s+- Name: cpu\n")},
    ),
    "head.smt": Row(
        Use("head_node: {}", "head_node: {threads_per_core: 1}"),
        {
            PC: yaml("DisableSimultaneousMultithreading: true"),
            HP: request('"ThreadsPerCore": 1'),
        },
    ),
    "login.smt": Row(
        Use("login: {}", "login: {threads_per_core: 1}"),
        {HP: request('"ThreadsPerCore": 1')},
    ),
    "storage.name": Row(
        Use(_storage("type: efs"), _storage("type: efs, name: corpus")),
        {PC: yaml("Name: corpus")},
    ),
    "storage.by-cluster": Row(
        Use(
            _storage("type: efs, throughput_mode: bursting"),
            _storage("type: efs, throughput_mode: bursting, created_by: cluster"),
        ),
        {PC: yaml(r"EfsSettings:\s+ThroughputMode")},
    ),
    "nodes.scratch": Row(
        Use(_P5, _group("scratch: /scratch")),
        {
            PC: yaml(r"EphemeralVolume:\s+MountDir: /scratch"),
            PCS: action(r"scratch\.sh", "/scratch"),
            BATCH: node_script(r"scratch\.sh", "/scratch"),
        },
    ),
    "nodes.mig": Row(
        Use(
            _P5,
            _group("mig: {1g.10gb: 7}"),
            {PCS: Use(f"{_P5}\nslurm: {{version: '26.05'}}", _group("mig: {1g.10gb: 7}"))},
        ),
        {
            PCS: setting("SlurmCustomSettings", "Gres", "gpu:1g.10gb:56"),
            HPE: request('"nvidia.com/mig.config": "all-1g.10gb"'),
            EKS: template('"nvidia.com/mig.config": '),
        },
    ),
    "nodes.labels": Row(
        Use("", _group("labels: {team: blue}")),
        {
            PCS: setting("SlurmCustomSettings", "Features", "team=blue"),
            HPE: request(r'"Labels": \{\s*"team": "blue"'),
            EKS: template(r'"Labels": \{\s*"team": "blue"'),
        },
    ),
    "nodes.taints": Row(
        Use("", _group("taints: [{key: team, value: blue, effect: NoSchedule}]")),
        {
            HPE: request(r'"Taints": \[\s*\{\s*"Key": "team",\s*"Value": "blue"'),
            EKS: template(r'"Key": "team",\s*"Value": "blue"'),
        },
    ),
    "nodes.slurm-settings": Row(
        Use("", _group("slurm: {Weight: 10}")),
        {
            PC: yaml(r"StaticNodePriority: 10"),
            PCS: setting("SlurmCustomSettings", "Weight", "10"),
        },
    ),
    "nodes.scaling": Row(
        _scaled("{min: 0, max: 2}", "2"),
        {
            PC: yaml(r"MinCount: 0\s+MaxCount: 2"),
            PCS: template(r'"MinInstanceCount": 0,\s*"MaxInstanceCount": 2'),
            HPE: Evidence(r"manifests/karpenter\.yaml", "kind: NodePool"),
            BATCH: template('"MinvCpus": 0'),
        },
    ),
    "nodes.mixed-scaling": Row(
        _mixed(),
        {
            PC: yaml(r"MinCount: 1\s+MaxCount: 2"),
            PCS: template(r'"MinInstanceCount": 1,\s*"MaxInstanceCount": 2'),
        },
    ),
    "health.gpu": Row(
        Use(_P5, _group("health_checks: [gpu]")),
        {
            PC: yaml(r"HealthChecks:\s+Gpu:\s+Enabled: true"),
        },
    ),
    "health.deep": Row(
        Use(_P5, _group("health_checks: [instance-stress]")),
        {
            **hyperpod(request(r'"OnStartDeepHealthChecks": \[\s*"InstanceStress"')),
        },
    ),
    "head.node": Row(
        Use("", "head_node: {instance_type: m7i.8xlarge}"),
        {
            PC: yaml(r"HeadNode:\s+InstanceType: m7i.8xlarge"),
            HP: request(r'"InstanceGroupName": "controller",\s*"InstanceType": "ml.m7i.8xlarge"'),
        },
    ),
    "login.nodes": Row(
        Use("", "login: {instance_type: m7i.2xlarge}"),
        {
            PC: yaml(r"LoginNodes:\s+Pools:\s+- Name: login\s+InstanceType: m7i.2xlarge"),
            PCS: template(r'"NodeGroupLogin"(.|\n)*"InstanceType": "m7i.2xlarge"'),
            HP: request(r'"InstanceGroupName": "login",\s*"InstanceType": "ml.m7i.2xlarge"'),
        },
    ),
    "queues.slurm-settings": Row(
        Use(_queue("default: true"), _queue("slurm: {GraceTime: 60}")),
        {
            PC: yaml(r"CustomSlurmSettings:\s+GraceTime: 60"),
            PCS: setting("SlurmCustomSettings", "GraceTime", "60"),
        },
    ),
    "queues.shared-groups": Row(
        Use(_queue("default: true"), "queues: [{name: debug, node_groups: [nodes]}]"),
        {
            PCS: template(
                r'"QueueDebug"(.|\n)*"ComputeNodeGroupConfigurations": \[[^\]]*"NodeGroupNodes"'
            ),
            EKS: kueue(r"kind: ClusterQueue\nmetadata:\n  name: debug"),
            BATCH: template(
                r'"QueueDebug"(.|\n)*"ComputeEnvironmentOrder": \[[^\]]*"ComputeEnvironmentNodes"'
            ),
        },
    ),
    "queues.parts": Row(
        Use(
            "queues: [{name: train, node_groups: [nodes]}, {name: debug, node_groups: [nodes]}]",
            "queues: [{name: debug, node_groups: [nodes], nodes: {nodes: 1}}]",
        ),
        {PC: yaml(r'PartitionName: debug\s+Nodes: "train-st-nodes-\[1-1\]"')},
    ),
    "storage.lustre": Row(
        Use("", _LUSTRE),
        {
            PC: yaml(r"MountDir: /data(.|\n)*FsxLustreSettings:\s+FileSystemId:"),
            PCS: action(r"mount\.sh", "lustre", "/data"),
            HP: request(r'"FsxLustreConfig": \{(.|\n)*?"MountPath": "/data"'),
            EKS: volume(r"driver: fsx\.csi\.aws\.com", "aws-fsx-csi-driver"),
            BATCH: node_script(r"mount\.sh", "lustre", "/data"),
        },
    ),
    "storage.lustre-efa": Row(
        Use(f"{_P5}\n{_LUSTRE}", _storage(f"{_SSD}, efa: true")),
        {
            PC: yaml(r"OnNodeStart:\s+Sequence:\s+- Script: .*/lustre-efa\.sh"),
            PCS: action(r"lustre-efa\.sh", "8"),
            HP: Evidence(r"lifecycle/on_init_complete\.sh", r"lustre-efa\.sh 8"),
            HPE: Evidence(r"lifecycle/on_create\.sh", r"lustre-efa\.sh 8"),
        },
    ),
    "storage.lustre-metadata": Row(
        Use(_LUSTRE, _storage(f"{_SSD}, metadata_iops: 6000")),
        everywhere(foundation(r'"Mode": "USER_PROVISIONED",\s*"Iops": 6000')),
    ),
    "storage.intelligent-tiering": Row(
        Use(
            _storage(f"{_SSD}, metadata_iops: 6000"),
            _storage(
                "type: fsx-lustre, storage_class: intelligent-tiering, throughput: 4000,"
                " metadata_iops: 6000, read_cache: 4800GiB"
            ),
        ),
        everywhere(foundation('"StorageType": "INTELLIGENT_TIERING"')),
    ),
    "storage.data-repositories": Row(
        Use(
            _LUSTRE,
            _storage(f"{_SSD}, data_repositories: [{{path: /in, s3: 's3://my-bucket/in'}}]"),
        ),
        everywhere(foundation(r'"AWS::FSx::DataRepositoryAssociation"(.|\n)*"s3://my-bucket/in"')),
    ),
    "storage.openzfs": Row(
        Use("", _storage("type: fsx-openzfs, size: 512GiB, throughput: 160")),
        {
            PC: yaml(r"MountDir: /data(.|\n)*FsxOpenZfsSettings:\s+VolumeId:"),
            PCS: action(r"mount\.sh", "nfs", "/data"),
            HP: request(r'"FsxOpenZfsConfig": \{(.|\n)*?"MountPath": "/data"'),
            HPE: volume(r"nfs:\s+server:"),
            EKS: volume(r"nfs:\s+server:"),
            BATCH: node_script(r"mount\.sh", "nfs", "/data"),
        },
    ),
    "storage.ontap": Row(
        Use(
            "",
            _storage(
                "type: fsx-ontap, existing: {id: fs-0a1b2c3d4e5f67892, dns_name:"
                " svm-0a1b2c3d4e5f67892.fs-0a1b2c3d4e5f67892.fsx.us-east-1.amazonaws.com,"
                " volume_id: fsvol-0a1b2c3d4e5f67892}"
            ),
        ),
        {
            PC: yaml(r"FsxOntapSettings:\s+VolumeId: fsvol-0a1b2c3d4e5f67892"),
            PCS: action(r"mount\.sh", "nfs", "/data", "fsvol-0a1b2c3d4e5f67892"),
            HPE: volume(r'server: "?svm-0a1b2c3d4e5f67892'),
            EKS: volume(r'server: "?svm-0a1b2c3d4e5f67892'),
            BATCH: node_script(
                r"mount\.sh", "nfs", "/data", "svm-[^ ]*", "[^ ]*", "existing", "fsvol-[^ ]*"
            ),
        },
    ),
    "storage.efs": Row(
        Use("", _storage("type: efs")),
        {
            PC: yaml(r"EfsSettings:\s+FileSystemId:.*\s+EncryptionInTransit: true"),
            PCS: action(r"mount\.sh", "efs", "/data"),
            EKS: volume(r"driver: efs\.csi\.aws\.com", "aws-efs-csi-driver"),
            BATCH: node_script(r"mount\.sh", "efs", "/data"),
        },
    ),
    "storage.ebs": Row(
        Use("", _storage("type: ebs, size: 500GiB")),
        {
            PC: yaml(r"EbsSettings:\s+VolumeType: gp3\s+Size: 500"),
        },
    ),
    "storage.bucket": Row(
        Use("", _storage("type: s3, bucket: 's3://my-bucket/in'")),
        {
            EKS: volume(r"driver: s3\.csi\.aws\.com", "aws-mountpoint-s3-csi-driver"),
        },
    ),
    "storage.file-cache": Row(
        Use(
            "",
            _storage(
                "type: file-cache, existing: {id: fc-0a1b2c3d4e5f67893, mount_name: hgfedcba}"
            ),
        ),
        {
            PC: yaml(r"FileCacheSettings:\s+FileCacheId: fc-0a1b2c3d4e5f67893"),
            PCS: action(r"mount\.sh", "lustre", "/data", 'fc-[^"]*'),
            HP: request(r'"FsxLustreConfig": \{\s*"DnsName": "fc-0a1b2c3d4e5f67893'),
            EKS: volume("fc-0a1b2c3d4e5f67893", "aws-fsx-csi-driver"),
        },
    ),
    "software.pyxis": Row(
        Use("", "software: {containers: pyxis}"),
        {
            PC: yaml(r"- Script: .*/containers\.sh\"?\s+Args:\s+\W*pyxis"),
        },
    ),
    "software.docker": Row(
        Use("", "software: {containers: docker}"),
        {
            PCS: action(r"containers\.sh", "docker"),
        },
    ),
    "software.registry": Row(
        Use("", _REGISTRY),
        {
            EKS: Evidence(r"values/.*\.yaml", r'repository: "?111122223333'),
            HPE: Evidence(r"manifests/helm-values\.yaml", r'repository: "?111122223333'),
            BATCH: Evidence(r"jobs/.*\.json", r'"image": "111122223333'),
        },
    ),
    "software.scripts": Row(
        Use("", "software: {scripts: [{run: 's3://my-bucket/setup.sh'}]}"),
        {
            PC: yaml('- Script: "s3://my-bucket/setup.sh"'),
            PCS: template('"ScriptLocation": "s3://my-bucket/setup.sh"'),
            HP: Evidence("lifecycle/.*", "s3://my-bucket/setup.sh"),
            HPE: Evidence("lifecycle/.*", "s3://my-bucket/setup.sh"),
            EKS: template("run_script s3://my-bucket/setup.sh"),
        },
    ),
    "software.scripts-failure": Row(
        Use(_SCRIPT % "", _SCRIPT % ", on_failure: continue"),
        {
            PCS: template('"OnError": "CONTINUE",\\s*"ExecutionPolicy": "FIRST_BOOT_ONLY"'),
            **hyperpod(Evidence(r"lifecycle/.*\.sh", r"optional 3600 .*a\.sh")),
        },
    ),
    "software.scripts-every-boot": Row(
        Use(_SCRIPT % "", _SCRIPT % ", every_boot: true"),
        {PCS: template('"OnError": "TERMINATE",\\s*"ExecutionPolicy": "EVERY_BOOT"')},
    ),
    "software.scripts-updated": Row(
        Use(
            "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [head]}]}",
            "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [head], when: updated}]}",
        ),
        {PC: Evidence(r"scripts/hook\.sh", "run s3://my-bucket/a.sh")},
    ),
    "users": Row(
        Use("", "users: [{name: alice, uid: 2001}]"),
        {
            PC: Evidence(
                r"scripts/users\.sh", r"\balice\b(.|\n)*\b2001\b|\b2001\b(.|\n)*\balice\b"
            ),
        },
    ),
    "slurm.version": Row(
        Use("", "slurm: {version: '25.05'}", {PC: Use("", "slurm: {version: '25.11'}")}),
        {
            PCS: template('"Version": "25.05"'),
        },
    ),
    "slurm.accounting-managed": Row(
        Use("", "slurm: {accounting: managed}"),
        {
            PCS: template(r'"Accounting": \{\s*"Mode": "STANDARD"'),
        },
    ),
    "slurm.accounting-database": Row(
        Use("", _DATABASE),
        {
            PC: yaml(rf'Uri: db.example.com(.|\n)*PasswordSecretArn: "{_SECRET}"'),
            HP: request(rf'"Endpoint": "db.example.com"(.|\n)*"SecretArn": "{_SECRET}"'),
        },
    ),
    "slurm.accounts": Row(
        Use(
            f"{_DATABASE}\nlogin: {{}}",
            "slurm: {accounts: [{name: vision}]}",
            {PCS: Use(_MANAGED, "slurm: {accounts: [{name: vision}]}")},
        ),
        {
            PC: Evidence(r"scripts/accounts\.sh", r"\baccount vision root 1"),
            PCS: Evidence(r"scripts/accounts\.sh", r"\baccount vision root 1"),
            HP: Evidence(r"lifecycle/accounts\.sh", r"\baccount vision root 1"),
        },
    ),
    "slurm.idle-timeout": Row(
        Use("", "slurm: {idle_timeout: 20m}"),
        {
            PC: yaml("ScaledownIdletime: 20"),
            PCS: template('"ScaleDownIdleTimeInSeconds": 1200'),
        },
    ),
    "slurm.idle-never": Row(
        Use("slurm: {idle_timeout: 20m}", "slurm: {idle_timeout: never}"),
        {PC: yaml("ScaledownIdletime: -1")},
    ),
    "slurm.settings": Row(
        Use("", "slurm: {settings: {SchedulerParameters: defer}}"),
        {
            PC: yaml(
                r"CustomSlurmSettings:\s+- SchedulerParameters: \"?defer,nohold_on_prolog_fail"
            ),
            PCS: setting("SlurmCustomSettings", "SchedulerParameters", "defer"),
        },
    ),
    "slurm.slurmdbd-settings": Row(
        Use(
            "",
            "slurm: {slurmdbd_settings: {PurgeJobAfter: 12months}}",
            {
                PCS: Use(
                    "slurm: {accounting: managed}",
                    "slurm: {slurmdbd_settings: {PurgeJobAfter: 12months}}",
                )
            },
        ),
        {
            PCS: setting("SlurmdbdCustomSettings", "PurgeJobAfter", "12months"),
        },
    ),
    "slurm.cgroup-settings": Row(
        Use("", "slurm: {cgroup_settings: {ConstrainRAMSpace: 'yes'}}"),
        {
            PCS: setting("CgroupCustomSettings", "ConstrainRAMSpace", "yes"),
        },
    ),
    "kubernetes": Row(
        Use("", "kubernetes: {version: '1.34'}", {HPE: Use("", _KARPENTER)}),
        {
            HPE: request(r'"AutoScaling": \{\s*"Mode": "Enable"'),
            EKS: template('"Version": "1.34"'),
        },
    ),
    "monitoring.prometheus": Row(
        Use("", "monitoring: {metrics: managed-prometheus}"),
        {
            PCS: action("monitoring.sh"),
            HP: Evidence(r"lifecycle/monitoring\.sh", "append-config"),
            EKS: template('"AWS::APS::Scraper"'),
        },
    ),
    "monitoring.cloudwatch-dashboard": Row(
        Use("monitoring: {dashboards: none}", "monitoring: {dashboards: cloudwatch}"),
        {
            PC: yaml(r"Dashboards:\s+CloudWatch:\s+Enabled: true"),
            **dict.fromkeys((PCS, HP, HPE, BATCH), _DASHBOARD),
            EKS: template('"amazon-cloudwatch-observability"'),
        },
    ),
    "monitoring.self-hosted": Row(
        Use("", "monitoring: {metrics: self-hosted}"),
        {EKS: Evidence(r"manifests/.*prometheus\.yaml", "kind: StatefulSet")},
    ),
    "monitoring.cloudwatch-metrics": Row(
        Use("", "monitoring: {metrics: cloudwatch}"),
        {
            PCS: action("monitoring.sh"),
            HP: Evidence(r"lifecycle/monitoring\.sh", "emf_processor"),
            EKS: template('"amazon-cloudwatch-observability"'),
        },
    ),
    "monitoring.alerts": Row(
        Use(
            _PROMETHEUS,
            "monitoring: {alerts: {email: [on-call@example.com]}}",
            {
                BATCH: Use(
                    "monitoring: {metrics: cloudwatch}",
                    "monitoring: {alerts: {email: [on-call@example.com]}}",
                )
            },
        ),
        but_batch(foundation("AlertManagerDefinition")),
    ),
    "monitoring.grafana": Row(
        Use(_PROMETHEUS, "monitoring: {dashboards: managed-grafana}"),
        but_batch(foundation("AWS::Grafana::Workspace")),
    ),
    "monitoring.grafana-files": Row(
        Use(_PROMETHEUS, "monitoring: {dashboards: grafana-files}"),
        but_batch(_GRAFANA),
    ),
    "monitoring.log-retention": Row(
        Use("", "monitoring: {log_retention: 90d}"),
        {
            PC: yaml("RetentionInDays: 90"),
            PCS: template('"RetentionInDays": 90'),
            EKS: template('"RetentionInDays": 90'),
            BATCH: template('"RetentionInDays": 90'),
        },
    ),
    "resilience.replace": Row(
        Use(
            "",
            "resilience: {replace_failed_nodes: false}",
            # They always do; a spec that disables it is an error.
            {
                target: Use("", "resilience: {replace_failed_nodes: true}")
                for target in (PC, PCS, BATCH)
            },
        ),
        {
            **hyperpod(request('"NodeRecovery": "None"')),
            EKS: template(r'"NodeRepairConfig": \{\s*"Enabled": false'),
        },
    ),
    "resilience.auto-resume": Row(
        Use("", "resilience: {auto_resume: true}"),
        {
            HPE: Evidence(r"manifests/helm-values\.yaml", r"job-auto-restart:\s+enabled: true"),
        },
    ),
}
