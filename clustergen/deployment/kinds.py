"""What ``bundle.json`` says of the service that runs a cluster."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from clustergen.deployment.form import Read
from clustergen.deployment.software.model import HyperPodChart, Software


@dataclass(frozen=True, slots=True)
class Dated(Read):
    """A compute environment of capacity with dates."""

    output: str
    """The output of the stack that is its ARN."""
    minimum: int
    """vCPUs that are kept while the capacity is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch(Read):
    """AWS Batch."""

    kind: Literal["aws-batch"] = "aws-batch"
    log_group: str
    """Of jobs."""
    definitions: tuple[str, ...]
    """The names of the job definitions that ``submit.sh`` registers."""
    minutes: int
    """How long Batch may change a compute environment: it waits for jobs."""
    share: str = ""
    """Under which jobs are tested, where each has to name one."""
    multi_node: bool = False
    """Whether tasks of a job talk to each other."""
    dated: Mapping[str, Dated] = field(default_factory=dict)
    """By node group."""


@dataclass(frozen=True, slots=True)
class Size(Read):
    """Numbers of nodes."""

    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pcs(Read):
    """AWS PCS."""

    kind: Literal["aws-pcs"] = "aws-pcs"
    slurm: str
    """The version of Slurm that nodes run."""
    cluster: str = ""
    """The id of the existing cluster that the node groups join."""
    end_of_life: str = ""
    """The day after which PCS creates no cluster with this version, if that is near."""
    alternative: str = ""
    """A version that lasts longer."""
    login: bool = False
    blocks: Mapping[str, str] = field(default_factory=dict)
    """Node groups on Capacity Blocks, with the ids of these."""
    sizes: Mapping[str, Size] = field(default_factory=dict)
    """Of node groups with dates: the minimum before the start, and the maximum."""
    most: Mapping[str, int] = field(default_factory=dict)
    """The maximum of each node group, by logical id."""


@dataclass(frozen=True, slots=True)
class ManagedGroup(Read):
    """A managed node group of EKS."""

    id: str
    """Its logical id."""
    parameter: str
    """That of its size."""
    kept: int
    """Nodes that no autoscaler removes."""
    wanted: int
    """Nodes to ask for."""
    most: int


@dataclass(frozen=True, slots=True)
class Driver(Read):
    """A driver of file systems that an existing cluster may have: an add-on, or an object."""

    addon: str
    object: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Eks(Read):
    """EKS."""

    kind: Literal["amazon-eks"] = "amazon-eks"
    eks_cluster: str
    """The name of the cluster in which pods run."""
    joins: bool = False
    """Whether it existed before."""
    installs: bool = True
    """Whether a deployment installs the software, or the user does with ``--install``."""
    by_cdk: bool = False
    """Whether only the CDK can deploy it: the stack installs the software."""
    software: Software = field(default_factory=Software)
    """What it installs in the cluster."""
    groups: Mapping[str, ManagedGroup] = field(default_factory=dict)
    """For the cluster's work, by name."""
    system_group: str = ""
    """The node group whose nodes run no jobs."""
    dated: tuple[str, ...] = ()
    """Groups whose capacity starts at a known time."""
    blocks: tuple[str, ...] = ()
    """Groups on Capacity Blocks."""
    imaged: tuple[str, ...] = ()
    """Groups with an image of EKS."""
    karpenter: bool = False
    leaves_karpenter: bool = False
    """Whether an earlier bundle may have left it."""
    pools: Mapping[str, str] = field(default_factory=dict)
    """Limits of node pools of Karpenter, in CPUs."""
    queues: tuple[str, ...] = ()
    """ClusterQueues that a pause holds."""
    admins: tuple[str, ...] = ()
    """Roles and users with access entries: account, kind and name."""
    entries: Mapping[str, str] = field(default_factory=dict)
    """Their principals, by the logical id of the entry."""
    version: int = 0
    """Minor version of Kubernetes of nodes in an existing cluster; 0 if the spec leaves it open."""
    claims_from: int = 0
    """Minor version from which it has device claims; 0 if no pods use them."""
    versioned: tuple[str, ...] = ()
    """Groups without an image of their own."""
    security_group: str = ""
    """The security group of the existing cluster in the spec."""
    efa_only: tuple[str, ...] = ()
    """Groups with EFA-only interfaces."""
    cni: tuple[int, ...] = ()
    """The version of the VPC CNI that they need."""
    drivers: Mapping[str, Driver] = field(default_factory=dict)
    """By parameter of the stack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParallelCluster(Read):
    """ParallelCluster, whose configuration is ``cluster.yaml``."""

    kind: Literal["aws-parallelcluster"] = "aws-parallelcluster"
    version: str
    """It updates only clusters of its own version."""
    own: tuple[str, ...]
    """What the head node has of this bundle: outputs of the foundation, or its subnet."""
    subnets: tuple[str, ...] = ()
    """Those that exist."""
    hook: str = ""
    """The key of the script that head and login nodes start with."""
    workspace: str = ""
    """The key of a file with the workspace of metrics, which the head node reads."""
    ending: tuple[str, ...] = ()
    """The type of each storage that goes with the cluster."""
    arrays: bool = False
    """Whether volumes make up arrays."""
    reserved: bool = False
    """Whether node groups use reservations."""
    replacing: tuple[str, ...] = ()
    """The keys of a queue whose change replaces its nodes."""
    terminates: bool = False
    """Whether that happens at once, whatever runs on them."""


QUOTA: Final = "ComputeQuota"
PRIORITIES: Final = "ClusterSchedulerConfig"
DESCRIBED: Final = {QUOTA: "The nodes of queue {}", PRIORITIES: "Priorities of the queues"}
"""How descriptions of what task governance has for clustergen begin, before a hash of the content:
others may have made what has the same name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodesInEks(Read):
    """The EKS cluster that nodes of HyperPod join."""

    arn: str
    """As in the request: that of a new cluster is an output of its stack."""
    creates: bool = False
    """Whether the bundle creates it, in a stack, and installs HyperPod's chart."""
    chart: HyperPodChart | None = None
    admins: tuple[str, ...] = ()
    """Roles and users with access entries: account, kind and name."""
    entries: Mapping[str, str] = field(default_factory=dict)
    """Their principals, by the logical id of the entry."""
    quotas: Mapping[str, str] = field(default_factory=dict)
    """Where queues are teams of task governance: the file of each quota, by its name."""
    priorities: str = ""
    """The file of the queues' priorities."""
    addon: str = ""
    """The add-on of task governance."""
    software: Software = field(default_factory=Software)
    """Its objects."""
    pools: tuple[str, ...] = ()
    """Node pools of Karpenter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HyperPod(Read):
    """HyperPod; its requests are files of the bundle."""

    kind: Literal["hyperpod"] = "hyperpod"
    name: str
    """The name of the cluster."""
    joins: bool = False
    """Whether it existed before."""
    prefix: str = ""
    """Where lifecycle scripts are in the bucket, below ``lifecycle/``; empty without any."""
    entry: str = ""
    """The script that HyperPod runs."""
    filled: tuple[str, ...] = ()
    """Files beside the scripts with placeholders for outputs."""
    compute: tuple[str, ...] = ()
    """The groups that a pause stops."""
    controller: str = ""
    """The group of the controller of Slurm; empty if the request has none."""
    login: str = ""
    """The group of login nodes; empty without them."""
    own_controller_role: bool = False
    """Whether only its role may read the password of the accounting database."""
    scaled: tuple[str, ...] = ()
    """The groups that Karpenter sizes."""
    continuous: bool = False
    """Whether nodes join and end while the cluster is in service."""
    eks_cluster: str = ""
    """The name of the cluster in which pods run; empty where nodes run Slurm."""
    eks: NodesInEks | None = None
    """What else is known of it."""
    by_scripts: bool = False
    """Whether scripts set up Slurm, in a cluster that existed before."""
    parameters: str = ""
    """The file with its partitions then: an S3 URL, or the name."""
    controller_group: str = ""
    """The group of the controller that scripts of the bundle look for, in such a cluster."""


Services = Batch | Pcs | Eks | ParallelCluster | HyperPod
