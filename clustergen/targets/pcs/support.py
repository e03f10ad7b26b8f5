"""What AWS PCS makes of each feature.

A source without https:// is a page of the PCS user guide, read on 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Level, Support
from clustergen.targets.pcs.limits import CREATE_CLUSTER, CREATE_NODE_GROUP, USER_GUIDE


def _support(level: Level, how: str, page: str) -> Support:
    return Support(level, how, page if page.startswith("https://") else f"{USER_GUIDE}{page}.html")


_ACTIONS = "cng-node-lifecycle-actions"
_AWS_SCRIPTS = "cng-node-lifecycle-actions-vetted-scripts"

_CAPACITY = {
    "capacity.on-demand": _support("full", "PurchaseOption: ONDEMAND", CREATE_NODE_GROUP),
    "capacity.spot": _support(
        "full", "PurchaseOption: SPOT, with price-capacity-optimized allocation", CREATE_NODE_GROUP
    ),
    "capacity.reservation": _support(
        "full",
        "PurchaseOption: ONDEMAND and the reservation in the launch template; nothing starts "
        "outside it",
        "capacity-reservations-odcr",
    ),
    "capacity.reservation-group": _support(
        "full",
        "PurchaseOption: ONDEMAND and the group in the launch template; full, it is topped up "
        "On-Demand",
        "capacity-reservations-odcr",
    ),
    "capacity.block": _support(
        "full",
        "PurchaseOption: CAPACITY_BLOCK; one block a node group, which ends with it",
        "capacity-blocks-configure-cng",
    ),
    "capacity.interruptible": _support(
        "full",
        "PurchaseOption: INTERRUPTIBLE_CAPACITY_RESERVATION; nodes leave two minutes after a "
        "warning",
        "capacity-reservations-iodcr",
    ),
    "capacity.training-plan": _support(
        "none",
        "training plans reserve SageMaker instances; take {capacity_block: cr-...} or a HyperPod "
        "target",
        CREATE_NODE_GROUP,
    ),
}

_MACHINES = {
    "instances.ultraserver": _support(
        "partial",
        "PCS sets up the block topology; the prolog that configures NVIDIA IMEX for each job is "
        "yours: slurm.settings Prolog and PrologFlags",
        "capacity-blocks-nvidia-imex",
    ),
    "instances.trainium": _support("full", "InstanceConfigs: any EC2 type", CREATE_NODE_GROUP),
    "instances.inferentia": _support("full", "InstanceConfigs: any EC2 type", CREATE_NODE_GROUP),
    "instances.hpc": _support("full", "InstanceConfigs: any EC2 type", CREATE_NODE_GROUP),
    "instances.several-types": _support(
        "full",
        "InstanceConfigs with all of them, of one architecture, vCPU and GPU count",
        "working-with_cng_create",
    ),
    "instances.mixed-architecture": _support(
        "full", "AmiId of each node group's own architecture", CREATE_NODE_GROUP
    ),
    "network.efa": _support(
        "full",
        "NetworkInterfaces of the launch template",
        "working-with_networking_efa_create-lt",
    ),
    "network.efa-layout": _support(
        "full",
        "InterfaceType of the launch template's NetworkInterfaces; PCS documents the form efa only",
        "working-with_networking_efa_create-lt",
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
        "PCS switches SMT off on every node; leave threads_per_core out",
        "working-with_launch-templates_overview",
    ),
    "nodes.image": _support(
        "full", "AmiId; it needs the PCS agent 1.5.0-1 or newer", CREATE_NODE_GROUP
    ),
    "nodes.scratch": _support(
        "full", "a script of the bundle mounts it, as a lifecycle action", _ACTIONS
    ),
    "nodes.mig": _support(
        "full",
        "a boot hook partitions the GPUs; Gres and GresCustomSettings tell Slurm",
        "mig-configuration",
    ),
    "nodes.labels": _support(
        "full", "Features of the node group, as key=value", "slurm-custom-settings-cng"
    ),
    "nodes.taints": _support(
        "partial",
        "left out: taints are Kubernetes'; keep jobs away with queues",
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
        "checked at each boot: a node that lacks accelerators is replaced before a job gets it; "
        "afterwards only by a HealthCheckProgram of yours",
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
        "full", "a node group that no queue has, min = max", "working-with_login-nodes"
    ),
}

_QUEUES = {
    "queues.slurm-settings": _support(
        "full",
        "SlurmCustomSettings of the queue, from its allow-list",
        "slurm-custom-settings-queue",
    ),
    "queues.shared-groups": _support(
        "full", "queues name node groups freely", "working-with_queues"
    ),
}

_STORAGE = {
    "storage.lustre": _support("full", "the AWS-maintained script mount-fsx-lustre", _AWS_SCRIPTS),
    "storage.lustre-efa": _support(
        "full",
        "a script of the bundle sets up Lustre's network over EFA before the mount",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    ),
    "storage.lustre-metadata": _support(
        "full", "the foundation makes the file system", _AWS_SCRIPTS
    ),
    "storage.intelligent-tiering": _support(
        "full", "the foundation makes the file system", _AWS_SCRIPTS
    ),
    "storage.data-repositories": _support(
        "full", "the foundation makes the associations", _AWS_SCRIPTS
    ),
    "storage.openzfs": _support("full", "a script of the bundle mounts it over NFS", _ACTIONS),
    "storage.ontap": _support(
        "full", "a script of the bundle mounts it over NFS, by the path that FSx tells it", _ACTIONS
    ),
    "storage.efs": _support("full", "the AWS-maintained script mount-efs", _AWS_SCRIPTS),
    "storage.ebs": _support(
        "none",
        "there is no head node to share a volume; take fsx-openzfs or efs",
        CREATE_CLUSTER,
    ),
    "storage.bucket": _support(
        "partial",
        "a script of the bundle mounts it where the image has mount-s3",
        _ACTIONS,
    ),
    "storage.file-cache": _support(
        "full",
        "the AWS-maintained script mount-fsx-lustre, with the cache's names",
        _AWS_SCRIPTS,
    ),
}

_SOFTWARE = {
    "software.pyxis": _support(
        "partial",
        "Pyxis is built for one Slurm version, so the image has to bring it; the nodes check for "
        "it and give each user folders of their own",
        "https://github.com/NVIDIA/pyxis#installation",
    ),
    "software.docker": _support(
        "full", "the image's Docker is enabled by a lifecycle action", _ACTIONS
    ),
    "software.scripts": _support(
        "full", "NodeLifecycleActions, in the stage NodeBootstrapped", _ACTIONS
    ),
    "users": _support(
        "partial",
        "a script of the bundle makes them on every node at boot; a change replaces the nodes",
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
        "PCS keeps job records itself: write accounting: managed",
        "slurm-accounting",
    ),
    "slurm.idle-timeout": _support("full", "ScaleDownIdleTimeInSeconds", CREATE_CLUSTER),
    "slurm.settings": _support(
        "full", "SlurmCustomSettings, from an allow-list", "slurm-custom-settings-cluster"
    ),
    "slurm.slurmdbd-settings": _support(
        "full", "SlurmdbdCustomSettings, from an allow-list", "slurmdbd-custom-settings"
    ),
    "slurm.cgroup-settings": _support(
        "full", "CgroupCustomSettings, from an allow-list", "cgroup-custom-settings"
    ),
    "kubernetes": _support("partial", "left out: PCS runs Slurm", CREATE_CLUSTER),
}

_OPERATION = {
    "monitoring.prometheus": _support(
        "partial",
        "Slurm's own metrics are opened on the controller; workspace and scraper are yours",
        "slurm-metrics",
    ),
    "monitoring.cloudwatch-dashboard": _support(
        "partial",
        "metrics are in the namespace AWS/PCS; no dashboard is made",
        "monitoring-cloudwatch_metrics",
    ),
    "monitoring.grafana": _support(
        "none",
        "no dashboards are made for PCS; write dashboards: cloudwatch",
        "monitoring-cloudwatch_metrics",
    ),
    "monitoring.log-retention": _support(
        "full",
        "RetentionInDays of the log groups, the next longer one that CloudWatch has",
        "monitoring_scheduler-logs",
    ),
    "resilience.replace": _support(
        "managed",
        "PCS replaces nodes that fail; it cannot be told not to",
        "working-with_cng",
    ),
    "resilience.auto-resume": _support(
        "partial",
        "jobs of a failed node are queued again (JobRequeue=1) and go on from their own checkpoint",
        "slurm-custom-settings-cluster",
    ),
}

SUPPORT: Mapping[str, Support] = MappingProxyType(
    _CAPACITY | _MACHINES | _QUEUES | _STORAGE | _SOFTWARE | _SLURM | _OPERATION
)
"""Support by feature id, for every feature there is."""
