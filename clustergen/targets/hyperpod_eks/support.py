"""What HyperPod with EKS makes of each feature.

A source without https:// is a page of the SageMaker developer guide, read on 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Level, Support
from clustergen.hyperpod.limits import CREATE_CLUSTER, GUIDE, INSTANCE_GROUP, TRAINING_PLANS
from clustergen.targets.hyperpod_eks import limits


def _support(level: Level, how: str, page: str) -> Support:
    return Support(level, how, page if page.startswith("https://") else f"{GUIDE}{page}.html")


_LIFECYCLE = "sagemaker-hyperpod-eks-operate-cli-command-create-cluster"
_RESERVED = "take {training_plan: arn...}, or the parallelcluster, pcs or eks target"

_CAPACITY = {
    "capacity.on-demand": _support("full", "InstanceCount of the group", INSTANCE_GROUP),
    "capacity.spot": _support("full", "CapacityRequirements: Spot", limits.SPOT),
    "capacity.reservation": _support(
        "none", f"HyperPod has no field for a reservation of EC2; {_RESERVED}", INSTANCE_GROUP
    ),
    "capacity.reservation-group": _support(
        "none", f"HyperPod has no field for reservations of EC2; {_RESERVED}", INSTANCE_GROUP
    ),
    "capacity.block": _support(
        "none", f"HyperPod has no field for a Capacity Block; {_RESERVED}", INSTANCE_GROUP
    ),
    "capacity.interruptible": _support(
        "none",
        "HyperPod has no field for reservations of EC2; take {training_plan: arn...}, spot, or the "
        "pcs target",
        INSTANCE_GROUP,
    ),
    "capacity.training-plan": _support("full", "TrainingPlanArn of the group", TRAINING_PLANS),
}

_MACHINES = {
    "instances.ultraserver": _support(
        "full",
        "a training plan of UltraServers; nodes get the label topology.k8s.aws/ultraserver-id",
        limits.TOPOLOGY,
    ),
    "instances.trainium": _support("full", "InstanceType, trn1 and trn2", INSTANCE_GROUP),
    "instances.inferentia": _support(
        "none",
        "HyperPod has no Inferentia; take Trainium, or the parallelcluster, pcs or eks target",
        INSTANCE_GROUP,
    ),
    "instances.hpc": _support(
        "none",
        "HyperPod has no HPC instances; take c or m types, or the parallelcluster, pcs or eks "
        "target",
        INSTANCE_GROUP,
    ),
    "instances.several-types": _support(
        "full", "InstanceRequirements, in order of priority", INSTANCE_GROUP
    ),
    "instances.mixed-architecture": _support(
        "full", "the image of each group's own architecture", INSTANCE_GROUP
    ),
    "network.efa": _support(
        "managed", "HyperPod attaches EFA where the type has it", limits.EKS_PREREQUISITES
    ),
    "network.efa-layout": _support("full", "NetworkInterface.InterfaceType", INSTANCE_GROUP),
    "placement.cluster": _support(
        "managed",
        "HyperPod places the nodes of a subnet itself, and labels them with their place in the "
        "network",
        limits.TOPOLOGY,
    ),
    "placement.existing": _support(
        "none",
        "HyperPod has no field for a placement group; leave placement out, or take the "
        "parallelcluster, pcs or eks target",
        INSTANCE_GROUP,
    ),
    "nodes.smt": _support("full", "ThreadsPerCore: 2", INSTANCE_GROUP),
    "nodes.image": _support(
        "full", "ImageId: an unencrypted image of the same account", INSTANCE_GROUP
    ),
    "nodes.scratch": _support(
        "partial",
        "HyperPod mounts local NVMe at /opt/dlami/nvme, and images and pods are kept there; give "
        "pods that path as a hostPath",
        limits.EKS_PREREQUISITES,
    ),
    "nodes.mig": _support(
        "full", "the label nvidia.com/mig.config, for NVIDIA's operator", limits.PARTITIONS
    ),
    "nodes.labels": _support("full", "KubernetesConfig.Labels", limits.LABELS),
    "nodes.taints": _support("full", "KubernetesConfig.Taints", limits.LABELS),
    "nodes.slurm-settings": _support(
        "partial", "left out: Kubernetes has no Slurm", CREATE_CLUSTER
    ),
    "nodes.scaling": _support("full", "Karpenter, run by HyperPod", limits.NODE_POOL),
    "nodes.mixed-scaling": _support(
        "none",
        "Karpenter begins at no nodes and takes away those that it finds; write {min: 0, max: N}, "
        "and a second group with a fixed count",
        limits.NODE_CLASS,
    ),
    "health.gpu": _support(
        "managed", "the health monitoring agent watches every accelerator", limits.INSTALL
    ),
    "health.deep": _support("full", "OnStartDeepHealthChecks", limits.HEALTH),
    "head.node": _support("managed", "EKS runs the control plane", limits.EKS_PREREQUISITES),
    "login.nodes": _support(
        "partial",
        "left out: people reach the EKS cluster with kubectl from where they are",
        limits.EKS_PREREQUISITES,
    ),
}

_QUEUES = {
    "queues.slurm-settings": _support(
        "partial", "left out: Kubernetes has no Slurm", limits.TASK_GOVERNANCE
    ),
    "queues.shared-groups": _support(
        "partial",
        "quotas share out a group that several queues have; Karpenter starts its nodes for the "
        "first of them",
        limits.NODE_CLASS,
    ),
}

_FSX = "https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi.html"

_DRIVER = "a volume for pods; a new EKS cluster gets the CSI driver, one that exists has to have it"

_STORAGE = {
    "storage.lustre": _support("partial", _DRIVER, _FSX),
    "storage.lustre-efa": _support(
        "full",
        "the lifecycle script sets up Lustre's client for EFA, before pods mount",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    ),
    "storage.lustre-metadata": _support("full", "made by the foundation", _FSX),
    "storage.intelligent-tiering": _support("full", "made by the foundation", _FSX),
    "storage.data-repositories": _support("full", "made by the foundation", _FSX),
    "storage.openzfs": _support(
        "full",
        "made by the foundation; an NFS volume for pods",
        "https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/mount-openzfs-file-systems.html",
    ),
    "storage.ontap": _support(
        "full",
        "an NFS volume for pods",
        "https://docs.aws.amazon.com/fsx/latest/ONTAPGuide/attach-linux-client.html",
    ),
    "storage.efs": _support(
        "partial",
        _DRIVER,
        "https://docs.aws.amazon.com/eks/latest/userguide/efs-csi.html",
    ),
    "storage.ebs": _support(
        "none",
        "there is no head node to share a volume; take fsx-lustre, fsx-openzfs or efs",
        CREATE_CLUSTER,
    ),
    "storage.bucket": _support(
        "partial",
        _DRIVER,
        "https://docs.aws.amazon.com/eks/latest/userguide/s3-csi.html",
    ),
    "storage.file-cache": _support(
        "partial",
        _DRIVER,
        "https://docs.aws.amazon.com/eks/latest/userguide/file-cache-csi.html",
    ),
}

_SOFTWARE = {
    "software.pyxis": _support(
        "partial", "left out: every pod is a container, run by containerd", limits.EKS_PREREQUISITES
    ),
    "software.docker": _support(
        "partial", "left out: every pod is a container, run by containerd", limits.EKS_PREREQUISITES
    ),
    "software.scripts": _support("full", "run by the lifecycle script", _LIFECYCLE),
    "users": _support(
        "partial",
        "left out: people are entries of access of the EKS cluster, pods run as their own users",
        "https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html",
    ),
}

_NO_SLURM = _support(
    "partial", "left out: Kubernetes has no Slurm; hyperpod-slurm has", CREATE_CLUSTER
)

_SLURM = {
    "slurm.version": _NO_SLURM,
    "slurm.accounting-managed": _NO_SLURM,
    "slurm.accounting-database": _NO_SLURM,
    "slurm.settings": _NO_SLURM,
    "slurm.slurmdbd-settings": _NO_SLURM,
    "slurm.cgroup-settings": _NO_SLURM,
    "kubernetes": _support("full", "Orchestrator.Eks", CREATE_CLUSTER),
}

_OPERATION = {
    "monitoring.prometheus": _support(
        "partial",
        "the add-on amazon-sagemaker-hyperpod-observability: a new EKS cluster gets it and a "
        "workspace, for one that exists the next steps name it",
        limits.OBSERVABILITY,
    ),
    "monitoring.cloudwatch-dashboard": _support(
        "partial",
        "metrics are in the namespace /aws/sagemaker/Clusters; no dashboard is made",
        limits.OBSERVABILITY,
    ),
    "monitoring.grafana": _support(
        "partial",
        "the add-on amazon-sagemaker-hyperpod-observability brings dashboards to a workspace of "
        "yours",
        limits.OBSERVABILITY,
    ),
    "monitoring.log-retention": _support(
        "partial",
        "HyperPod makes the log group when the cluster starts; set its retention there",
        "sagemaker-hyperpod-eks-cluster-observability",
    ),
    "resilience.replace": _support("full", "NodeRecovery: Automatic or None", CREATE_CLUSTER),
    "resilience.auto-resume": _support(
        "full",
        "jobs of the training operator, with an annotation that the next steps name",
        limits.AUTO_RESUME,
    ),
}

SUPPORT: Mapping[str, Support] = MappingProxyType(
    _CAPACITY | _MACHINES | _QUEUES | _STORAGE | _SOFTWARE | _SLURM | _OPERATION
)
"""Support by feature id, for every feature there is."""
