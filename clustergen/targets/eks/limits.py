"""What EKS accepts, as of 2026-11-20. The source is above each table."""

from clustergen.base.findings import Severity
from clustergen.base.text_lists import words
from clustergen.plan import limits
from clustergen.services.aws.logs import RETENTION_DAYS
from clustergen.services.kubernetes import disks, karpenter
from clustergen.services.kubernetes.names import KAI_ROOT

API = "https://docs.aws.amazon.com/eks/latest/APIReference/API_"
USER_GUIDE = "https://docs.aws.amazon.com/eks/latest/userguide/"
LAUNCH_TEMPLATES = f"{USER_GUIDE}launch-templates.html"
CAPACITY_BLOCKS = f"{USER_GUIDE}ml-node-groups.html"
NETWORK = f"{USER_GUIDE}network-reqs.html"
ENDPOINT = f"{USER_GUIDE}cluster-endpoint.html"
ACCESS_ENTRIES = f"{USER_GUIDE}access-entries.html"
VERSIONS = f"{USER_GUIDE}kubernetes-versions.html"
EFA = f"{USER_GUIDE}device-management-efa.html"
NVIDIA = f"{USER_GUIDE}device-management-nvidia.html"
NEURON = f"{USER_GUIDE}device-management-neuron.html"
MIG = f"{USER_GUIDE}device-management-nvidia-mig.html"
ULTRASERVERS = f"{USER_GUIDE}ml-eks-nvidia-ultraserver.html"
IMAGES = f"{USER_GUIDE}ml-eks-optimized-ami.html"
TYPES = f"{USER_GUIDE}choosing-instance-type.html"
TAINTS = f"{USER_GUIDE}node-taints-managed-node-groups.html"
REPAIR = f"{USER_GUIDE}node-repair.html"
QUOTAS = "https://docs.aws.amazon.com/general/latest/gr/eks.html"
CREATE_NODE_GROUP = f"{API}CreateNodegroup.html"
CREATE_CLUSTER = f"{API}CreateCluster.html"
KARPENTER = "https://karpenter.sh/docs/concepts/nodeclasses/"
NODE_POOLS = "https://karpenter.sh/docs/concepts/nodepools/"

# QUOTAS; 2026-11-20. Both can be raised.
MAX_NODE_GROUPS = 30
"""Managed node groups of a cluster."""
MAX_NODES = 450
"""Nodes of a managed node group."""

# TAINTS, and botocore 1.44.5 eks: labelKey, labelValue, taintKey, taintValue; 2026-11-20.
MAX_TAINTS = 50
MAX_KEY = 63
"""Maximum characters of the key of a label or taint, including its prefix."""

# The text of EKS's error; 2026-11-20.
RESERVED = "https://github.com/aws/containers-roadmap/issues/1451"
RESERVED_PREFIXES = ("kubernetes.io/", "k8s.io/", "eks.amazonaws.com/")
# https://karpenter.sh/docs/concepts/scheduling/#restricted-labels; 2026-11-20.
KARPENTER_PREFIXES = ("karpenter.sh/", "karpenter.k8s.aws/")

# NETWORK: ids of zones whose subnets a control plane cannot use; 2026-11-20.
ZONES_WITHOUT_CONTROL_PLANE = frozenset({"use1-az3", "usw1-az2", "cac1-az3"})

# NVIDIA, NEURON, EFA; 2026-11-20.
DRA = "1.34"
"""From this version on, pods can use claims for devices (resource.k8s.io/v1)."""
# The chart's README requires 1.35, EFA's page 1.34; 2026-11-20.
EFA_DRA = "1.35"
"""From this version on, the EFA driver for claims is known to work."""
# ULTRASERVERS; 2026-11-20.
ULTRASERVER = "1.33"

HOST_NETWORK_PODS = 2
"""kube-proxy and the VPC CNI, which use the node's address."""

LUSTRE_VOLUMES = (
    "https://github.com/kubernetes-sigs/aws-fsx-csi-driver/blob/master/examples/kubernetes/"
    "static_provisioning/README.md"
)
CREATE_ADDON = f"{API}CreateAddon.html"
CNI_OF_EFA_ONLY = (1, 18, 5)
"""The first VPC CNI that gives pods no addresses of EFA-only interfaces, which have none.

https://docs.aws.amazon.com/eks/latest/userguide/node-efa.html, 2026-11."""

# awslabs/amazon-eks-ami templates/al2023/variables-default.json, 2026-07.
IMAGE_GIB = 20
OS = "alinux2023"

# CREATE_CLUSTER, CREATE_NODE_GROUP; 2026-11-20.
_NAME = limits.Form(
    r"[A-Za-z0-9][A-Za-z0-9_-]*", "letters, digits, - and _, the first one a letter or digit"
)

# Namespaces that the bundle and EKS add-ons create.
_NAMESPACES = words(f"""
    nvidia gpu-operator kueue-system volcano-system kai-scheduler kubeflow-system mpi-operator
    monitoring node-metrics prometheus amazon-cloudwatch {KAI_ROOT}
""")
_KUBERNETES = "https://kubernetes.io/docs/concepts/overview/working-with-objects/"

LIMITS = limits.Limits(
    own_groups=True,
    title="EKS",
    stack_title="Amazon EKS",
    own_dashboard=True,
    existing_cluster=limits.ExistingCluster(
        "aws eks describe-cluster --query cluster.resourcesVpcConfig --name",
        vpc_source=CREATE_NODE_GROUP,
        groups_source=f"{USER_GUIDE}sec-group-reqs.html",
    ),
    runs_controller="https://docs.aws.amazon.com/eks/latest/userguide/eks-architecture.html",
    default_root_gib=disks.DEFAULT_ROOT_GIB,
    volume_key_user=limits.KeyUser(
        "AWSServiceRoleForAutoScaling",
        "https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html",
    ),
    # desiredSize and minSize may be 0, but maxSize must be at least 1.
    empty_groups=f"{API}NodegroupScalingConfig.html",
    region=limits.Region(
        "eks", Severity.WARNING, "https://docs.aws.amazon.com/general/latest/gr/eks.html"
    ),
    names=(
        limits.Names(of=("cluster",), longest=100, form=_NAME, source=CREATE_CLUSTER),
        limits.Names(of=("node group",), form=_NAME, source=CREATE_NODE_GROUP),
        limits.Names(of=("queue",), source=f"{_KUBERNETES}names/", form=limits.LABEL),
    ),
    ids=frozenset({"node group"}),
    reserved=(
        limits.Reserved(
            of="queue",
            names=dict.fromkeys(_NAMESPACES, "software that runs in the cluster"),
            prefixes=("kube-", "system-"),
            source=f"{_KUBERNETES}namespaces/",
        ),
    ),
    systems=limits.Systems(
        images=frozenset({OS}),
        title="EKS",
        suggested=OS,
        only_written=True,
        severity=Severity.WARNING,
        source=f"{USER_GUIDE}eks-optimized-amis.html",
    ),
    quotas=(
        limits.Quota(
            what="node groups, including the system nodes",
            most=MAX_NODE_GROUPS,
            count=lambda plan: len(plan.node_groups) - len(karpenter.groups(plan)) + 1,
            place=("node_groups",),
            help="request an increase in Service Quotas first",
            source=QUOTAS,
            severity=Severity.WARNING,
        ),
    ),
    group_size=limits.GroupSize(
        most=MAX_NODES, source=QUOTAS, severity=Severity.WARNING, karpenter=False
    ),
    root_volume=limits.RootVolume(IMAGE_GIB, "https://github.com/awslabs/amazon-eks-ami"),
    scripts=limits.Scripts(login=False, when="start", source=LAUNCH_TEMPLATES),
    unmounted=frozenset({"fsx-lustre", "file-cache"}),
    unmounted_source=LUSTRE_VOLUMES,
    looked_up={"efs": ("dns_name",)},
    looked_up_source=f"{USER_GUIDE}efs-csi.html",
    no_ssh="https://docs.aws.amazon.com/eks/latest/best-practices/"
    "protecting-the-infrastructure.html",
    unscaled=limits.Verdict(Severity.WARNING, f"{USER_GUIDE}autoscaling.html"),
    autoscaler=NODE_POOLS,
    mig_label=MIG,
    mixed_sizes="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
    labels=limits.Labels(
        source=CREATE_NODE_GROUP,
        taints_source=TAINTS,
        reserved_source=RESERVED,
        reserved=RESERVED_PREFIXES,
        reserved_with_karpenter=KARPENTER_PREFIXES,
        longest_key=MAX_KEY,
        most_taints=MAX_TAINTS,
    ),
    control_plane_zones=NETWORK,
    administrators=ACCESS_ENTRIES,
    retention_days=RETENTION_DAYS,
    empty_tags=CREATE_ADDON,
)
