"""What SageMaker HyperPod accepts, as of 2026-11-20. The source is above each table."""

from collections.abc import Mapping

from clustergen.base.findings import Path, Severity
from clustergen.base.text_lists import words
from clustergen.plan.limits import ExistingCluster, Form, GroupSize, Limits, Names, Quota, Region
from clustergen.plan.model import Plan

CREATE_CLUSTER = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_CreateCluster.html"
ORCHESTRATOR = f"{CREATE_CLUSTER}#sagemaker-CreateCluster-request-Orchestrator"
_API = "https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_"
INSTANCE_GROUP = f"{_API}ClusterInstanceGroupSpecification.html"
GUIDE = "https://docs.aws.amazon.com/sagemaker/latest/dg/"
PREREQUISITES = f"{GUIDE}sagemaker-hyperpod-prerequisites.html"
SLURM_API = f"{GUIDE}smcluster-getting-started-slurm-cli.html"
SLURM_CONTINUOUS = f"{GUIDE}sagemaker-hyperpod-scaling-slurm.html"
QUOTAS = f"{GUIDE}sagemaker-hyperpod-prerequisites.html#sagemaker-hyperpod-prerequisites-quotas"
TRAINING_PLANS = f"{GUIDE}reserve-capacity-with-training-plans.html"

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html; 2026-11-20.
PARAMETERS_FILE = "provisioning_parameters.json"
"""Where scripts set up Slurm: the partitions of worker groups, beside those scripts. Only for
mode: legacy; in other modes, HyperPod rejects a file with this name."""

# botocore 1.44.5 sagemaker: ClusterName, InstanceGroupName, ClusterPartitionName; 2026-11-20.
NAME = r"[a-zA-Z0-9](-*[a-zA-Z0-9])*"
NAME_FORM = Form(NAME, "letters, digits and -, the first and the last no hyphen")
MAX_NAME = 63
MAX_COUNT = 6758
"""Maximum number of instances in one group."""
MAX_SUBNETS = 16
MAX_SECURITY_GROUPS = 5
VOLUME_GB = (1, 16384)

# QUOTAS: defaults that can be raised; 2026-11-20.
INSTANCES_PER_CLUSTER = 20
INSTANCES_PER_ACCOUNT = 30

# INSTANCE_GROUP, EbsVolumeConfig.RootVolume: the size of the root volume is fixed at 100 GB.
ROOT_GB = 100
JOB_FOLDER_OF_IMAGE = "/run/slurm/dcgm-job-mapping"
"""Where the prolog of HyperPod's image writes the job of each GPU; the folder has files by GPU."""
JOB_FOLDERS = ("/run/slurm/dcgm_job_mapping", JOB_FOLDER_OF_IMAGE)
"""Where DCGM exporters of images look for the job of each GPU: that of HyperPod, and others."""
DEFAULT_VOLUME_GB = 500
"""Size of the secondary volume at /opt/sagemaker: space for a few container images."""

# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_UpdateCluster.html; 2026-11-21.
FIXED_MEMBERS = words("""
    InstanceType ExecutionRole ThreadsPerCore CapacityRequirements OverrideVpcConfig
""")
"""Members of an instance group whose values an update has to repeat."""

# INSTANCE_GROUP, OnStartDeepHealthChecks; 2026-11-20.
HEALTH_CHECKS: Mapping[str, str] = {
    "instance-stress": "InstanceStress",
    "instance-connectivity": "InstanceConnectivity",
    "multi-node": "MultiNodeTrainingValidation",
}

# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ScheduledUpdateConfig.html, and the
# pattern of AWS::SageMaker::Cluster in cfn-lint 1.58.0; 2026-11-20. The hour and the minute are
# numbers: a schedule cannot recur within a day.
_DAY = r"(0?[1-9]|[12][0-9]|3[01]|\?)"
_MONTH = r"(0?[1-9]|1[0-2]|\*|\*/([1-9]|1[0-2]))"
_WEEKDAY = r"(MON|TUE|WED|THU|FRI|SAT|SUN|[1-7]|\?|L|[1-7]#[1-5]|[1-7]L)"
SCHEDULE = rf"cron\([0-5]?[0-9] ([01]?[0-9]|2[0-3]) {_DAY} {_MONTH} {_WEEKDAY} (20[2-9][0-9]|\*)\)"
SCHEDULE_EXAMPLE = "cron(0 3 ? * SUN *)"

# botocore 1.44.5 sagemaker: ClusterAutoPatchConfig, DeploymentConfiguration; seconds; 2026-11-20.
IDLE_WAIT = (3600, 2160000)
DRAIN_TIMEOUT = (0, 5400)
BATCH_PAUSE = (0, 3600)

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-custom-labels-and-taints.html
# 2026-11-20.
RESERVED_PREFIXES = words("""
    kubernetes.io/ k8s.io/ sagemaker.amazonaws.com/ eks.amazonaws.com/ k8s.aws/ karpenter.sh/
""")
"""Prefixes for keys of labels and taints that Kubernetes and the service reserve."""

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html: all nodes are also
# in this partition; 2026-11-20.
UNIVERSAL_PARTITION = "dev"
CONTROLLER, LOGIN = "controller", "login"
"""Names of the instance groups for ``head_node`` and ``login``."""
DEFAULT_DATABASE = "slurm_acct_db"
"""Always written, because the documented defaults of the API and CloudFormation differ."""


def _largest(plan: Plan) -> Path:
    return max(plan.node_groups, key=lambda group: group.max).at("count")


MAX_GROUPS = 100
"""Instance groups of a cluster: botocore 1.44.5, sagemaker CreateCluster (2026-11)."""
LIMITS = Limits(
    one_subnet_with_efa=True,
    title="HyperPod",
    region=Region("hyperpod", Severity.ERROR, f"{GUIDE}sagemaker-hyperpod.html"),
    names=(
        Names(
            of=("cluster", "node group"), longest=MAX_NAME, form=NAME_FORM, source=CREATE_CLUSTER
        ),
    ),
    quotas=(
        Quota(
            what="instances in a cluster",
            most=INSTANCES_PER_CLUSTER,
            count=lambda plan: (
                plan.max_nodes
                + sum(machine.count for machine in (plan.head, plan.login) if machine)
            ),
            place=_largest,
            help="request an increase under Service Quotas, Amazon SageMaker, before you deploy; "
            f"all clusters of an account together have {INSTANCES_PER_ACCOUNT} by default",
            source=QUOTAS,
            severity=Severity.WARNING,
        ),
        Quota(
            what="instance groups",
            most=MAX_GROUPS,
            count=lambda plan: len(plan.node_groups) + len(plan.machines),
            place=("node_groups",),
            help="join node groups, or make a second cluster",
            source=CREATE_CLUSTER,
        ),
    ),
    existing_cluster=ExistingCluster(
        "aws sagemaker describe-cluster --query VpcConfig --cluster-name",
        vpc_source=PREREQUISITES,
        groups_source=PREREQUISITES,
        shares_group=True,
    ),
    group_size=GroupSize(most=MAX_COUNT, source=INSTANCE_GROUP),
    second_volume_gib=DEFAULT_VOLUME_GB,
    # InstanceCount is 0 to 6758; MinInstanceCount requires continuous provisioning.
    empty_groups=INSTANCE_GROUP,
    minimum=INSTANCE_GROUP,
    no_ssh=PREREQUISITES,
)
"""Limits for both orchestrators; each target adds its own."""
