"""How AWS PCS supports each feature.

A source without https:// is a page of the PCS user guide, read on 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Level, Support, monitoring
from clustergen.features.elsewhere import ELSEWHERE
from clustergen.targets.pcs.limits import CREATE_CLUSTER, CREATE_NODE_GROUP, USER_GUIDE


def _support(level: Level, how: str, page: str) -> Support:
    return Support(level, how, page if page.startswith("https://") else f"{USER_GUIDE}{page}.html")


_ACTIONS = "cng-node-lifecycle-actions"
_AWS_SCRIPTS = "cng-node-lifecycle-actions-vetted-scripts"

_EBS = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html"

_CAPACITY = {
    "capacity.on-demand": _support("full", "PurchaseOption: ONDEMAND", CREATE_NODE_GROUP),
    "capacity.spot": _support(
        "full", "PurchaseOption: SPOT, with capacity-optimized allocation", CREATE_NODE_GROUP
    ),
    "capacity.reservation": _support(
        "full",
        "PurchaseOption: ONDEMAND, with the reservation in the launch template; no nodes start "
        "outside it",
        "capacity-reservations-odcr",
    ),
    "capacity.reservation-group": _support(
        "full",
        "PurchaseOption: ONDEMAND, with the group in the launch template; once it is full, nodes "
        "start On-Demand",
        "capacity-reservations-odcr",
    ),
    "capacity.block": _support(
        "full",
        "PurchaseOption: CAPACITY_BLOCK; one block per node group, which ends with it",
        "capacity-blocks-configure-cng",
    ),
    "capacity.interruptible": _support(
        "full",
        "PurchaseOption: INTERRUPTIBLE_CAPACITY_RESERVATION; nodes stop two minutes after a "
        "warning",
        "capacity-reservations-iodcr",
    ),
    "capacity.dates": _support(
        "full",
        "timetable.sh on login nodes: Slurm reservations keep jobs off nodes; schedules call "
        "UpdateComputeNodeGroup",
        "capacity-blocks-faq",
    ),
    "capacity.training-plan": _support(
        "none",
        "training plans reserve SageMaker instances; use {capacity_block: cr-...}",
        CREATE_NODE_GROUP,
    ),
}

_MACHINES = {
    "instances.ultraserver": _support(
        "partial",
        "PCS sets up the block topology; provide the prolog that configures NVIDIA IMEX for each "
        "job, with slurm.settings Prolog and PrologFlags",
        "capacity-blocks-nvidia-imex",
    ),
    "instances.trainium": _support("full", "InstanceConfigs: any EC2 type", CREATE_NODE_GROUP),
    "instances.inferentia": _support("full", "InstanceConfigs: any EC2 type", CREATE_NODE_GROUP),
    "instances.hpc": _support("full", "InstanceConfigs: any EC2 type", CREATE_NODE_GROUP),
    "instances.several-types": _support(
        "full",
        "InstanceConfigs with all of them, of one architecture, vCPU and GPU count; PCS documents "
        "no order among them",
        "working-with_cng_create",
    ),
    "instances.mixed-architecture": _support(
        "full", "AmiId for the architecture of each node group", CREATE_NODE_GROUP
    ),
    "network.efa": _support(
        "full",
        "NetworkInterfaces of the launch template",
        "working-with_networking_efa_create-lt",
    ),
    "network.efa-layout": _support(
        "full",
        "InterfaceType of the launch template's NetworkInterfaces; PCS documents only efa",
        "working-with_networking_efa_create-lt",
    ),
    "network.no-internet": _support(
        "full",
        "AWS::EC2::VPCEndpoint in the foundation, in place of NAT",
        "vpc-interface-endpoints",
    ),
    "placement.cluster": _support(
        "full",
        "AWS::EC2::PlacementGroup in the launch template's Placement",
        "working-with_networking_placement-groups",
    ),
    "placement.existing": _support(
        "full",
        "GroupName of the launch template's Placement",
        "working-with_networking_placement-groups",
    ),
    "nodes.smt": _support(
        "none",
        "PCS disables SMT on every node; remove threads_per_core",
        "working-with_launch-templates_overview",
    ),
    "nodes.image": _support(
        "full", "AmiId; the image needs the PCS agent 1.5.0-1 or later", CREATE_NODE_GROUP
    ),
    "nodes.scratch": _support(
        "full", "mounted by a script in the bundle, as a lifecycle action", _ACTIONS
    ),
    "nodes.mig": _support(
        "full",
        "a boot hook partitions the GPUs; Gres and GresCustomSettings declare them to Slurm",
        "mig-configuration",
    ),
    "nodes.labels": _support(
        "full", "Features of the node group, as key=value", "slurm-custom-settings-cng"
    ),
    "nodes.taints": _support(
        "partial",
        "ignored: taints exist only in Kubernetes; use queues to control where jobs run",
        "slurm-custom-settings-cng",
    ),
    "nodes.slurm-settings": _support(
        "full",
        "SlurmCustomSettings of the node group, from its allow-list",
        "slurm-custom-settings-cng",
    ),
    "nodes.scaling": _support("full", "ScalingConfiguration of the node group", CREATE_NODE_GROUP),
    "nodes.mixed-scaling": _support(
        "full", "ScalingConfiguration with 0 < min < max", CREATE_NODE_GROUP
    ),
    "health.gpu": _support(
        "partial",
        "checked at each boot: a node with missing accelerators is replaced before it gets a job; "
        "for later checks, set HealthCheckProgram",
        _ACTIONS,
    ),
    "health.deep": _support(
        "none",
        "PCS has no deep health checks; keep only gpu",
        _ACTIONS,
    ),
    "head.node": _support(
        "managed",
        "PCS runs the controller; its size is targets.pcs.size",
        CREATE_CLUSTER,
    ),
    "login.nodes": _support(
        "full", "a node group without a queue, min = max", "working-with_login-nodes"
    ),
}

_QUEUES = {
    "queues.slurm-settings": _support(
        "full",
        "SlurmCustomSettings of the queue, from its allow-list",
        "slurm-custom-settings-queue",
    ),
    "queues.shared-groups": _support(
        "full", "a node group can be in any number of queues", "working-with_queues"
    ),
    "queues.parts": _support(
        "none",
        "a PCS queue has whole node groups; write one for each part",
        "working-with_queues",
    ),
}

_STORAGE = {
    "storage.lustre": _support("full", "mounted by a script in the bundle", _ACTIONS),
    "storage.lustre-efa": _support(
        "full",
        "a script in the bundle configures Lustre networking over EFA before the mount",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    ),
    "storage.lustre-metadata": _support("full", "created by the foundation", _AWS_SCRIPTS),
    "storage.intelligent-tiering": _support("full", "created by the foundation", _AWS_SCRIPTS),
    "storage.data-repositories": _support("full", "created by the foundation", _AWS_SCRIPTS),
    "storage.openzfs": _support("full", "mounted over NFS by a script in the bundle", _ACTIONS),
    "storage.ontap": _support(
        "full", "mounted over NFS by a script in the bundle, which asks FSx for the path", _ACTIONS
    ),
    "storage.efs": _support(
        "full",
        "mounted by a script in the bundle: with efs-utils and TLS where the image has them",
        _ACTIONS,
    ),
    "storage.ebs": _support(
        "none",
        "there is no head node to share a volume; use fsx-openzfs or efs",
        CREATE_CLUSTER,
    ),
    "storage.bucket": _support(
        "partial",
        "mounted by a script in the bundle if the image has mount-s3",
        _ACTIONS,
    ),
    "storage.file-cache": _support(
        "full",
        "mounted by a script in the bundle, with the DNS and mount names of the cache",
        _ACTIONS,
    ),
}

_SOFTWARE = {
    "software.pyxis": _support(
        "partial",
        "Pyxis is built for one Slurm version, so the image must include it; nodes check for it "
        "and "
        "create directories for each user",
        "https://github.com/NVIDIA/pyxis#installation",
    ),
    "software.docker": _support("full", "a lifecycle action enables Docker in the image", _ACTIONS),
    "software.scripts": _support(
        "full", "NodeLifecycleActions, in the stage NodeBootstrapped", _ACTIONS
    ),
    "users": _support(
        "partial",
        "created on every node at boot by a script in the bundle; a change replaces the nodes",
        _ACTIONS,
    ),
}

_SLURM = {
    "slurm.version": _support("full", "Scheduler.Version", "slurm-versions"),
    "slurm.accounting-managed": _support(
        "full", "Accounting.Mode: STANDARD, charged by the hour", "slurm-accounting"
    ),
    "slurm.accounting-database": _support(
        "none",
        "PCS stores job records itself; use accounting: managed",
        "slurm-accounting",
    ),
    "slurm.accounts": _support(
        "full", "a lifecycle action of login nodes creates them with sacctmgr", "slurm-accounting"
    ),
    "slurm.idle-timeout": _support("full", "ScaleDownIdleTimeInSeconds", CREATE_CLUSTER),
    "nodes.volume-key": _support("full", "KmsKeyId of the launch template", _EBS),
    "nodes.volume-kept": _support("full", "DeleteOnTermination: false", _EBS),
    "nodes.tags": _support(
        "full",
        "Tags of the node group, and TagSpecifications of the launch template",
        CREATE_NODE_GROUP,
    ),
    "nodes.unencrypted": _support(
        "full",
        "Encrypted of the launch template",
        _EBS,
    ),
    "software.scripts-failure": _support(
        "full", "OnError of the action: TERMINATE or CONTINUE", CREATE_NODE_GROUP
    ),
    "software.scripts-every-boot": _support(
        "full", "ExecutionPolicy of the action: EVERY_BOOT", CREATE_NODE_GROUP
    ),
    "nodes.iam": _support(
        "full", "a role and an instance profile for these nodes", CREATE_NODE_GROUP
    ),
    "nodes.allocation": _support(
        "full",
        "AllocationStrategy of Spot Instances; others have none",
        CREATE_NODE_GROUP,
    ),
    "nodes.subnets": _support("full", "SubnetIds of the node group", CREATE_NODE_GROUP),
    "nodes.zone": _support(
        "full", "a subnet of the foundation; SubnetIds of the node group", CREATE_NODE_GROUP
    ),
    "nodes.security-groups": _support("full", "Groups of the launch template", CREATE_NODE_GROUP),
    "nodes.instance-profile": _support(
        "full", "IamInstanceProfileArn of the node group", CREATE_NODE_GROUP
    ),
    "nodes.role": _support(
        "none", "PCS knows instance profiles; write iam.instance_profile", CREATE_NODE_GROUP
    ),
    "slurm.idle-never": _support(
        "none",
        "PCS stops idle nodes after 10,000,000 seconds at most; write 115d, or count: N",
        CREATE_CLUSTER,
    ),
    "slurm.settings": _support(
        "full", "SlurmCustomSettings, from an allow-list", "slurm-custom-settings-cluster"
    ),
    "slurm.slurmdbd-settings": _support(
        "full", "SlurmdbdCustomSettings, from an allow-list", "slurmdbd-custom-settings"
    ),
    "slurm.cgroup-settings": _support(
        "full", "CgroupCustomSettings, from an allow-list", "cgroup-custom-settings"
    ),
    "kubernetes": _support("partial", "ignored: PCS runs Slurm", CREATE_CLUSTER),
}

_OPERATION = {
    "monitoring.prometheus": _support(
        "full",
        "a lifecycle action: nodes send metrics of the node, GPUs, EFA, storage and Slurm with the "
        "CloudWatch agent",
        "slurm-metrics",
    ),
    "monitoring.cloudwatch-metrics": monitoring.SLURM_CLOUDWATCH,
    "monitoring.cloudwatch-dashboard": _support(
        "full",
        "a dashboard with what AWS measures of instances and storage",
        "monitoring-cloudwatch_metrics",
    ),
    "monitoring.log-retention": _support(
        "full",
        "RetentionInDays of the log groups, rounded up to a value of CloudWatch",
        "monitoring_scheduler-logs",
    ),
    "resilience.replace": _support(
        "managed",
        "PCS always replaces failed nodes",
        "working-with_cng",
    ),
    "resilience.auto-resume": _support(
        "partial",
        "jobs of a failed node are requeued (JobRequeue=1) and resume from their own checkpoint",
        "slurm-custom-settings-cluster",
    ),
}

SUPPORT: Mapping[str, Support] = MappingProxyType(
    {**monitoring.SHARED, **ELSEWHERE}
    | _CAPACITY
    | _MACHINES
    | _QUEUES
    | _STORAGE
    | _SOFTWARE
    | _SLURM
    | _OPERATION
)
"""Support by feature id, for every feature."""
