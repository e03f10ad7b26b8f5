"""How EKS supports each feature.

A source without https:// is a page of the EKS user guide, read on 2026-11-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Level, Support, monitoring
from clustergen.features.elsewhere import ELSEWHERE
from clustergen.targets.eks import limits


def _support(level: Level, how: str, page: str) -> Support:
    source = page if page.startswith("https://") else f"{limits.USER_GUIDE}{page}.html"
    return Support(level, how, source)


_GROUPS = "managed-node-groups"
_RESERVATIONS = (
    "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CapacityReservationTarget.html"
)
_TEMPLATE_DATA = (
    "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html"
)

_EBS = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html"

_CAPACITY = {
    "capacity.on-demand": _support("full", "CapacityType: ON_DEMAND", _GROUPS),
    "capacity.spot": _support("full", "CapacityType: SPOT", _GROUPS),
    "capacity.reservation": _support(
        "full", "CapacityReservationTarget of the launch template", _RESERVATIONS
    ),
    "capacity.reservation-group": _support(
        "full", "CapacityReservationTarget of the launch template", _RESERVATIONS
    ),
    "capacity.block": _support(
        "full",
        "CapacityType: CAPACITY_BLOCK, with the launch template it requires",
        limits.CAPACITY_BLOCKS,
    ),
    "capacity.interruptible": _support(
        "none",
        "managed node groups are ON_DEMAND, SPOT or CAPACITY_BLOCK; use spot or a reservation",
        limits.CREATE_NODE_GROUP,
    ),
    "capacity.dates": _support(
        "full",
        "schedules call UpdateNodegroupConfig; queues of Kueue are held, nodes cordoned and pods "
        "evicted before the end",
        limits.CAPACITY_BLOCKS,
    ),
    "capacity.training-plan": _support(
        "none",
        "training plans are for SageMaker; write {capacity_block: cr-...}",
        limits.CREATE_NODE_GROUP,
    ),
}

_MACHINES = {
    "instances.ultraserver": _support(
        "full", "AL2023_ARM_64_NVIDIA, and NVIDIA's driver for ComputeDomains", limits.ULTRASERVERS
    ),
    "instances.trainium": _support("full", "AmiType: AL2023_x86_64_NEURON", limits.IMAGES),
    "instances.inferentia": _support("full", "AmiType: AL2023_x86_64_NEURON", limits.IMAGES),
    "instances.hpc": _support("full", "InstanceTypes, with the standard image", limits.TYPES),
    "instances.several-types": _support(
        "full", "InstanceTypes, in order of preference", limits.CREATE_NODE_GROUP
    ),
    "instances.mixed-architecture": _support(
        "full", "AmiType for the architecture of each group", limits.IMAGES
    ),
    "network.efa": _support(
        "full", "NetworkInterfaces of the launch template, and EFA's device plugin", limits.EFA
    ),
    "network.efa-layout": _support("full", "InterfaceType of each interface", limits.EFA),
    "network.no-internet": _support(
        "full",
        "AWS::EC2::VPCEndpoint in the foundation, in place of NAT; images and charts from "
        "software.registry",
        "private-clusters",
    ),
    "placement.cluster": _support("full", "Placement of the launch template", _TEMPLATE_DATA),
    "placement.existing": _support("full", "Placement of the launch template", _TEMPLATE_DATA),
    "nodes.smt": _support("full", "the default of EC2", _TEMPLATE_DATA),
    "nodes.image": _support(
        "full", "ImageId of the launch template: an image with nodeadm", limits.LAUNCH_TEMPLATES
    ),
    "nodes.scratch": _support(
        "partial",
        "local NVMe becomes a RAID 0 for containers and ephemeral pod storage, not a directory of "
        "that name; pods use it through emptyDir",
        "https://awslabs.github.io/amazon-eks-ami/nodeadm/doc/examples/",
    ),
    "nodes.mig": _support(
        "full", "the label nvidia.com/mig.config, for NVIDIA's operator", limits.MIG
    ),
    "nodes.labels": _support("full", "Labels of the node group", limits.CREATE_NODE_GROUP),
    "nodes.taints": _support("full", "Taints of the node group", limits.TAINTS),
    "nodes.slurm-settings": _support(
        "partial", "ignored: EKS does not run Slurm", "eks-architecture"
    ),
    "nodes.scaling": _support(
        "partial",
        "with kubernetes.autoscaler: karpenter, Karpenter starts them; a managed node group does "
        "not scale automatically",
        limits.NODE_POOLS,
    ),
    "nodes.mixed-scaling": _support(
        "partial",
        "a managed node group keeps its minimum and does not scale automatically; Karpenter has no "
        "minimum",
        limits.NODE_POOLS,
    ),
    "health.gpu": _support(
        "managed",
        "the eks-node-monitoring-agent add-on monitors every accelerator",
        "node-health-nma",
    ),
    "health.deep": _support(
        "none",
        "EKS does not test instances before pods run on them; remove these checks",
        "node-health-nma",
    ),
    "head.node": _support("managed", "EKS runs the control plane", "eks-architecture"),
    "login.nodes": _support(
        "partial",
        "ignored: users access the cluster with kubectl",
        limits.ENDPOINT,
    ),
}

_QUEUES = {
    "queues.slurm-settings": _support(
        "partial", "ignored: EKS does not run Slurm", "eks-architecture"
    ),
    "queues.shared-groups": _support(
        "full",
        "ClusterQueues that share the ResourceFlavor of the group",
        "https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/",
    ),
    "queues.parts": _support(
        "none",
        "Kubernetes shares nodes by quotas; write a node group for each part",
        "https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/",
    ),
}

_STORAGE = {
    "storage.lustre": _support("full", "created by the foundation; a volume for pods", "fsx-csi"),
    "storage.lustre-efa": _support(
        "partial",
        "the file system is created with EFA; nodes use it over TCP until your image or script "
        "configures their Lustre client for EFA",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    ),
    "storage.lustre-metadata": _support("full", "created by the foundation", "fsx-csi"),
    "storage.intelligent-tiering": _support("full", "created by the foundation", "fsx-csi"),
    "storage.data-repositories": _support("full", "created by the foundation", "fsx-csi"),
    "storage.openzfs": _support(
        "full", "created by the foundation; an NFS volume for pods", "fsx-openzfs-csi"
    ),
    "storage.ontap": _support("full", "an NFS volume for pods", "fsx-ontap"),
    "storage.efs": _support("full", "created by the foundation; a volume for pods", "efs-csi"),
    "storage.ebs": _support(
        "none",
        "there is no head node to share a volume; use fsx-lustre, fsx-openzfs or efs",
        "storage",
    ),
    "storage.bucket": _support("full", "a volume for pods", "s3-csi"),
    "storage.file-cache": _support("full", "a volume for pods", "file-cache-csi"),
}

_CONTAINERS = _support(
    "partial", "ignored: every pod is a container, run by containerd", "eks-optimized-amis"
)

_SOFTWARE = {
    "software.pyxis": _CONTAINERS,
    "software.docker": _CONTAINERS,
    "software.registry": _support(
        "full", "charts, manifests and jobs; mirror.sh copies images and charts", "private-clusters"
    ),
    "software.scripts": _support(
        "full", "run by the user data of the nodes, before they join", limits.LAUNCH_TEMPLATES
    ),
    "users": _support(
        "partial",
        "ignored: access to the cluster uses access entries (kubernetes.admins), and pods set "
        "their own users",
        limits.ACCESS_ENTRIES,
    ),
}

_NO_SLURM = _support("partial", "ignored: EKS does not run Slurm", "eks-architecture")

_SLURM = {
    "slurm.version": _NO_SLURM,
    "slurm.accounting-managed": _NO_SLURM,
    "slurm.accounting-database": _NO_SLURM,
    "slurm.accounts": _NO_SLURM,
    "slurm.idle-timeout": _NO_SLURM,
    "nodes.volume-key": _support("full", "KmsKeyId of the launch template", _EBS),
    "nodes.volume-kept": _support("full", "DeleteOnTermination: false", _EBS),
    "nodes.tags": _support(
        "full", "Tags of the node group, and TagSpecifications of the launch template", _GROUPS
    ),
    "nodes.unencrypted": _support(
        "full",
        "Encrypted of the launch template",
        _EBS,
    ),
    "nodes.desired": _support(
        "partial",
        "deploy.sh asks for so many nodes; Karpenter starts nodes for pods instead",
        _GROUPS,
    ),
    "nodes.accelerator-taint": _support("full", "no taint of clustergen's", _GROUPS),
    "nodes.subnets": _support("full", "Subnets of the node group", _GROUPS),
    "nodes.zone": _support(
        "full", "a subnet of the foundation; Subnets of the node group", _GROUPS
    ),
    "nodes.security-groups": _support("full", "Groups of the launch template", _GROUPS),
    "nodes.allocation": _support(
        "none",
        "EKS and Karpenter choose Spot instances by price and capacity, others in the order of "
        "instance_types; remove allocation",
        _GROUPS,
    ),
    "nodes.ssh-sources": _support(
        "none", "users reach the API and not nodes; write kubernetes.public_endpoint_from", _GROUPS
    ),
    "nodes.iam": _support(
        "full", "a role for the group, as NodeRole or in Karpenter's EC2NodeClass", _GROUPS
    ),
    "nodes.role": _support(
        "full", "NodeRole of the node group, or role of Karpenter's EC2NodeClass", _GROUPS
    ),
    "nodes.instance-profile": _support(
        "none", "EKS and Karpenter make the profile of a role; write iam.role", _GROUPS
    ),
    "slurm.idle-never": _NO_SLURM,
    "slurm.settings": _NO_SLURM,
    "slurm.slurmdbd-settings": _NO_SLURM,
    "slurm.cgroup-settings": _NO_SLURM,
    "kubernetes": _support("full", "the control plane, and the software installed in it", _GROUPS),
}

_OPERATION = {
    "monitoring.prometheus": _support(
        "full",
        "an Amazon Managed Service for Prometheus workspace and a scraper",
        "prometheus",
    ),
    "monitoring.self-hosted": _support(
        "full",
        "Prometheus and Alertmanager on the system nodes, with an EBS volume",
        "https://prometheus.io/docs/introduction/overview/",
    ),
    "monitoring.cloudwatch-metrics": _support(
        "full",
        "the amazon-cloudwatch-observability add-on: Container Insights",
        monitoring.INSIGHTS,
    ),
    "monitoring.cloudwatch-dashboard": _support(
        "full", "the amazon-cloudwatch-observability add-on and its dashboards", "cloudwatch"
    ),
    "monitoring.log-retention": _support(
        "full",
        "RetentionInDays of the control plane's log group, rounded up to a value of CloudWatch",
        "control-plane-logs",
    ),
    "resilience.replace": _support("full", "NodeRepairConfig of the node groups", limits.REPAIR),
    "resilience.auto-resume": _support(
        "partial",
        "the job operator restarts the pods, which resume from their own checkpoint",
        "https://www.kubeflow.org/docs/components/trainer/",
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
