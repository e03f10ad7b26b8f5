"""What Slurm on SageMaker HyperPod makes of each feature.

A source without https:// is a page of the SageMaker developer guide, read on 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Support
from clustergen.hyperpod.limits import CREATE_CLUSTER, INSTANCE_GROUP
from clustergen.hyperpod.support import SHARED, support

_SLURM_API = "smcluster-getting-started-slurm-cli"
_REFERENCE = "sagemaker-hyperpod-ref"
_LIFECYCLE = "sagemaker-hyperpod-lifecycle-best-practices-slurm"
_CONTINUOUS = "sagemaker-hyperpod-scaling-slurm"
_RESILIENCY = "sagemaker-hyperpod-resiliency-slurm"

_CAPACITY = {
    "capacity.spot": support(
        "none",
        "HyperPod with Slurm has no Spot; write on-demand",
        "sagemaker-hyperpod-spot-instances",
    ),
    "capacity.interruptible": support(
        "none",
        "HyperPod cannot use EC2 reservations; write {training_plan: arn...}",
        INSTANCE_GROUP,
    ),
}

_MACHINES = {
    "instances.ultraserver": support(
        "full", "a training plan of UltraServers; topology by itself", "sagemaker-hyperpod-topology"
    ),
    "network.efa": support(
        "managed",
        "HyperPod attaches EFA where the type has it",
        "sagemaker-hyperpod-prerequisites",
    ),
    "placement.cluster": support(
        "partial",
        "no field for a placement group: HyperPod places the nodes of a subnet itself",
        INSTANCE_GROUP,
    ),
    "nodes.scratch": support(
        "partial",
        "HyperPod mounts local NVMe at /opt/dlami/nvme; the lifecycle script binds it",
        _LIFECYCLE,
    ),
    "nodes.mig": support(
        "none",
        "HyperPod with Slurm does not partition GPUs; remove mig",
        "sagemaker-hyperpod-eks-gpu-partitioning",
    ),
    "nodes.labels": support(
        "none",
        "HyperPod writes the nodes of slurm.conf itself; leave labels out and tell groups apart by "
        "their queues",
        _REFERENCE,
    ),
    "nodes.taints": support(
        "partial",
        "left out: taints are Kubernetes'; keep jobs away with queues",
        INSTANCE_GROUP,
    ),
    "nodes.slurm-settings": support(
        "none",
        "HyperPod writes the nodes of slurm.conf itself; remove their settings",
        _REFERENCE,
    ),
    "nodes.scaling": support(
        "none",
        "Slurm nodes on HyperPod do not scale with jobs; write count: N",
        _CONTINUOUS,
    ),
    "nodes.mixed-scaling": support(
        "none",
        "Slurm nodes on HyperPod do not scale with jobs; write count: N",
        _CONTINUOUS,
    ),
    "health.gpu": support(
        "managed", "the health monitoring agent watches every accelerator", _RESILIENCY
    ),
    "health.deep": support("full", "OnStartDeepHealthChecks", INSTANCE_GROUP),
    "head.node": support("full", "the instance group controller", _SLURM_API),
    "login.nodes": support("full", "the instance group login", _SLURM_API),
}

_QUEUES = {
    "queues.slurm-settings": support(
        "partial",
        "the lifecycle script adds them to the partition's line; HyperPod writes the nodes in it",
        _REFERENCE,
    ),
    "queues.shared-groups": support(
        "none",
        "an instance group is in one partition; give each queue a group of its own",
        _REFERENCE,
    ),
}

_STORAGE = {
    "storage.lustre": support("full", "FsxLustreConfig of each group", _SLURM_API),
    "storage.lustre-efa": support(
        "full",
        "on groups with EFA the lifecycle script sets up Lustre's client for it, then mounts",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    ),
    "storage.lustre-metadata": support("full", "made by the foundation", _SLURM_API),
    "storage.intelligent-tiering": support("full", "made by the foundation", _SLURM_API),
    "storage.data-repositories": support("full", "made by the foundation", _SLURM_API),
    "storage.openzfs": support("full", "FsxOpenZfsConfig of each group", _SLURM_API),
    "storage.ontap": support(
        "partial", "the lifecycle script mounts it, by the path that FSx tells it", _LIFECYCLE
    ),
    "storage.efs": support("partial", "the lifecycle script mounts it over NFS", _LIFECYCLE),
    "storage.ebs": support("none", "the controller shares no volume; take fsx-openzfs", _SLURM_API),
    "storage.bucket": support(
        "partial", "the lifecycle script mounts it where the image has mount-s3", _LIFECYCLE
    ),
    "storage.file-cache": support(
        "full", "FsxLustreConfig with the names of the cache", INSTANCE_GROUP
    ),
}

_SOFTWARE = {
    "software.pyxis": support("managed", "HyperPod's image has Enroot and Pyxis", _SLURM_API),
    "software.docker": support("managed", "HyperPod's image has Docker", _SLURM_API),
    "software.scripts": support("full", "run by the lifecycle script", _LIFECYCLE),
    "users": support(
        "partial",
        "the lifecycle script makes them when a node is made; a change reaches new nodes",
        _LIFECYCLE,
    ),
}

_SLURM = {
    "slurm.version": support(
        "none",
        "HyperPod's image decides the version; remove slurm.version",
        "sagemaker-hyperpod-release-ami-slurm",
    ),
    "slurm.accounting-managed": support(
        "managed", "a MariaDB on the controller, set up by HyperPod", _SLURM_API
    ),
    "slurm.accounting-database": support(
        "full", "Orchestrator.Slurm.AccountingDatabase, continuous provisioning", CREATE_CLUSTER
    ),
    "slurm.idle-timeout": support(
        "partial",
        "left out: nodes do not come and go with jobs, idle ones are charged",
        _CONTINUOUS,
    ),
    "slurm.settings": support(
        "partial",
        "the lifecycle script has slurm.conf include them; HyperPod writes the rest of it",
        _REFERENCE,
    ),
    "slurm.slurmdbd-settings": support(
        "none",
        "HyperPod writes slurmdbd.conf itself; remove the settings",
        _REFERENCE,
    ),
    "slurm.cgroup-settings": support(
        "partial", "the lifecycle script adds them to HyperPod's cgroup.conf", _REFERENCE
    ),
    "kubernetes": support(
        "partial", "left out: this is Slurm; hyperpod-eks runs Kubernetes", CREATE_CLUSTER
    ),
}

_OPERATION = {
    "monitoring.prometheus": support(
        "partial",
        "the lifecycle script starts the exporters that the image has, and downloads none; "
        "workspace and scraper are yours",
        "sagemaker-hyperpod-cluster-observability-slurm",
    ),
    "monitoring.cloudwatch-dashboard": support(
        "partial",
        "metrics are in the namespace /aws/sagemaker/Clusters; no dashboard is made",
        "sagemaker-hyperpod-cluster-observability-slurm",
    ),
    "monitoring.grafana": support(
        "none",
        "no dashboards are made for HyperPod; write dashboards: cloudwatch",
        "sagemaker-hyperpod-cluster-observability-slurm",
    ),
    "monitoring.log-retention": support(
        "partial",
        "HyperPod makes the log group when the cluster starts; set its retention there",
        _RESILIENCY,
    ),
    "resilience.auto-resume": support(
        "partial", "jobs have to ask for it: srun --auto-resume=1", _RESILIENCY
    ),
}

SUPPORT: Mapping[str, Support] = MappingProxyType(
    {**SHARED} | _CAPACITY | _MACHINES | _QUEUES | _STORAGE | _SOFTWARE | _SLURM | _OPERATION
)
"""Support by feature id, for every feature there is."""
