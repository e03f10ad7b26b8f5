"""What HyperPod on EKS accepts, as of 2026-11-20. The source is above each table."""

from collections.abc import Mapping

from clustergen.base.findings import Severity
from clustergen.base.patterns import pattern
from clustergen.base.text_lists import word_set, words
from clustergen.plan.limits import LABEL, Labels, Names, Scripts, Systems, Verdict
from clustergen.services.hyperpod import limits as shared
from clustergen.services.hyperpod.limits import GUIDE
from clustergen.services.kubernetes import disks

EKS_PREREQUISITES = f"{GUIDE}sagemaker-hyperpod-eks-prerequisites.html"
INSTALL = f"{GUIDE}sagemaker-hyperpod-eks-install-packages-using-helm-chart.html"
SCALING = f"{GUIDE}sagemaker-hyperpod-scaling-eks.html"
PARTITIONS = f"{GUIDE}sagemaker-hyperpod-eks-gpu-partitioning.html"
LABELS = f"{GUIDE}sagemaker-hyperpod-eks-custom-labels-and-taints.html"
NODE_CLASS = f"{GUIDE}sagemaker-hyperpod-eks-autoscaling-nodeclass.html"
NODE_POOL = f"{GUIDE}sagemaker-hyperpod-eks-autoscaling-nodepool.html"
PATCHING = (
    "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterAutoPatchConfig.html"
)
TASK_GOVERNANCE = f"{GUIDE}sagemaker-hyperpod-eks-operate-console-ui-governance.html"
OBSERVABILITY = f"{GUIDE}sagemaker-hyperpod-observability-addon.html"

# EKS_PREREQUISITES; 2026-11-20.
KUBERNETES_VERSIONS = tuple(f"1.{minor}" for minor in range(30, 36))

# botocore 1.44.5 sagemaker: EksClusterArn; 2026-11-20.
EKS_CLUSTER = pattern(
    r"arn:(?P<partition>aws[a-z-]*):eks:(?P<region>[a-z0-9-]*):[0-9]{12}:cluster/"
    r"(?P<name>[0-9A-Za-z][A-Za-z0-9_-]{0,99})"
)

# botocore 1.44.5 sagemaker: ClusterKubernetesLabels, ClusterKubernetesTaints; 2026-11-20.
MAX_LABELS = 50
MAX_TAINTS = 50

# NODE_CLASS; 2026-11-20.
MAX_NODE_CLASS_GROUPS = 10

# EKS_PREREQUISITES: the first interface of a node has 50 addresses, including those of pods, and
# each other network card one; 2026-11-20.
POD_ADDRESSES = 49
"""Addresses of a node, besides one for each interface."""

# Operating system of nodes: EKS_PREREQUISITES; 2026-11-20.
OS = "alinux2023"

# Partitions, per GPU, that NVIDIA's operator makes by name, as HyperPod's chart brings them:
# https://github.com/aws/sagemaker-hyperpod-cli helm_chart/HyperPodHelmChart/charts/gpu-operator/
# config/default-mig-config.yaml; 2026-10-19. Those with one profile for all GPUs are named
# all-PROFILE, the mixed ones after their counts. Small, medium and large stand for 1g, 2g, 3g and
# 4g of one model.
MIG_ALIKE = word_set("""
    1g.5gb 3g.20gb 7g.40gb
    1g.10gb 3g.40gb 7g.80gb
    1g.18gb 3g.71gb 7g.141gb
    1g.34gb 1g.67gb 2g.67gb 3g.135gb 4g.135gb 7g.269gb
""")
"""Profiles with a configuration ``all-PROFILE``, which divides the whole GPU."""
_MODELS = (
    {"1g": "1g.5gb", "2g": "2g.10gb", "3g": "3g.20gb", "4g": "4g.20gb"},
    {"1g": "1g.10gb", "2g": "2g.20gb", "3g": "3g.40gb", "4g": "4g.40gb"},
    {"1g": "1g.18gb", "2g": "2g.35gb", "3g": "3g.71gb", "4g": "4g.71gb"},
    {"1g": "1g.34gb", "2g": "2g.67gb", "3g": "3g.135gb", "4g": "4g.135gb"},
)
_MIXES: tuple[Mapping[str, int], ...] = (
    {"3g": 1, "4g": 1},
    {"1g": 1, "2g": 1, "4g": 1},
    {"1g": 3, "4g": 1},
    {"1g": 1, "2g": 1, "3g": 1},
    {"1g": 3, "3g": 1},
    {"2g": 2, "3g": 1},
    {"1g": 2, "2g": 1, "3g": 1},
    {"1g": 4, "3g": 1},
    {"1g": 1, "2g": 3},
    {"1g": 3, "2g": 2},
    {"1g": 5, "2g": 1},
)


def _mixed() -> Mapping[frozenset[tuple[str, int]], str]:
    """Names of the mixed configurations, by their partitions."""
    found = {}
    for model in _MODELS:
        for mix in _MIXES:
            parts = {model[size]: count for size, count in mix.items()}
            name = "-".join(f"{count}-{profile}" for profile, count in parts.items())
            found[frozenset(parts.items())] = f"mixed-{name}"
    return found


MIG_MIXED = _mixed()

# Names of Kubernetes objects' labels, resources and APIs, the same in every partition; 2026-11-20.
COMPUTE_TYPE_LABEL = "sagemaker.amazonaws.com/compute-type"
GROUP_LABEL = "sagemaker.amazonaws.com/instance-group-name"
HEALTH_LABEL = "sagemaker.amazonaws.com/node-health-status"
RESUME_ANNOTATION = "sagemaker.amazonaws.com/enable-job-auto-resume"
RETRY_ANNOTATION = "sagemaker.amazonaws.com/job-max-retry-count"
JOBS = {"kubeflow.org": ("pytorchjobs",), "sagemaker.amazonaws.com": ("hyperpodpytorchjobs",)}
"""Kinds of jobs of the operators that HyperPod's chart and add-on install, by API group."""
KARPENTER_API = "karpenter.sagemaker.amazonaws.com"

LUSTRE_VOLUMES = (
    "https://github.com/kubernetes-sigs/aws-fsx-csi-driver/blob/master/examples/kubernetes/"
    "static_provisioning/README.md"
)

LIMITS = shared.LIMITS._replace(
    runs_controller="https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks.html",
    # Of system nodes, which EKS runs.
    default_root_gib=disks.DEFAULT_ROOT_GIB,
    names=(
        *shared.LIMITS.names,
        # botocore 1.44.5 sagemaker: ComputeQuotaTargetTeamName; and a namespace has its name.
        Names(of=("queue",), longest=40, source=TASK_GOVERNANCE, form=LABEL),
    ),
    ids=frozenset({"queue"}),
    systems=Systems(
        images=frozenset({OS}),
        title="HyperPod with EKS",
        suggested=OS,
        own_image=False,
        only_written=True,
        severity=Severity.WARNING,
        source=EKS_PREREQUISITES,
    ),
    scripts=Scripts(login=False, source=EKS_PREREQUISITES),
    # Access to nodes is through Session Manager.
    no_ssh="https://docs.aws.amazon.com/sagemaker/latest/dg/"
    "sagemaker-hyperpod-eks-operate-access-through-terminal.html",
    unmounted=frozenset({"fsx-lustre", "file-cache"}),
    unmounted_source=LUSTRE_VOLUMES,
    looked_up={"efs": ("dns_name",)},
    looked_up_source="https://docs.aws.amazon.com/eks/latest/userguide/efs-csi.html",
    unscaled=Verdict(Severity.ERROR, SCALING),
    autoscaler=NODE_CLASS,
    mig_label=PARTITIONS,
    mixed_sizes="https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/",
    labels=Labels(
        source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/"
        "API_ClusterKubernetesConfig.html",
        taints_source="https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/",
        reserved_source=LABELS,
        reserved=shared.RESERVED_PREFIXES,
        most_labels=MAX_LABELS,
        most_taints=MAX_TAINTS,
    ),
    control_plane_zones="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    administrators="https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html",
)

# The chart that HyperPod requires, at the commit in charts.py; 2026-11-20.
CHART_REPOSITORY = "https://github.com/aws/sagemaker-hyperpod-cli"
NEURON_TYPES = words("""
    ml.inf2.xlarge ml.inf2.8xlarge ml.inf2.24xlarge ml.inf2.48xlarge
    ml.trn1.2xlarge ml.trn1.32xlarge ml.trn1n.32xlarge ml.trn2.48xlarge
""")
"""On whose nodes the chart of HyperPod runs Neuron's device plugin, whatever its values."""
NEURON_TOLERATED = (("aws.amazon.com/neuron", "NoSchedule"), (HEALTH_LABEL, "NoSchedule"))
"""Keys and effects of the taints that this plugin tolerates, besides CriticalAddonsOnly."""
NEURON_SOURCE = (
    f"{CHART_REPOSITORY}/blob/main/helm_chart/HyperPodHelmChart/charts/neuron-device-plugin/"
    "templates/k8s-neuron-device-plugin.yaml"
)
