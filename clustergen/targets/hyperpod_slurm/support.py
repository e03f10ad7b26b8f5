"""What Slurm on SageMaker HyperPod makes of each feature.

A source without https:// is a page of the SageMaker developer guide, read on 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Level, Support
from clustergen.hyperpod.limits import CREATE_CLUSTER, GUIDE, INSTANCE_GROUP


def _support(level: Level, how: str, page: str) -> Support:
    return Support(level, how, page if page.startswith("https://") else f"{GUIDE}{page}.html")


_SLURM_API = "smcluster-getting-started-slurm-cli"
_REFERENCE = "sagemaker-hyperpod-ref"
_LIFECYCLE = "sagemaker-hyperpod-lifecycle-best-practices-slurm"
_CONTINUOUS = "sagemaker-hyperpod-scaling-slurm"
_RESILIENCY = "sagemaker-hyperpod-resiliency-slurm"

_CAPACITY = {
    "capacity.on-demand": _support("full", "InstanceCount of the group", INSTANCE_GROUP),
    "capacity.spot": _support(
        "none",
        "Spot is for HyperPod with EKS; take on-demand, or the hyperpod-eks, parallelcluster or "
        "pcs target",
        "sagemaker-hyperpod-spot-instances",
    ),
    "capacity.reservation": _support(
        "none",
        "HyperPod has no field for a reservation of EC2; take {training_plan: arn...}, or the "
        "parallelcluster or pcs target",
        INSTANCE_GROUP,
    ),
    "capacity.reservation-group": _support(
        "none",
        "HyperPod has no field for reservations of EC2; take {training_plan: arn...}, or the "
        "parallelcluster or pcs target",
        INSTANCE_GROUP,
    ),
    "capacity.block": _support(
        "none",
        "HyperPod has no field for a Capacity Block; take {training_plan: arn...}, or the "
        "parallelcluster or pcs target",
        INSTANCE_GROUP,
    ),
    "capacity.interruptible": _support(
        "none",
        "HyperPod has no field for reservations of EC2; take {training_plan: arn...}, or the pcs "
        "target",
        INSTANCE_GROUP,
    ),
    "capacity.training-plan": _support(
        "full", "TrainingPlanArn of the group", "reserve-capacity-with-training-plans"
    ),
}

_MACHINES = {
    "instances.ultraserver": _support(
        "full", "a training plan of UltraServers; topology by itself", "sagemaker-hyperpod-topology"
    ),
    "instances.trainium": _support("full", "InstanceType, trn1 and trn2", INSTANCE_GROUP),
    "instances.inferentia": _support(
        "none",
        "HyperPod has no Inferentia; take Trainium, or the parallelcluster, pcs or eks target",
        INSTANCE_GROUP,
    ),
    "instances.hpc": _support(
        "none",
        "HyperPod has no HPC instances; take c or m types, or the parallelcluster or pcs target",
        INSTANCE_GROUP,
    ),
    "instances.several-types": _support(
        "full", "InstanceRequirements, in order of priority", INSTANCE_GROUP
    ),
    "instances.mixed-architecture": _support(
        "full", "the image of each group's own architecture", INSTANCE_GROUP
    ),
    "network.efa": _support(
        "managed",
        "HyperPod attaches EFA where the type has it",
        "sagemaker-hyperpod-prerequisites",
    ),
    "network.efa-layout": _support("full", "NetworkInterface.InterfaceType", INSTANCE_GROUP),
    "placement.cluster": _support(
        "partial",
        "no field for a placement group: HyperPod places the nodes of a subnet itself",
        INSTANCE_GROUP,
    ),
    "placement.existing": _support(
        "none",
        "HyperPod has no field for a placement group; leave placement out, or take the "
        "parallelcluster or pcs target",
        INSTANCE_GROUP,
    ),
    "nodes.smt": _support("full", "ThreadsPerCore: 2", INSTANCE_GROUP),
    "nodes.image": _support(
        "full", "ImageId: an unencrypted image of the same account", INSTANCE_GROUP
    ),
    "nodes.scratch": _support(
        "partial",
        "HyperPod mounts local NVMe at /opt/dlami/nvme; the lifecycle script binds it",
        _LIFECYCLE,
    ),
    "nodes.mig": _support(
        "none",
        "MIG is for HyperPod with EKS; take the hyperpod-eks or pcs target",
        "sagemaker-hyperpod-eks-gpu-partitioning",
    ),
    "nodes.labels": _support(
        "none",
        "HyperPod writes the nodes of slurm.conf itself; leave labels out and tell groups apart by "
        "their queues",
        _REFERENCE,
    ),
    "nodes.taints": _support(
        "partial",
        "left out: taints are Kubernetes'; keep jobs away with queues",
        INSTANCE_GROUP,
    ),
    "nodes.scaling": _support(
        "none",
        "nodes of Slurm on HyperPod do not come and go with jobs: write count: N, or take the "
        "hyperpod-eks, parallelcluster or pcs target",
        _CONTINUOUS,
    ),
    "nodes.mixed-scaling": _support(
        "none",
        "nodes of Slurm on HyperPod do not come and go with jobs: write count: N, or take the "
        "parallelcluster or pcs target",
        _CONTINUOUS,
    ),
    "health.gpu": _support(
        "managed", "the health monitoring agent watches every accelerator", _RESILIENCY
    ),
    "health.deep": _support("full", "OnStartDeepHealthChecks", INSTANCE_GROUP),
    "head.node": _support("full", "the instance group controller", _SLURM_API),
    "login.nodes": _support("full", "the instance group login", _SLURM_API),
}

_QUEUES = {
    "queues.slurm-settings": _support(
        "partial",
        "the lifecycle script adds them to the partition's line; HyperPod writes the nodes in it",
        _REFERENCE,
    ),
    "queues.shared-groups": _support(
        "none",
        "an instance group is in one partition; give each queue a group of its own",
        _REFERENCE,
    ),
}

_STORAGE = {
    "storage.lustre": _support("full", "FsxLustreConfig of each group", _SLURM_API),
    "storage.lustre-efa": _support(
        "full",
        "on groups with EFA the lifecycle script sets up Lustre's client for it, then mounts",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    ),
    "storage.lustre-metadata": _support("full", "made by the foundation", _SLURM_API),
    "storage.intelligent-tiering": _support("full", "made by the foundation", _SLURM_API),
    "storage.data-repositories": _support("full", "made by the foundation", _SLURM_API),
    "storage.openzfs": _support("full", "FsxOpenZfsConfig of each group", _SLURM_API),
    "storage.ontap": _support(
        "partial", "the lifecycle script mounts it, by the path that FSx tells it", _LIFECYCLE
    ),
    "storage.efs": _support("partial", "the lifecycle script mounts it over NFS", _LIFECYCLE),
    "storage.ebs": _support(
        "none", "the controller shares no volume; take fsx-openzfs", _SLURM_API
    ),
    "storage.bucket": _support(
        "partial", "the lifecycle script mounts it where the image has mount-s3", _LIFECYCLE
    ),
    "storage.file-cache": _support(
        "full", "FsxLustreConfig with the names of the cache", INSTANCE_GROUP
    ),
}

_SOFTWARE = {
    "software.pyxis": _support("managed", "HyperPod's image has Enroot and Pyxis", _SLURM_API),
    "software.docker": _support("managed", "HyperPod's image has Docker", _SLURM_API),
    "software.scripts": _support("full", "run by the lifecycle script", _LIFECYCLE),
    "users": _support(
        "partial",
        "the lifecycle script makes them when a node is made; a change reaches new nodes",
        _LIFECYCLE,
    ),
}

_SLURM = {
    "slurm.version": _support(
        "none",
        "HyperPod's image decides the version; leave slurm.version out, or take the pcs target",
        "sagemaker-hyperpod-release-ami-slurm",
    ),
    "slurm.accounting-managed": _support(
        "managed", "a MariaDB on the controller, set up by HyperPod", _SLURM_API
    ),
    "slurm.accounting-database": _support(
        "full", "Orchestrator.Slurm.AccountingDatabase, continuous provisioning", CREATE_CLUSTER
    ),
    "slurm.settings": _support(
        "partial",
        "the lifecycle script has slurm.conf include them; HyperPod writes the rest of it",
        _REFERENCE,
    ),
    "slurm.slurmdbd-settings": _support(
        "none",
        "HyperPod writes slurmdbd.conf itself; leave the settings out, or take the parallelcluster "
        "or pcs target",
        _REFERENCE,
    ),
    "slurm.cgroup-settings": _support(
        "partial", "the lifecycle script adds them to HyperPod's cgroup.conf", _REFERENCE
    ),
    "kubernetes": _support(
        "partial", "left out: this is Slurm; hyperpod-eks runs Kubernetes", CREATE_CLUSTER
    ),
}

_OPERATION = {
    "monitoring.prometheus": _support(
        "partial",
        "the lifecycle script starts the exporters that the image has, and downloads none; "
        "workspace and scraper are yours",
        "sagemaker-hyperpod-cluster-observability-slurm",
    ),
    "monitoring.cloudwatch-dashboard": _support(
        "partial",
        "metrics are in the namespace /aws/sagemaker/Clusters; no dashboard is made",
        "sagemaker-hyperpod-cluster-observability-slurm",
    ),
    "monitoring.grafana": _support(
        "none",
        "no dashboards are made for HyperPod; write dashboards: cloudwatch",
        "sagemaker-hyperpod-cluster-observability-slurm",
    ),
    "monitoring.log-retention": _support(
        "partial",
        "HyperPod makes the log group when the cluster starts; set its retention there",
        _RESILIENCY,
    ),
    "resilience.replace": _support("full", "NodeRecovery: Automatic or None", CREATE_CLUSTER),
    "resilience.auto-resume": _support(
        "full", "srun --auto-resume=1, in the jobs themselves", _RESILIENCY
    ),
}

SUPPORT: Mapping[str, Support] = MappingProxyType(
    _CAPACITY | _MACHINES | _QUEUES | _STORAGE | _SOFTWARE | _SLURM | _OPERATION
)
"""Support by feature id, for every feature there is."""
