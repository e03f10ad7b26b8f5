"""What AWS PCS accepts, as of 2026-11-20. The source is above each table."""

from collections.abc import Mapping
from typing import NamedTuple

from clustergen.base.findings import Severity
from clustergen.base.text_lists import word_set, words
from clustergen.plan import limits
from clustergen.services.aws.logs import RETENTION_DAYS
from clustergen.targets.pcs import names

USER_GUIDE = "https://docs.aws.amazon.com/pcs/latest/userguide/"
CREATE_CLUSTER = "https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateCluster.html"
CREATE_NODE_GROUP = (
    "https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateComputeNodeGroup.html"
)
SECONDS_PER_DAY = 86400


class Size(NamedTuple):
    """A controller size: its maximum numbers of instances and of jobs."""

    name: str
    nodes: int
    jobs: int


# CREATE_CLUSTER, member ``size``; 2026-11-20.
SIZES = (Size("SMALL", 32, 256), Size("MEDIUM", 512, 8192), Size("LARGE", 2048, 16384))


class SlurmVersion(NamedTuple):
    """A Slurm version for new clusters; ``end_of_life`` is an ISO date."""

    name: str
    end_of_life: str
    ending: bool = False
    """Whether a training run could outlast support, as of the date of this table."""


# https://docs.aws.amazon.com/pcs/latest/userguide/slurm-versions.html; 2026-11-20.
SLURM_VERSIONS = (
    SlurmVersion("25.05", "2026-11-30", ending=True),
    SlurmVersion("25.11", "2027-05-31"),
    SlurmVersion("26.05", "2027-11-30"),
)
# Same page: after this day, no clusters can be created; existing ones are suspended a year later.
ENDED_SLURM_VERSIONS: Mapping[str, str] = {
    "23.11": "2025-05-31",
    "24.05": "2025-11-30",
    "24.11": "2026-05-31",
}
DEFAULT_SLURM_VERSION = "25.11"
"""Old enough to be stable, new enough for all settings that clustergen writes."""

# CREATE_CLUSTER and CREATE_NODE_GROUP, lengths and patterns of names; 2026-11-20.
MIN_NAME, MAX_NAME = 3, 25
"""Characters in the name of a node group or a queue."""

# https://docs.aws.amazon.com/pcs/latest/userguide/service-endpoints-quotas.html; 2026-11-20.
# Support can raise both.
MAX_NODE_GROUPS = 10
MAX_QUEUES = 10

# CREATE_CLUSTER; 2026-11-20. Zero days of job records are rejected, although the model allows it.
IDLE_TIMEOUT_SECONDS = (1, 10_000_000)
PURGE_DAYS = (1, 10_000)

# https://docs.aws.amazon.com/pcs/latest/APIReference/API_NodeLifecycleScript.html; 2026-11-20.
MAX_SCRIPTS = 20
"""Maximum number of scripts in one lifecycle stage, including the target's."""
MAX_ARGUMENTS = 20
MAX_ARGUMENT_LENGTH = 256
MAX_SCRIPT_NAME = 64
SCRIPT_LOCATION = (
    r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]/.+"
    r"|https://(?:[a-zA-Z0-9](?:[a-zA-Z0-9_-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z]{2,63}(?::[0-9]{1,5})?(?:[/?#]\S*)?"
)

# USER_GUIDE, slurm-custom-settings.html and the page of each scope; 2026-11-20.
SLURM_SETTINGS = limits.SlurmSettings(
    source=f"{USER_GUIDE}slurm-custom-settings.html",
    accepted={
        # slurm-custom-settings-cluster.html
        "cluster": word_set("""
            accountingstorageenforce accountingstoragetres accountingstoreflags
            authaltparameters clifilterparameters clifilterplugins
            communicationparameters defmempercpu epilog enforcepartlimits
            fairsharedampeningfactor firstjobid healthcheckinterval
            healthchecknodestate healthcheckprogram jobrequeue launchparameters
            licenses metricstype minjobage overtimelimit preemptexempttime
            preemptmode preemptparameters preempttype prioritycalcperiod
            prioritydecayhalflife priorityfavorsmall priorityflags prioritymaxage
            priorityusageresetperiod priorityweightage priorityweightassoc
            priorityweightfairshare priorityweightjobsize priorityweightpartition
            priorityweightqos priorityweighttres prolog prologflags requeueexit
            requeueexithold schedulerparameters selecttypeparameters srunportrange
            taskepilog taskpluginparam taskprolog trackwckey unkillablestepprogram
            unkillablesteptimeout
        """),
        # slurm-custom-settings-cng.html
        "node": word_set("""
            cpuspeclist features gres memspeclimit parameters realmemory sockets
            weight
        """),
        # slurm-custom-settings-queue.html
        "partition": word_set("""
            allowaccounts allowqos default defaulttime denyaccounts denyqos
            exclusiveuser gracetime maxtime oversubscribe overtimelimit
            powerdownonidle preemptmode priorityjobfactor prioritytier qos
            tresbillingweights
        """),
        # slurmdbd-custom-settings.html
        "slurmdbd": word_set("""
            allownodefacct allresourcesabsolute commitdelay defaultqos
            maxquerytimerange parameters privatedata purgeeventafter purgejobafter
            purgeresvafter purgestepafter purgesuspendafter purgetxnafter
            purgeusageafter trackwckey
        """),
        # cgroup-custom-settings.html
        "cgroup": word_set("""
            allowedramspace allowedswapspace constraincores constraindevices
            constrainramspace constrainswapspace ignoresystemd maxrampercent
            maxswappercent minramspace signalchildrenprocesses
        """),
    },
    instead={
        "suspendtime": "write slurm.idle_timeout",
        "grestypes": "remove it: PCS derives it from the instance types",
        "prioritytype": "remove it: PCS weighs jobs by the PriorityWeight settings",
        "topologyplugin": "remove it: PCS chooses it for UltraServers",
        "accountingstoragetype": "write slurm.accounting: managed",
        "state": "remove it: PCS manages it",
        # API_UpdateCluster; CloudFormation has no such property (2026-11-29).
        "jobsubmitplugins": "remove it; PCS runs a script in Starlark at submission: "
        "`aws pcs update-cluster` with jobSubmitPlugins in --slurm-configuration",
    },
    # doc-history.html; 2026-11-20.
    since={"sockets": "25.11"},
)
# https://docs.aws.amazon.com/pcs/latest/userguide/slurm-custom-settings-cluster.html; 2026-11-20.
SOCKET_SELECTION_SINCE = "25.11"
"""SelectTypeParameters with CR_Socket or CR_Socket_Memory."""
# https://docs.aws.amazon.com/pcs/latest/userguide/mig-configuration.html; 2026-11-20.
AUTODETECT_SINCE = "25.11"
SOCKETS_DETECTED_SINCE = "26.05"
"""From this version on, PCS detects the socket layout for GPU detection."""

# https://docs.aws.amazon.com/pcs/latest/userguide/slurm-custom-settings-cluster.html; 2026-11-20.
MIN_JOB_AGE_SECONDS = 5

# https://docs.aws.amazon.com/pcs/latest/userguide/cng-node-lifecycle-actions-configure.html
AGENT = "1.5.0-1"
"""The first PCS agent that runs lifecycle actions."""

# https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ami_pcs-ready-dlami.html (2026-11).
# The only image family with a public parameter, which has only /latest.
IMAGE_PARAMETER = "/aws/service/pcs/ami/dlami-base-ubuntu2404/{arch}/latest/ami-id"
DEFAULT_IMAGE_OS = "ubuntu2404"
ARCHITECTURES = ("x86_64", "arm64")

SPOT_ALLOCATION = ("lowest-price", "capacity-optimized", "price-capacity-optimized")
"""botocore 1.44.5 pcs: SpotAllocationStrategy."""

# https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/device_naming.html; 2026-11-20.
_OTHERS = words("ubuntu2204 ubuntu2404 rhel8 rhel9 rocky8 rocky9")
ROOT_DEVICES = {"alinux2023": "/dev/xvda", **dict.fromkeys(_OTHERS, "/dev/sda1")}
# Same page; 2026-11-20.
IMAGE_GIB = 75
DEFAULT_ROOT_GIB = 200
"""Larger than the default image's volume, which is too small for container images."""

# https://docs.aws.amazon.com/pcs/latest/userguide/cng-node-lifecycle-actions-vetted-scripts.html;
# 2026-11-20. The content of a full version never changes.
AWS_SCRIPTS = "s3://aws-pcs-repo-{region}/aws-pcs-node-lifecycle-scripts/{script}-v1.0.0.sh"


def smallest_size(nodes: int) -> Size | None:
    """The smallest controller for this number of nodes; None if there is none."""
    return next((size for size in SIZES if nodes <= size.nodes), None)


def size(name: str, nodes: int) -> Size:
    """The size of this name; for ``auto``, the smallest for so many nodes, or the largest."""
    named = (each for each in SIZES if each.name.lower() == name)
    return next(named, None) or smallest_size(nodes) or SIZES[-1]


def ending_version(name: str) -> SlurmVersion | None:
    """The Slurm version of this name, if it is near its end of life."""
    return next((each for each in SLURM_VERSIONS if each.name == name and each.ending), None)


_QUOTAS = f"{USER_GUIDE}service-endpoints-quotas.html"

LIMITS = limits.Limits(
    title="PCS",
    stack_title="AWS PCS",
    existing_cluster=limits.ExistingCluster(
        "aws pcs get-cluster --query cluster.networking --cluster-identifier",
        vpc_source=CREATE_NODE_GROUP,
        groups_source=f"{USER_GUIDE}working-with_networking_sg.html",
    ),
    # Login nodes are a compute node group, whose instances all register with slurmctld; it counts
    # nodes since this version: https://docs.aws.amazon.com/pcs/latest/userguide/key-concepts.html
    login_in_slurm="25.11",
    reserves_blocks=f"{USER_GUIDE}capacity-blocks-faq.html",
    scheduled_blocks=f"{USER_GUIDE}capacity-blocks-faq.html",
    runs_controller="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_clusters.html",
    docker_group=lambda _plan: True,
    # maxInstanceCount has a minimum of 0.
    empty_groups="https://docs.aws.amazon.com/pcs/latest/APIReference/API_ScalingConfigurationRequest.html",
    region=limits.Region(
        "pcs", Severity.WARNING, "https://docs.aws.amazon.com/general/latest/gr/pcs.html"
    ),
    names=(
        limits.Names(
            of=("cluster",), shortest=3, longest=40, source=CREATE_CLUSTER, form=limits.LETTERS
        ),
        limits.Names(
            of=("node group", "queue"),
            shortest=MIN_NAME,
            longest=MAX_NAME,
            source=CREATE_NODE_GROUP,
            form=limits.LETTERS,
        ),
    ),
    ids=frozenset({"node group", "queue"}),
    reserved=(
        limits.Reserved(
            of="node group",
            names={names.LOGIN: "the login nodes"},
            with_login=True,
            source=CREATE_NODE_GROUP,
        ),
    ),
    systems=limits.Systems(
        images=frozenset({DEFAULT_IMAGE_OS}),
        title="PCS",
        suggested=DEFAULT_IMAGE_OS,
        by_node=True,
        source=f"{USER_GUIDE}working-with_ami.html",
    ),
    quotas=(
        limits.Quota(
            what="node groups, including the login nodes",
            most=MAX_NODE_GROUPS,
            count=lambda plan: len(plan.node_groups) + (plan.login is not None),
            place=("node_groups",),
            help="open a support case first",
            source=_QUOTAS,
            severity=Severity.WARNING,
        ),
        limits.Quota(
            what="queues",
            most=MAX_QUEUES,
            count=lambda plan: len(plan.queues),
            place=("queues",),
            help="open a support case first",
            source=_QUOTAS,
            severity=Severity.WARNING,
        ),
    ),
    scripts=limits.Scripts(
        login=True,
        when="configured",
        source=f"{USER_GUIDE}cng-node-lifecycle-actions-configure.html",
    ),
    looked_up={"efs": ("dns_name",)},
    looked_up_source=f"{USER_GUIDE}cng-node-lifecycle-actions-vetted-scripts.html",
    public_nodes=frozenset({"login"}),
    slurm_versions=tuple(version.name for version in SLURM_VERSIONS),
    slurm_versions_source=f"{USER_GUIDE}slurm-versions.html",
    default_slurm_version=DEFAULT_SLURM_VERSION,
    ended_slurm_versions=ENDED_SLURM_VERSIONS,
    unmounted=frozenset({"fsx-lustre", "file-cache", "fsx-ontap"}),
    unmounted_source=f"{USER_GUIDE}cng-node-lifecycle-actions-vetted-scripts.html",
    slurm_settings=SLURM_SETTINGS,
    always_replaces=f"{USER_GUIDE}working-with_cng.html",
    retention_days=RETENTION_DAYS,
    default_root_gib=DEFAULT_ROOT_GIB,
    volume_key_user=limits.KeyUser(
        "AWSServiceRoleForPCS",
        "https://docs.aws.amazon.com/pcs/latest/userguide/security-key-policy-for-encrypted-volumes.html",
    ),
    root_volume=limits.RootVolume(
        IMAGE_GIB,
        f"{USER_GUIDE}working-with_ami_pcs-ready-dlami.html",
        severity=Severity.WARNING,
        login=True,
    ),
)
