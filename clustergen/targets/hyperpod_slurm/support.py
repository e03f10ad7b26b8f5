"""How SageMaker HyperPod with Slurm supports each feature.

A source without https:// is a page of the SageMaker developer guide, read on 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Support, monitoring
from clustergen.features.elsewhere import ELSEWHERE
from clustergen.hyperpod.limits import CREATE_CLUSTER, INSTANCE_GROUP
from clustergen.hyperpod.support import MINIMUM, SHARED, VOLUMES_END, support

_SLURM_API = "smcluster-getting-started-slurm-cli"
_REFERENCE = "sagemaker-hyperpod-ref"
_LIFECYCLE = "sagemaker-hyperpod-lifecycle-best-practices-slurm"
_CONTINUOUS = "sagemaker-hyperpod-scaling-slurm"
_RESILIENCY = "sagemaker-hyperpod-resiliency-slurm"

_CAPACITY = {
    "capacity.dates": support(
        "full",
        "timetable.sh on the controller: Slurm reservations keep jobs off nodes before the end; "
        "HyperPod starts and ends the instances",
        "training-plan-utilization-for-hyperpod",
    ),
    "capacity.spot": support(
        "none",
        "HyperPod with Slurm does not support Spot; use on-demand",
        "sagemaker-hyperpod-spot-instances",
    ),
    "capacity.interruptible": support(
        "none",
        "HyperPod cannot use EC2 reservations; write {training_plan: arn...}",
        INSTANCE_GROUP,
    ),
}

_MACHINES = {
    "head.volume-kept": support("none", VOLUMES_END, INSTANCE_GROUP),
    "instances.ultraserver": support(
        "full",
        "a training plan for UltraServers; HyperPod sets the topology",
        "sagemaker-hyperpod-topology",
    ),
    "network.efa": support(
        "managed",
        "HyperPod attaches EFA if the instance type supports it",
        "sagemaker-hyperpod-prerequisites",
    ),
    "network.no-internet": support(
        "full",
        "AWS::EC2::VPCEndpoint in the foundation, in place of NAT; for caution more than s3, the "
        "one that AWS documents",
        "sagemaker-hyperpod-prerequisites",
    ),
    "placement.cluster": support(
        "partial",
        "there is no field for a placement group; HyperPod places the nodes of a subnet itself",
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
        "HyperPod writes the nodes of slurm.conf itself; remove labels and use queues to tell "
        "groups apart",
        _REFERENCE,
    ),
    "nodes.taints": support(
        "partial",
        "ignored: taints exist only in Kubernetes; use queues to control where jobs run",
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
        "partial",
        MINIMUM,
        _CONTINUOUS,
    ),
    "health.gpu": support(
        "managed", "the health monitoring agent monitors every accelerator", _RESILIENCY
    ),
    "health.deep": support("full", "OnStartDeepHealthChecks", INSTANCE_GROUP),
    "head.node": support("full", "the instance group of the controller", _SLURM_API),
    "head.smt": support("full", "ThreadsPerCore of the controller", INSTANCE_GROUP),
    "login.nodes": support("full", "the instance group of login nodes", _SLURM_API),
    "login.smt": support("full", "ThreadsPerCore of login nodes", INSTANCE_GROUP),
}

_QUEUES = {
    "queues.slurm-settings": support(
        "partial",
        "the lifecycle script adds them to the line of the partition; HyperPod writes its nodes",
        _REFERENCE,
    ),
    "queues.shared-groups": support(
        "none",
        "an instance group can be in only one partition; use separate groups for each queue",
        _REFERENCE,
    ),
    "queues.parts": support(
        "none",
        "nodes of an instance group have no numbers, and its partition has all of them; write a "
        "node group for each part",
        _REFERENCE,
    ),
}

_STORAGE = {
    "storage.lustre": support("full", "FsxLustreConfig of each group", _SLURM_API),
    "storage.lustre-efa": support(
        "full",
        "on groups with EFA, the lifecycle script configures the Lustre client for EFA, then "
        "mounts",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    ),
    "storage.lustre-metadata": support("full", "created by the foundation", _SLURM_API),
    "storage.intelligent-tiering": support("full", "created by the foundation", _SLURM_API),
    "storage.data-repositories": support("full", "created by the foundation", _SLURM_API),
    "storage.openzfs": support("full", "FsxOpenZfsConfig of each group", _SLURM_API),
    "storage.ontap": support(
        "partial", "mounted by the lifecycle script, which asks FSx for the path", _LIFECYCLE
    ),
    "storage.efs": support("partial", "the lifecycle script mounts it over NFS", _LIFECYCLE),
    "storage.ebs": support(
        "none", "the controller does not share volumes; use fsx-openzfs", _SLURM_API
    ),
    "storage.bucket": support(
        "partial", "mounted by the lifecycle script if the image has mount-s3", _LIFECYCLE
    ),
    "storage.file-cache": support(
        "full", "FsxLustreConfig with the names of the cache", INSTANCE_GROUP
    ),
}

_SOFTWARE = {
    "software.pyxis": support(
        "managed",
        "HyperPod's image includes Enroot and Pyxis; with mode: customer-managed or legacy, your "
        "scripts install them",
        _SLURM_API,
    ),
    "software.docker": support("managed", "HyperPod's image includes Docker", _SLURM_API),
    "software.scripts": support("full", "run by the lifecycle script", _LIFECYCLE),
    "users": support(
        "partial",
        "created by the lifecycle script when a node starts; a change affects only new nodes",
        _LIFECYCLE,
    ),
}

_SLURM = {
    "slurm.version": support(
        "none",
        "HyperPod's image determines the version; remove slurm.version",
        "sagemaker-hyperpod-release-ami-slurm",
    ),
    "slurm.accounting-managed": support(
        "managed", "HyperPod sets up MariaDB on the controller", _SLURM_API
    )._replace(always=False),
    "slurm.accounting-database": support(
        "full",
        "Orchestrator.Slurm.AccountingDatabase, with continuous provisioning",
        CREATE_CLUSTER,
    ),
    "slurm.accounts": support(
        "full", "the lifecycle scripts of the controller create them with sacctmgr", _SLURM_API
    ),
    "slurm.idle-timeout": support(
        "partial",
        "ignored: nodes do not scale with jobs; idle nodes are charged",
        _CONTINUOUS,
    ),
    "slurm.idle-never": support("managed", "nodes do not scale with jobs", _CONTINUOUS),
    "slurm.settings": support(
        "partial",
        "the lifecycle script includes them in slurm.conf; HyperPod writes the rest of the file",
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
    "kubernetes": support("partial", "ignored: hyperpod-slurm runs Slurm", CREATE_CLUSTER),
}

_OPERATION = {
    "monitoring.prometheus": support(
        "full",
        "a lifecycle script: nodes send metrics of the node, GPUs, EFA, storage and Slurm with the "
        "CloudWatch agent",
        "sagemaker-hyperpod-cluster-observability-slurm",
    ),
    "monitoring.cloudwatch-metrics": monitoring.SLURM_CLOUDWATCH,
    "monitoring.cloudwatch-dashboard": support(
        "full",
        "a dashboard with what AWS measures of instances and storage",
        "sagemaker-hyperpod-cluster-observability-slurm",
    ),
    "monitoring.log-retention": support(
        "partial",
        "HyperPod creates the log group when the cluster starts; set its retention there",
        _RESILIENCY,
    ),
    "resilience.auto-resume": support(
        "partial", "jobs must request it: srun --auto-resume=1", _RESILIENCY
    ),
}

SUPPORT: Mapping[str, Support] = MappingProxyType(
    {**ELSEWHERE, **SHARED, **monitoring.SHARED}
    | _CAPACITY
    | _MACHINES
    | _QUEUES
    | _STORAGE
    | _SOFTWARE
    | _SLURM
    | _OPERATION
)
"""Support by feature id, for every feature."""
