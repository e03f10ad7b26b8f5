"""Limits of ParallelCluster 3.16.1, each group with its source.

The values are from the package aws-parallelcluster 3.16.1, read on 2026-11-20; above each group is
its module in ``pcluster``.
"""

from collections.abc import Mapping

from clustergen.base.findings import Severity
from clustergen.base.text_lists import word_set
from clustergen.facts.catalog import ebs
from clustergen.facts.catalog.ebs import VolumeType
from clustergen.plan.limits import (
    LETTERS,
    Limits,
    Named,
    Names,
    Quota,
    Region,
    Reserved,
    RootVolume,
    SlurmSettings,
    Systems,
    Users,
)
from clustergen.plan.model import Ebs, Efs, FileCache, Lustre, Ontap, OpenZfs, Storage
from clustergen.targets.parallelcluster.queues import queue_owners

VERSION = "3.16.1"

# https://github.com/aws/aws-parallelcluster/releases/tag/v3.16.1 (2026-09-08): Slurm 25.11.8
SLURM_VERSION = "25.11"

# constants: MAX_NUMBER_OF_QUEUES, MAX_NUMBER_OF_COMPUTE_RESOURCES_PER_CLUSTER
MAX_QUEUES = 50
MAX_COMPUTE_RESOURCES = 50
"""Maximum for one queue, and for the whole cluster."""

# constants: PCLUSTER_NAME_MAX_LENGTH, PCLUSTER_NAME_MAX_LENGTH_SLURM_ACCOUNTING
MAX_CLUSTER_NAME, MAX_CLUSTER_NAME_WITH_ACCOUNTING = 60, 40

# validators.cluster_validators: NAME_MAX_LENGTH, SHARED_STORAGE_NAME_MAX_LENGTH, NameValidator
MAX_NAME = 25
"""Maximum length for a queue, a compute resource and a login pool."""
MAX_STORAGE_NAME = 30
MAX_POOLS = 10
RESERVED_NAME = "default"

# constants: MAX_EBS_COUNT, MAX_EXISTING_STORAGE_COUNT
MAX_EBS = 5
MAX_EXISTING_EFS = 20
MAX_EXISTING_FSX = 20
"""File systems of all FSx kinds and file caches together."""
MAX_NEW = 1
"""New EFS, new FSx for Lustre, and arrays of EBS volumes, each; constants: MAX_NEW_STORAGE_COUNT"""

# validators.dev_settings_validators: MIN_SLURM_RECONFIGURE_TIMEOUT
RECONFIGURE = 300
"""Seconds that Slurm has to read its settings again: more than these."""

# validators.instances_validators: InstancesAllocationStrategyValidator
ALLOCATION: Mapping[str, tuple[str, ...]] = {
    "ONDEMAND": ("lowest-price", "prioritized"),
    "SPOT": (
        "lowest-price",
        "capacity-optimized",
        "price-capacity-optimized",
        "capacity-optimized-prioritized",
    ),
    "CAPACITY_BLOCK": (),
}
"""The strategies with several instance types, by CapacityType."""

# validators.cluster_validators: HeadNodeMemorySizeValidator
NODES_PER_HEAD_NODE_GIB = 25
HEAD_NODE_SYSTEM_GIB = 0.6
HEAD_NODE_ENOUGH_GIB = 16

# validators.cluster_validators: SharedEbsPerformanceBottleNeckValidator
SHARED_EBS_NODES = 100

# Size of the official images; constants: EBS_ROOT_VOLUME_SIZE_DEFAULT. 50 from 3.16.2 on:
# https://github.com/aws/aws-parallelcluster/releases/tag/v3.16.2 (2026-10-29)
MIN_ROOT_VOLUME_GIB = 45

# validators.ebs_validators: EBS_VOLUME_TYPE_TO_VOLUME_SIZE_BOUNDS, EBS_VOLUME_IOPS_BOUNDS,
# EbsVolumeThroughputValidator. EBS may allow more by now; these are the limits of ParallelCluster.
VOLUME_TYPES: Mapping[str, VolumeType] = {
    **ebs.VOLUME_TYPES,
    # Below 6 GiB, the default of 3,000 IOPS exceeds 500 per GiB.
    "gp3": VolumeType((6, 16384), (3000, 16000), 500, 3000, (125, 1000), 4),
    "st1": VolumeType((500, 16384)),
    "sc1": VolumeType((500, 16384)),
}

# constants: UNSUPPORTED_OSES_FOR_MICRO_NANO, PRIVATE_OSES, CAPACITY_RESERVATION_OS_MAP
OSES_WITHOUT_IMAGE = ("rocky8", "rocky9")
OSES_TOO_BIG_FOR_MICRO = ("ubuntu2204", "ubuntu2404", "rhel8", "rocky8", "rhel9", "rocky9")
OSES_OF_RED_HAT_RESERVATIONS = ("rhel8", "rhel9")
OSES_WITHOUT_RSA_KEYS = ("ubuntu2204", "ubuntu2404")

# constants: OS_MAPPING; service users have uids below 1000:
# https://github.com/aws/aws-parallelcluster-cookbook
DEFAULT_USERS = {
    "alinux2023": "ec2-user",
    "ubuntu2204": "ubuntu",
    "ubuntu2404": "ubuntu",
    "rhel8": "ec2-user",
    "rhel9": "ec2-user",
    "rocky8": "rocky",
    "rocky9": "rocky",
}
TAKEN_USERS = frozenset({*DEFAULT_USERS.values(), "root", "slurm", "munge", "pcluster-admin"})

# https://aws.amazon.com/linux/amazon-linux-2023/, https://docs.docker.com/engine/install/rhel/
# (2026-11-20): the distribution's own repositories have a docker package.
OSES_WITH_DOCKER = ("alinux2023", "ubuntu2204", "ubuntu2404")

# schemas.cluster_schema: CloudWatchLogsSchema.retention_in_days; constants: the default
LOG_RETENTION_DAYS = (
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653,
)  # fmt: skip

# constants: PCLUSTER_PREFIX; schemas.common_schema: validate_no_reserved_tag
RESERVED_TAG_PREFIX = "parallelcluster:"
OPEN_TAG = "parallelcluster:custom_resource"
MAX_TAGS = 40
"""Of a node: those of the cluster, of its queue, and of its compute resource."""

DEFAULT_SCRATCH = "/scratch"
"""Default mount point of local NVMe; constants: DEFAULT_EPHEMERAL_DIR."""

# schemas.cluster_schema: FsxLustreSettingsSchema, EfsSettingsSchema, EbsSettingsSchema;
# constants: FSX_VOLUME_ID_REGEX, FILE_CACHE_ID_REGEX
_FSX_VOLUME = r"fsvol-[0-9a-f]{17}"
ID_PATTERNS: Mapping[type[Storage], str] = {
    Lustre: r"fs-[0-9a-z]{17}",
    Efs: r"fs-([0-9a-z]{8}|[0-9a-z]{17})",
    Ebs: r"vol-([0-9a-z]{8}|[0-9a-z]{17})",
    FileCache: r"fc-[0-9a-f]{8,18}",
    OpenZfs: _FSX_VOLUME,
    Ontap: _FSX_VOLUME,
}
"""Of what ParallelCluster mounts: of FSx for OpenZFS and ONTAP, it is a volume."""

# validators.slurm_settings_validator: SLURM_SETTINGS_DENY_LIST. Its slurm.conf template has
# SchedulerParameters=nohold_on_prolog_fail:
# https://github.com/aws/aws-parallelcluster-cookbook, slurm.conf.erb; 2026-11-22.
SLURM_SETTINGS = SlurmSettings(
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-configuration-settings-v3.html",
    own={
        "cluster": word_set("""
            epilog grestypes launchparameters prolog reconfigflags resumefailprogram
            resumeprogram resumetimeout slurmctldhost slurmctldlogfile slurmctldparameters
            slurmdlogfile slurmuser suspendexcnodes suspendprogram suspendtime
            taskplugin treewidth
        """),
        "partition": word_set("nodes partitionname resumetimeout state suspendtime oversubscribe"),
        "node": word_set("cpus gres nodeaddr nodehostname nodename state"),
    },
    own_with_database=word_set("""
        accountingstoragetype accountingstoragehost accountingstorageport
        accountingstorageuser jobacctgathertype
    """),
    instead={
        "oversubscribe": "write exclusive: true on the queue",
        "suspendtime": "write slurm.idle_timeout",
        "gres": "remove it: GPUs are counted for you",
        "cpus": "remove it; threads_per_core: 1 disables SMT",
        "prolog": "let a boot script of the head node add to /opt/slurm/etc/scripts/prolog.d",
        "epilog": "let a boot script of the head node add to /opt/slurm/etc/scripts/epilog.d",
    },
    kept={"SchedulerParameters": "nohold_on_prolog_fail"},
    tracks_gpus=False,
)

# constants: MIN_SLURM_NODE_PRIORITY, MAX_SLURM_NODE_PRIORITY
NODE_PRIORITY = (1, 2**32 - 1)
DEFAULT_PRIORITIES = (1, 1000)
"""Of static nodes, and of those that Slurm starts; config.cluster_config: SlurmComputeResource."""
DEFAULT_COUNTS = (0, 10)
"""MinCount and MaxCount; the same."""

# validators.cluster_validators: SchedulableMemoryValidator
SCHEDULABLE_SHARE = 0.95

# constants: MIN_MEMORY_PRECENTAGE_DIFFERENCE, MIN_MEMORY_ABSOLUTE_DIFFERENCE
ALIKE_MEMORY_SHARE, ALIKE_MEMORY_MIB = 0.2, 4096
"""Types that differ by more than both are not alike."""


_NAMED: tuple[Named, ...] = ("node group", "queue")
_FEW_QUEUES = "https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#Scheduling-v3-SlurmQueues"

LIMITS = Limits(
    own_groups=True,
    title="ParallelCluster",
    own_dashboard=True,
    exports_gpus=False,
    image_tool="pcluster build-image",
    # capacity_block_manager.py: a reservation with the flag MAINT.
    reserves_blocks="https://github.com/aws/aws-parallelcluster-node",
    docker_group=lambda _plan: True,
    region=Region(
        "parallelcluster",
        Severity.ERROR,
        "https://docs.aws.amazon.com/parallelcluster/latest/ug/supported-regions-v3.html",
    ),
    names=(
        Names(
            of=("cluster",),
            longest=MAX_CLUSTER_NAME,
            source="pcluster.validators.cluster_validators: ClusterNameValidator",
            when=lambda plan: plan.slurm.accounting == "off",
            form=LETTERS,
        ),
        Names(
            of=("cluster",),
            longest=MAX_CLUSTER_NAME_WITH_ACCOUNTING,
            source="pcluster.validators.cluster_validators: ClusterNameValidator",
            when=lambda plan: plan.slurm.accounting != "off",
            form=LETTERS,
        ),
        Names(
            of=_NAMED,
            longest=MAX_NAME,
            source="pcluster.validators.cluster_validators: NameValidator",
        ),
    ),
    free_names=lambda plan: frozenset(queue.name for queue in queue_owners(plan).partitions),
    reserved=tuple(
        Reserved(
            of=kind,
            names={RESERVED_NAME: "ParallelCluster"},
            source="pcluster.validators.cluster_validators: NameValidator",
        )
        for kind in _NAMED
    ),
    systems=Systems(
        images=frozenset(DEFAULT_USERS) - frozenset(OSES_WITHOUT_IMAGE),
        title="ParallelCluster",
        suggested="ubuntu2404",
        source="https://docs.aws.amazon.com/parallelcluster/latest/ug/building-custom-ami-v3.html",
    ),
    users=Users(names=TAKEN_USERS, default=DEFAULT_USERS, source="pcluster.constants: OS_MAPPING"),
    accounting_database="https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-accounting-v3.html",
    quotas=(
        Quota(
            what="queues",
            most=MAX_QUEUES,
            count=lambda plan: len(queue_owners(plan).queues),
            place=lambda plan: ("queues",) if plan.wrote("queues") else ("node_groups",),
            help="put node groups that are alike into one queue",
            source=_FEW_QUEUES,
        ),
        Quota(
            what="node groups",
            most=MAX_COMPUTE_RESOURCES,
            count=lambda plan: len(plan.node_groups),
            place=("node_groups",),
            help="put types that are alike into one group, as instance_types",
            source=_FEW_QUEUES,
        ),
    ),
    root_volume=RootVolume(
        MIN_ROOT_VOLUME_GIB,
        "https://github.com/aws/aws-parallelcluster/releases/tag/v3.16.2",
        head=True,
    ),
    looked_up={
        "fsx-lustre": ("dns_name", "mount_name"),
        "fsx-openzfs": ("dns_name",),
        "fsx-ontap": ("dns_name",),
        "file-cache": ("dns_name", "mount_name"),
        "efs": ("dns_name",),
    },
    looked_up_source="https://docs.aws.amazon.com/parallelcluster/latest/ug/SharedStorage-v3.html",
    public_nodes=frozenset({"head", "login"}),
    retention_days=LOG_RETENTION_DAYS,
    one_subnet_with_efa=True,
    one_architecture=True,
    slurm_versions=(SLURM_VERSION,),
    slurm_versions_source="https://github.com/aws/aws-parallelcluster/releases/tag/v3.16.1",
    default_slurm_version=SLURM_VERSION,
    slurm_settings=SLURM_SETTINGS,
    always_replaces="https://docs.aws.amazon.com/parallelcluster/latest/ug/processes-v3.html",
)


def is_reserved(tag: str) -> bool:
    """Whether only ParallelCluster can write a tag of this key."""
    return tag.startswith(RESERVED_TAG_PREFIX) and tag != OPEN_TAG
