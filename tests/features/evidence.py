"""What a feature leaves behind in the files of a target that supports it in full.

A pattern is searched for in the files whose path it names, with the feature and without: there it
has to be found, here it must not be. ``gone`` is the other way round, for what is on unless someone
switches it off.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tests.features.uses import EKS, HP, HPE, PC, PCS


@dataclass(frozen=True, slots=True)
class Evidence:
    """``file`` and ``pattern`` are regular expressions, for the whole path and anywhere in it."""

    file: str
    pattern: str
    gone: bool = False

    def shows(self, without: Mapping[str, str], uses: Mapping[str, str]) -> bool:
        """Whether two renderings, files by path, differ as they should."""
        before, after = self._found(without), self._found(uses)
        return (before and not after) if self.gone else (after and not before)

    def _found(self, files: Mapping[str, str]) -> bool:
        texts = (text for path, text in files.items() if re.fullmatch(self.file, path))
        return any(re.search(self.pattern, text) for text in texts)


@dataclass(frozen=True, slots=True)
class Several:
    """Pieces of evidence that all have to show."""

    parts: tuple[Evidence, ...]

    def shows(self, without: Mapping[str, str], uses: Mapping[str, str]) -> bool:
        return all(part.shows(without, uses) for part in self.parts)


Rows = Mapping[str, Evidence | Several]

_HELD = "cr-0a1b2c3d4e5f67890"
_RESERVED = "arn:aws:resource-groups:us-east-1:111122223333:group/held"
_SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf"


def _foundation(pattern: str) -> Evidence:
    return Evidence(r"foundation\.template\.json", pattern)


def _made() -> dict[str, Evidence]:
    """What the foundation makes, for every target alike."""
    return {
        "storage.lustre-metadata": _foundation(r'"Mode": "USER_PROVISIONED",\s*"Iops": 6000'),
        "storage.intelligent-tiering": _foundation('"StorageType": "INTELLIGENT_TIERING"'),
        "storage.data-repositories": _foundation(
            r'"AWS::FSx::DataRepositoryAssociation"(.|\n)*"s3://my-bucket/in"'
        ),
    }


def _yaml(pattern: str, *, gone: bool = False) -> Evidence:
    return Evidence(r"cluster\.yaml", pattern, gone)


_PARALLELCLUSTER: Rows = {
    "capacity.on-demand": _yaml("CapacityType: ONDEMAND"),
    "capacity.spot": _yaml("CapacityType: SPOT"),
    "capacity.reservation": _yaml(f"CapacityReservationId: {_HELD}"),
    "capacity.reservation-group": _yaml(f'CapacityReservationResourceGroupArn: "{_RESERVED}"'),
    "capacity.block": _yaml(f"CapacityType: CAPACITY_BLOCK(.|\n)*CapacityReservationId: {_HELD}"),
    "instances.trainium": _yaml("InstanceType: trn1.32xlarge"),
    "instances.inferentia": _yaml("InstanceType: inf2.8xlarge"),
    "instances.hpc": _yaml("InstanceType: hpc7a.96xlarge"),
    "network.efa": _yaml(r"Efa:\s+Enabled: true"),
    "placement.cluster": _yaml(r"PlacementGroup:\s+Enabled: true"),
    "placement.existing": _yaml(r"PlacementGroup:\s+Name: my-group"),
    "nodes.smt": _yaml("DisableSimultaneousMultithreading: true", gone=True),
    "nodes.image": _yaml("CustomAmi: ami-0a1b2c3d4e5f67890"),
    "nodes.scratch": _yaml(r"EphemeralVolume:\s+MountDir: /scratch"),
    "nodes.slurm-settings": _yaml(r"StaticNodePriority: 10"),
    "nodes.scaling": _yaml(r"MinCount: 0\s+MaxCount: 2"),
    "nodes.mixed-scaling": _yaml(r"MinCount: 1\s+MaxCount: 2"),
    "health.gpu": _yaml(r"HealthChecks:\s+Gpu:\s+Enabled: true"),
    "head.node": _yaml(r"HeadNode:\s+InstanceType: m7i.8xlarge"),
    "login.nodes": _yaml(r"LoginNodes:\s+Pools:\s+- Name: login\s+InstanceType: m7i.2xlarge"),
    "queues.slurm-settings": _yaml(r'CustomSlurmSettings:\s+GraceTime: "60"'),
    "storage.lustre": _yaml(r"MountDir: /data(.|\n)*FsxLustreSettings:\s+FileSystemId:"),
    "storage.lustre-efa": _yaml(r"OnNodeStart:\s+Sequence:\s+- Script: .*/lustre-efa\.sh"),
    "storage.openzfs": _yaml(r"MountDir: /data(.|\n)*FsxOpenZfsSettings:\s+VolumeId:"),
    "storage.ontap": _yaml(r"FsxOntapSettings:\s+VolumeId: fsvol-0a1b2c3d4e5f67892"),
    "storage.efs": _yaml(r"EfsSettings:\s+FileSystemId:.*\s+EncryptionInTransit: true"),
    "storage.ebs": _yaml(r"EbsSettings:\s+VolumeType: gp3\s+Size: 500"),
    "storage.file-cache": _yaml(r"FileCacheSettings:\s+FileCacheId: fc-0a1b2c3d4e5f67893"),
    "software.pyxis": _yaml(r"OnNodeConfigured:\s+Sequence:\s+- Script: .*/pyxis\.sh"),
    "software.scripts": _yaml('- Script: "s3://my-bucket/setup.sh"'),
    "users": Evidence(r"scripts/users\.sh", r"\balice\b(.|\n)*\b2001\b|\b2001\b(.|\n)*\balice\b"),
    "slurm.accounting-database": _yaml(
        rf'Uri: "db.example.com:3306"(.|\n)*PasswordSecretArn: "{_SECRET}"'
    ),
    "slurm.idle-timeout": _yaml("ScaledownIdletime: 20"),
    "slurm.settings": _yaml(r"CustomSlurmSettings:\s+- SchedulerParameters: defer"),
    "monitoring.cloudwatch-dashboard": _yaml(r"Dashboards:\s+CloudWatch:\s+Enabled: true"),
    "monitoring.log-retention": _yaml("RetentionInDays: 90"),
    **_made(),
}


def _template(pattern: str, *, gone: bool = False) -> Evidence:
    return Evidence(r"cluster\.template\.json", pattern, gone)


def _setting(list: str, name: str, value: str) -> Evidence:
    """A Slurm setting in one of PCS's lists."""
    pair = rf'"ParameterName": "{name}",\s*"ParameterValue": "{value}"'
    return _template(rf'"{list}": \[[^\]]*{pair}')


def _action(script: str, *arguments: str) -> Evidence:
    """A lifecycle action of PCS: its script, and the beginning of its arguments."""
    given = "".join(rf'[^\]]*"{argument}"' for argument in arguments)
    return _template(rf'/{script}"(.|\n)*?"Arguments": \[{given}' if given else rf'/{script}"')


_PCS: Rows = {
    "capacity.on-demand": _template('"PurchaseOption": "ONDEMAND"'),
    "capacity.spot": _template('"PurchaseOption": "SPOT"'),
    "capacity.reservation": _template(f'"CapacityReservationId": "{_HELD}"'),
    "capacity.reservation-group": _template(
        f'"CapacityReservationResourceGroupArn": "{_RESERVED}"'
    ),
    "capacity.block": _template(
        rf'"MarketType": "capacity-block"(.|\n)*"CapacityReservationId": "{_HELD}"'
        r'(.|\n)*"PurchaseOption": "CAPACITY_BLOCK"'
    ),
    "capacity.interruptible": _template('"PurchaseOption": "INTERRUPTIBLE_CAPACITY_RESERVATION"'),
    "instances.trainium": _template('"InstanceType": "trn1.32xlarge"'),
    "instances.inferentia": _template('"InstanceType": "inf2.8xlarge"'),
    "instances.hpc": _template('"InstanceType": "hpc7a.96xlarge"'),
    "instances.several-types": _template(
        r'"m7i.4xlarge"\s*\},\s*\{\s*"InstanceType": "m6i.4xlarge"'
    ),
    "instances.mixed-architecture": _template(r"/arm64/(.|\n)*m7g\.4xlarge"),
    "network.efa": _template('"InterfaceType": "efa"'),
    "network.efa-layout": _template('"InterfaceType": "efa-only"'),
    "placement.cluster": _template(r'"GroupName": \{\s*"Ref": "PlacementGroupNodes"'),
    "placement.existing": _template('"GroupName": "my-group"'),
    "nodes.image": _template('"AmiId": "ami-0a1b2c3d4e5f67890"'),
    "nodes.scratch": _action(r"scratch\.sh", "/scratch"),
    "nodes.mig": _setting("SlurmCustomSettings", "Gres", "gpu:1g.10gb:56"),
    "nodes.labels": _setting("SlurmCustomSettings", "Features", "team=blue"),
    "nodes.slurm-settings": _setting("SlurmCustomSettings", "Weight", "10"),
    "nodes.scaling": _template(r'"MinInstanceCount": 0,\s*"MaxInstanceCount": 2'),
    "nodes.mixed-scaling": _template(r'"MinInstanceCount": 1,\s*"MaxInstanceCount": 2'),
    "login.nodes": _template(r'"NodeGroupLogin"(.|\n)*"InstanceType": "m7i.2xlarge"'),
    "queues.slurm-settings": _setting("SlurmCustomSettings", "GraceTime", "60"),
    "queues.shared-groups": _template(
        r'"QueueDebug"(.|\n)*"ComputeNodeGroupConfigurations": \[[^\]]*"NodeGroupNodes"'
    ),
    "storage.lustre": _action(r"mount-fsx-lustre-v1\.0\.0\.sh", "--fsx-dns-name"),
    "storage.lustre-efa": _action(r"lustre-efa\.sh", "8"),
    "storage.openzfs": _action(r"mount-nfs\.sh", "/data"),
    "storage.ontap": _action(r"mount-nfs\.sh", "/data", "fsvol-0a1b2c3d4e5f67892"),
    "storage.efs": _action(r"mount-efs-v1\.0\.0\.sh", "--file-system-id"),
    "storage.file-cache": _action(r"mount-fsx-lustre-v1\.0\.0\.sh", "--fsx-dns-name", 'fc-[^"]*'),
    "software.docker": _action(r"containers\.sh", "docker"),
    "software.scripts": _template('"ScriptLocation": "s3://my-bucket/setup.sh"'),
    "slurm.version": _template('"Version": "25.05"'),
    "slurm.accounting-managed": _template(r'"Accounting": \{\s*"Mode": "STANDARD"'),
    "slurm.idle-timeout": _template('"ScaleDownIdleTimeInSeconds": 1200'),
    "slurm.settings": _setting("SlurmCustomSettings", "SchedulerParameters", "defer"),
    "slurm.slurmdbd-settings": _setting("SlurmdbdCustomSettings", "PurgeJobAfter", "12months"),
    "slurm.cgroup-settings": _setting("CgroupCustomSettings", "ConstrainRAMSpace", "yes"),
    "monitoring.log-retention": _template('"RetentionInDays": 90'),
    **_made(),
}


_BOTH = r"(.|\n)*?"


def _volume(source: str, driver: str = "") -> Several:
    """A volume for pods, with what it is mounted from, and the add-on that does it."""
    volume = Evidence(r"manifests/.*\.yaml", rf"kind: PersistentVolume\n{_BOTH}{source}")
    return Several((volume, *([_template(f'"AddonName": "{driver}"')] if driver else [])))


def _request(pattern: str, *, gone: bool = False) -> Evidence:
    return Evidence(r"create-cluster\.json", pattern, gone)


_SAGEMAKER: Rows = {
    "capacity.training-plan": _request('"TrainingPlanArn": "arn:.*:training-plan/plan"'),
    "instances.ultraserver": _request('"InstanceType": "ml.p6e-gb200.36xlarge"'),
    "instances.trainium": _request('"InstanceType": "ml.trn1.32xlarge"'),
    "instances.several-types": _request(r'"InstanceTypes": \[\s*"ml.m7i.4xlarge",\s*"ml.m6i.4x'),
    "instances.mixed-architecture": _request('"InstanceType": "ml.m7g.4xlarge"'),
    "network.efa-layout": _request('"InterfaceType": "efa"'),
    "nodes.smt": _request('"ThreadsPerCore": 2'),
    "nodes.image": _request('"ImageId": "ami-0a1b2c3d4e5f67890"'),
    "health.deep": _request(r'"OnStartDeepHealthChecks": \[\s*"InstanceStress"'),
    "resilience.replace": _request('"NodeRecovery": "None"'),
    **_made(),
}
"""What both kinds of HyperPod say in the same words."""

_HYPERPOD_SLURM: Rows = {
    **_SAGEMAKER,
    "capacity.on-demand": _request("TrainingPlanArn", gone=True),
    "head.node": _request(r'"InstanceGroupName": "controller",\s*"InstanceType": "ml.m7i.8xlarge"'),
    "login.nodes": _request(r'"InstanceGroupName": "login",\s*"InstanceType": "ml.m7i.2xlarge"'),
    "nodes.smt": _request(r'"nodes"[^{]*(\{[^}]*\}[^{}]*)*"ThreadsPerCore": 2'),
    "storage.lustre": _request(r'"FsxLustreConfig": \{(.|\n)*?"MountPath": "/data"'),
    "storage.lustre-efa": Evidence(r"lifecycle/on_init_complete\.sh", r"lustre-efa\.sh 8"),
    "storage.openzfs": _request(r'"FsxOpenZfsConfig": \{(.|\n)*?"MountPath": "/data"'),
    "storage.file-cache": _request(r'"FsxLustreConfig": \{\s*"DnsName": "fc-0a1b2c3d4e5f67893'),
    "software.scripts": Evidence("lifecycle/.*", "s3://my-bucket/setup.sh"),
    "slurm.accounting-database": _request(
        rf'"Endpoint": "db.example.com"(.|\n)*"SecretArn": "{_SECRET}"'
    ),
}

_HYPERPOD_EKS: Rows = {
    **_SAGEMAKER,
    "capacity.on-demand": _request('"Spot"', gone=True),
    "capacity.spot": _request(r'"CapacityRequirements": \{\s*"Spot"'),
    "nodes.mig": _request('"nvidia.com/mig.config": "all-1g.10gb"'),
    "nodes.labels": _request(r'"Labels": \{\s*"team": "blue"'),
    "nodes.taints": _request(r'"Taints": \[\s*\{\s*"Key": "team",\s*"Value": "blue"'),
    "nodes.scaling": Evidence(r"manifests/karpenter\.yaml", "kind: NodePool"),
    "storage.openzfs": _volume(r"nfs:\s+server:"),
    "storage.ontap": _volume(r'server: "?svm-0a1b2c3d4e5f67892'),
    "storage.lustre-efa": Evidence(r"lifecycle/on_create\.sh", r"lustre-efa\.sh 8"),
    "software.scripts": Evidence("lifecycle/.*", "s3://my-bucket/setup.sh"),
    "kubernetes": _request(r'"AutoScaling": \{\s*"Mode": "Enable"'),
    "resilience.auto-resume": Evidence(
        r"manifests/helm-values\.yaml", r"job-auto-restart:\s+enabled: true"
    ),
}


def _kueue(pattern: str) -> Evidence:
    return Evidence(r"manifests/.*\.yaml", pattern)


_EKS: Rows = {
    "capacity.on-demand": _template('"CapacityType": "SPOT"', gone=True),
    "capacity.spot": _template('"CapacityType": "SPOT"'),
    "capacity.reservation": _template(f'"CapacityReservationId": "{_HELD}"'),
    "capacity.reservation-group": _template(
        f'"CapacityReservationResourceGroupArn": "{_RESERVED}"'
    ),
    "capacity.block": _template(
        rf'"CapacityReservationId": "{_HELD}"{_BOTH}"MarketType": "capacity-block"'
        rf'{_BOTH}"CapacityType": "CAPACITY_BLOCK"'
    ),
    "instances.ultraserver": _template("p6e-gb200.36xlarge"),
    "instances.trainium": _template(r'"AL2023_x86_64_NEURON"(.|\n)*"trn1\.32xlarge"'),
    "instances.inferentia": _template(r'"AL2023_x86_64_NEURON"(.|\n)*"inf2\.8xlarge"'),
    "instances.hpc": _template('"hpc7a.96xlarge"'),
    "instances.several-types": _template(
        r'"InstanceTypes": \[\s*"m7i.4xlarge",\s*"m6i.4xlarge"\s*\]'
    ),
    "instances.mixed-architecture": _template(r'"AL2023_ARM_64_STANDARD"(.|\n)*"m7g\.4xlarge"'),
    "network.efa": _template('"InterfaceType": "efa-only"'),
    "network.efa-layout": _template('"InterfaceType": "efa"'),
    "placement.cluster": _template(r'"GroupName": \{\s*"Ref": "NodeGroupNodesPlacementGroup"'),
    "placement.existing": _template('"GroupName": "my-group"'),
    "nodes.smt": _template('"ThreadsPerCore": 1', gone=True),
    "nodes.image": _template('"ImageId": "ami-0a1b2c3d4e5f67890"'),
    "nodes.mig": _template('"nvidia.com/mig.config": '),
    "nodes.labels": _template(r'"Labels": \{\s*"team": "blue"'),
    "nodes.taints": _template(r'"Key": "team",\s*"Value": "blue"'),
    "queues.shared-groups": _kueue(r"kind: ClusterQueue\nmetadata:\n  name: debug"),
    "storage.lustre": _volume(r"driver: fsx\.csi\.aws\.com", "aws-fsx-csi-driver"),
    "storage.openzfs": _volume(r"nfs:\s+server:"),
    "storage.ontap": _volume(r'server: "?svm-0a1b2c3d4e5f67892'),
    "storage.efs": _volume(r"driver: efs\.csi\.aws\.com", "aws-efs-csi-driver"),
    "storage.bucket": _volume(r"driver: s3\.csi\.aws\.com", "aws-mountpoint-s3-csi-driver"),
    "storage.file-cache": _volume("fc-0a1b2c3d4e5f67893", "aws-fsx-csi-driver"),
    "software.scripts": _template("run_script s3://my-bucket/setup.sh"),
    "kubernetes": _template('"Version": "1.34"'),
    "monitoring.prometheus": _template('"AWS::APS::Scraper"'),
    "monitoring.cloudwatch-dashboard": _template('"amazon-cloudwatch-observability"'),
    "monitoring.log-retention": _template('"RetentionInDays": 90'),
    "resilience.replace": _template(r'"NodeRepairConfig": \{\s*"Enabled": false'),
    **_made(),
}

EVIDENCE: Mapping[str, Rows] = {
    PC: _PARALLELCLUSTER,
    PCS: _PCS,
    HP: _HYPERPOD_SLURM,
    HPE: _HYPERPOD_EKS,
    EKS: _EKS,
}
"""By target and feature: every feature that the target supports in full, and no other."""
