"""How HyperPod with EKS supports each feature.

A source without https:// is a page of the SageMaker developer guide, read on 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Support, monitoring
from clustergen.features.elsewhere import ELSEWHERE
from clustergen.hyperpod.limits import CREATE_CLUSTER, INSTANCE_GROUP
from clustergen.hyperpod.support import MINIMUM, SHARED, support
from clustergen.targets.hyperpod_eks import limits

_LIFECYCLE = "sagemaker-hyperpod-eks-operate-cli-command-create-cluster"
_RESERVED = "write {training_plan: arn...}"

_CAPACITY = {
    "capacity.dates": support(
        "partial",
        "nodes are cordoned and their pods evicted before the end; the queues of task governance "
        "still admit jobs, which wait",
        "training-plan-utilization-for-hyperpod",
    ),
    "capacity.spot": support("full", "CapacityRequirements: Spot", limits.SPOT),
    "capacity.interruptible": support(
        "none",
        "HyperPod cannot use EC2 reservations; write {training_plan: arn...} or spot",
        INSTANCE_GROUP,
    ),
}

_MACHINES = {
    "network.no-internet": support(
        "full",
        "AWS::EC2::VPCEndpoint in the foundation, in place of NAT; images and HyperPod's chart "
        "from software.registry",
        "sagemaker-hyperpod-prerequisites",
    ),
    "instances.ultraserver": support(
        "full",
        "a training plan for UltraServers; nodes get the label topology.k8s.aws/ultraserver-id",
        limits.TOPOLOGY,
    ),
    "network.efa": support(
        "managed",
        "HyperPod attaches EFA if the instance type supports it",
        limits.EKS_PREREQUISITES,
    ),
    "placement.cluster": support(
        "managed",
        "HyperPod places the nodes of a subnet itself, and labels them with their network topology",
        limits.TOPOLOGY,
    ),
    "nodes.scratch": support(
        "partial",
        "HyperPod mounts local NVMe at /opt/dlami/nvme, and the lifecycle script bind-mounts it; "
        "mount that path in pods as a hostPath",
        limits.EKS_PREREQUISITES,
    ),
    "nodes.mig": support(
        "full", "the label nvidia.com/mig.config, for NVIDIA's operator", limits.PARTITIONS
    ),
    "nodes.labels": support("full", "KubernetesConfig.Labels", limits.LABELS),
    "nodes.taints": support("full", "KubernetesConfig.Taints", limits.LABELS),
    "nodes.slurm-settings": support("partial", "ignored: EKS does not run Slurm", CREATE_CLUSTER),
    "nodes.scaling": support("full", "Karpenter, run by HyperPod", limits.NODE_POOL),
    "nodes.mixed-scaling": support("partial", MINIMUM, limits.SCALING),
    "health.gpu": support(
        "managed", "the health monitoring agent monitors every accelerator", limits.INSTALL
    ),
    "health.deep": support("full", "OnStartDeepHealthChecks", limits.HEALTH),
    "head.node": support("managed", "EKS runs the control plane", limits.EKS_PREREQUISITES),
    "login.nodes": support(
        "partial",
        "ignored: users access the EKS cluster with kubectl",
        limits.EKS_PREREQUISITES,
    ),
}

_QUEUES = {
    "queues.slurm-settings": support(
        "partial", "ignored: EKS does not run Slurm", limits.TASK_GOVERNANCE
    ),
    "queues.shared-groups": support(
        "partial",
        "quotas divide a group among its queues; Karpenter starts its nodes only for the first "
        "queue",
        limits.NODE_CLASS,
    ),
    "queues.parts": support(
        "none",
        "Kubernetes shares nodes by quotas; write a node group for each part",
        "https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/",
    ),
}

_FSX = "https://docs.aws.amazon.com/eks/latest/userguide/fsx-csi.html"

_DRIVER = "a volume for pods; a new EKS cluster gets the CSI driver, an existing one needs it"

_STORAGE = {
    "storage.lustre": support("partial", _DRIVER, _FSX),
    "storage.lustre-efa": support(
        "full",
        "the lifecycle script configures the Lustre client for EFA before pods mount",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    ),
    "storage.lustre-metadata": support("full", "created by the foundation", _FSX),
    "storage.intelligent-tiering": support("full", "created by the foundation", _FSX),
    "storage.data-repositories": support("full", "created by the foundation", _FSX),
    "storage.openzfs": support(
        "full",
        "created by the foundation; an NFS volume for pods",
        "https://docs.aws.amazon.com/fsx/latest/OpenZFSGuide/mount-openzfs-file-systems.html",
    ),
    "storage.ontap": support(
        "full",
        "an NFS volume for pods",
        "https://docs.aws.amazon.com/fsx/latest/ONTAPGuide/attach-linux-client.html",
    ),
    "storage.efs": support(
        "partial",
        _DRIVER,
        "https://docs.aws.amazon.com/eks/latest/userguide/efs-csi.html",
    ),
    "storage.ebs": support(
        "none",
        "there is no head node to share a volume; use fsx-lustre, fsx-openzfs or efs",
        CREATE_CLUSTER,
    ),
    "storage.bucket": support(
        "partial",
        _DRIVER,
        "https://docs.aws.amazon.com/eks/latest/userguide/s3-csi.html",
    ),
    "storage.file-cache": support(
        "partial",
        _DRIVER,
        "https://docs.aws.amazon.com/eks/latest/userguide/file-cache-csi.html",
    ),
}

_SOFTWARE = {
    "software.pyxis": support(
        "partial", "ignored: every pod is a container, run by containerd", limits.EKS_PREREQUISITES
    ),
    "software.registry": support(
        "full",
        "HyperPod's chart, manifests and jobs; mirror.sh copies images and the chart",
        "sagemaker-hyperpod-eks-install-packages-using-helm-chart",
    ),
    "software.docker": support(
        "partial", "ignored: every pod is a container, run by containerd", limits.EKS_PREREQUISITES
    ),
    "software.scripts": support("full", "run by the lifecycle script", _LIFECYCLE),
    "users": support(
        "partial",
        "ignored: access to the EKS cluster uses access entries, and pods set their own users",
        "https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html",
    ),
}

_NO_SLURM = support("partial", "ignored: EKS does not run Slurm", CREATE_CLUSTER)

_SLURM = {
    "slurm.version": _NO_SLURM,
    "slurm.accounting-managed": _NO_SLURM,
    "slurm.accounting-database": _NO_SLURM,
    "slurm.accounts": _NO_SLURM,
    "slurm.idle-timeout": _NO_SLURM,
    "nodes.accelerator-taint": support(
        "partial", "only groups that Karpenter scales have such a taint", INSTANCE_GROUP
    ),
    "slurm.idle-never": _NO_SLURM,
    "slurm.settings": _NO_SLURM,
    "slurm.slurmdbd-settings": _NO_SLURM,
    "slurm.cgroup-settings": _NO_SLURM,
    "kubernetes": support("full", "Orchestrator.Eks", CREATE_CLUSTER),
}

_OPERATION = {
    "monitoring.prometheus": support(
        "partial",
        "the amazon-sagemaker-hyperpod-observability add-on, installed in a new EKS cluster with a "
        "workspace; for an existing one, the next steps describe it",
        limits.OBSERVABILITY,
    ),
    "monitoring.self-hosted": support(
        "none",
        "HyperPod's observability add-on, which collects the metrics, writes to Amazon Managed "
        "Service for Prometheus; use metrics: managed-prometheus",
        limits.OBSERVABILITY,
    ),
    "monitoring.cloudwatch-metrics": support(
        "partial",
        "the amazon-cloudwatch-observability add-on in a new EKS cluster; an existing one may have "
        "it",
        monitoring.INSIGHTS,
    ),
    "monitoring.cloudwatch-dashboard": support(
        "full",
        "a dashboard with what AWS measures of instances and storage",
        "sagemaker-hyperpod-eks-cluster-observability",
    ),
    "monitoring.log-retention": support(
        "partial",
        "HyperPod creates the log group when the cluster starts; set its retention there",
        "sagemaker-hyperpod-eks-cluster-observability",
    ),
    "resilience.auto-resume": support(
        "full",
        "jobs of the training operator, with an annotation that the next steps describe",
        limits.AUTO_RESUME,
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
