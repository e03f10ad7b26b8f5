"""What AWS Batch accepts, as of 2026-11-21. The source is above each value."""

from clustergen.base.findings import Severity
from clustergen.plan import limits
from clustergen.services.aws.logs import RETENTION_DAYS

USER_GUIDE = "https://docs.aws.amazon.com/batch/latest/userguide/"
API = "https://docs.aws.amazon.com/batch/latest/APIReference/"

MULTI_NODE = f"{USER_GUIDE}mnp-ce.html"
LAUNCH_TEMPLATES = f"{USER_GUIDE}launch-templates.html"
QUOTAS = f"{USER_GUIDE}service_limits.html"
JOB_QUEUE = f"{API}API_CreateJobQueue.html"

# Names have 128 characters; ours are CLUSTER-QUEUE, and CLUSTER-QUEUE-GROUP-KIND of jobs.
# JOB_QUEUE, API_RegisterJobDefinition.html; 2026-11-21.
MAX_CLUSTER_NAME = 40
MAX_NAME = 35

PRIORITY = (
    "https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/"
    "aws-resource-batch-jobqueue.html"
)
# PRIORITY; 2026-11-21.
MAX_PRIORITY = 1000
# JOB_QUEUE, computeEnvironmentOrder; 2026-11-21.
MAX_ENVIRONMENTS_OF_QUEUE = 3
# QUOTAS; 2026-11-21. None of these can be raised.
MAX_ENVIRONMENTS = 50
MAX_QUEUES = 50
MAX_DEFINITION_BYTES = 24 * 1024
# What ours have without tags and file systems, and for each file system; a test compares both.
DEFINITION_BYTES = 7 * 1024
MOUNT_OF_DEFINITION_BYTES = 512
# https://docs.aws.amazon.com/batch/latest/userguide/mnp-node-groups.html; 2026-11-21.
MAX_NODES_OF_JOB = 1000

# https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeScalingPolicy.html; 2026-11-21.
IDLE_MINUTES = (20, 10_080)
# https://docs.aws.amazon.com/batch/latest/APIReference/API_UpdatePolicy.html; 2026-11-21.
UPDATE_MINUTES = (1, 7200)
# https://docs.aws.amazon.com/batch/latest/APIReference/API_JobTimeout.html; 2026-11-21.
MIN_TIMEOUT_SECONDS = 60
# https://docs.aws.amazon.com/batch/latest/APIReference/API_RetryStrategy.html: up to 10.
ATTEMPTS = 3

# Batch adds a part to user data, which has about this size; 2026-11-21:
# https://github.com/aws/aws-cdk/issues/9900
USER_DATA_OF_BATCH_BYTES = 1024
# What ours has without scripts of users, and for each file system; a test compares both.
USER_DATA_BYTES = 3072
MOUNT_BYTES = 512

# https://github.com/aws-samples/aws-do-eks/pull/63 (2026-08-10): 8 EFA interfaces of 10 devices.
OTHER_DEVICES = frozenset({"p6-b200"})

# https://github.com/aws/amazon-ecs-ami; 2026-08-21.
IMAGE_OS = "alinux2023"
IMAGE_GIB = 30
ROOT_DEVICE = "/dev/xvda"
DEFAULT_ROOT_GIB = 200
"""Larger than the image's volume, which is too small for container images."""
# https://docs.aws.amazon.com/AmazonECS/latest/developerguide/retrieve-ecs-optimized_AMI.html
# (2026-11-21)
NEURON_IMAGE = "/aws/service/ecs/optimized-ami/amazon-linux-2023/neuron/recommended/image_id"

LIMITS = limits.Limits(
    title="AWS Batch",
    stack_title="AWS Batch",
    runs_controller="https://docs.aws.amazon.com/batch/latest/userguide/what-is-batch.html",
    default_root_gib=DEFAULT_ROOT_GIB,
    volume_key_user=limits.KeyUser(
        "AWSServiceRoleForAutoScaling",
        "https://docs.aws.amazon.com/autoscaling/ec2/userguide/key-policy-requirements-EBS-encryption.html",
    ),
    names=(
        limits.Names(
            of=("cluster",), longest=MAX_CLUSTER_NAME, source=JOB_QUEUE, form=limits.LETTERS
        ),
        limits.Names(
            of=("node group", "queue"), longest=MAX_NAME, source=JOB_QUEUE, form=limits.LETTERS
        ),
    ),
    ids=frozenset({"node group", "queue"}),
    systems=limits.Systems(
        images=frozenset({IMAGE_OS}),
        title="AWS Batch",
        suggested=IMAGE_OS,
        only_written=True,
        own_image=False,
        source=f"{USER_GUIDE}batch-ami-spec.html",
    ),
    quotas=(
        limits.Quota(
            what="compute environments",
            most=MAX_ENVIRONMENTS,
            count=lambda plan: len(plan.node_groups),
            place=("node_groups",),
            help="use fewer node groups, or another account or region: the quota cannot be raised",
            source=QUOTAS,
        ),
        limits.Quota(
            what="job queues",
            most=MAX_QUEUES,
            count=lambda plan: len(plan.queues),
            place=("queues",),
            help="use fewer queues, or another account or region: the quota cannot be raised",
            source=QUOTAS,
        ),
    ),
    group_size=limits.GroupSize(
        most=MAX_NODES_OF_JOB, source=f"{USER_GUIDE}mnp-node-groups.html", severity=Severity.WARNING
    ),
    root_volume=limits.RootVolume(IMAGE_GIB, "https://github.com/aws/amazon-ecs-ami"),
    scripts=limits.Scripts(login=False, source=LAUNCH_TEMPLATES),
    unmounted=frozenset({"fsx-lustre", "file-cache", "fsx-ontap"}),
    unmounted_source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/mounting-ec2-instance.html",
    looked_up={"efs": ("dns_name",)},
    looked_up_source="https://docs.aws.amazon.com/efs/latest/ug/mounting-fs-mount-cmd-dns-name.html",
    always_replaces=f"{USER_GUIDE}security-iam-awsmanpol.html",
    retention_days=RETENTION_DAYS,
    no_ssh=MULTI_NODE,
    mixed_sizes=f"{USER_GUIDE}allocation-strategies.html",
)
