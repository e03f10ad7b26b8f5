"""What a bundle deploys: the contents of ``bundle.json``.

Programs read it in place of the texts of scripts; its JSON Schema is ``docs/bundle.schema.json``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Final, Literal, NamedTuple

from clustergen.base.artifacts import Artifact, Json, json_artifact

PATH: Final = "bundle.json"
FORMAT: Final = 1

MARK: Final = "clustergen"
"""Where the metadata of a template says whose it is."""
MARK_FORMAT: Final = 1
INLINE_BYTES: Final = 51_200
"""Maximum size of a template in a request; larger ones must be in S3.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"""
STAGE: Final = "foundation-bucket.template.json"
"""Template with only the bucket, if the whole foundation is too large for one request."""
NAMING: Final = ("Id", "Arn", "BucketName")
"""How outputs of the foundation end that name what it made."""

Role = str
"""What a stack is for, such as ``foundation``; its template is ``ROLE.template.json``."""


class _Read:
    """How the file is read: an unknown member is an error, as it could be one that matters."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Mapping[str, Any]] = {
        "extra": "forbid",
        "use_attribute_docstrings": True,
    }


@dataclass(frozen=True, slots=True)
class Mark(_Read):
    """Whose a stack is: ``Metadata.clustergen`` of its template."""

    cluster: str
    target: str
    """``foundation`` for that of clusters of several targets."""


@dataclass(frozen=True, slots=True)
class Source(_Read):
    """Where the value of a parameter comes from: one of these."""

    output: str = ""
    """An output of a stack before this one."""
    image: str = ""
    """A public parameter that names the newest image. A stack keeps the image that it has."""
    ahead: int = 0
    """A time, in seconds since 1970. The value is whether it is still ahead: yes or no."""
    paused: bool = False
    """The value is whether the cluster is paused: yes or no."""


@dataclass(frozen=True, slots=True)
class Stack(_Read):
    """A CloudFormation stack."""

    name: str
    mark: Mark
    described: tuple[str, ...]
    """Descriptions of its template in versions that wrote no mark."""
    template: str = ""
    """The file in the bundle; empty where only an earlier bundle may have made the stack."""
    parameters: Mapping[str, Source] = field(default_factory=dict)
    """By name. Others have their defaults."""
    kept: tuple[str, ...] = ()
    """The parameters of the overlay: they keep the values that the stack has."""
    adopted: Mapping[str, str] = field(default_factory=dict)
    """Of a stack that the spec adopted, what makes up the cluster: types by logical id."""


@dataclass(frozen=True, slots=True)
class Mounts(_Read):
    """File systems by what the bundle does with them, each by its path on nodes."""

    made: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    """Those that exist, and are mounted."""


@dataclass(frozen=True, slots=True)
class Network(_Read):
    """What exists of the network."""

    vpc: str = ""
    """Empty if the foundation makes one."""
    groups: tuple[str, ...] = ()
    """Existing security groups to which the foundation adds rules."""


@dataclass(frozen=True, slots=True)
class Table(_Read):
    """A table in the bucket of scripts, which nodes read regularly."""

    key: str
    file: str = ""
    """Empty where the bundle has none."""
    empty: str = ""
    """The text that takes the place of a table of an earlier bundle."""


@dataclass(frozen=True, slots=True)
class Losses(_Read):
    """What goes with the cluster."""

    lines: tuple[str, ...] = ()
    """Everything, with the reason and, where there is one, the command that saves it."""
    data: tuple[str, ...] = ()
    """Mounts and resources whose data goes, which needs consent."""
    foundation: tuple[str, ...] = ()
    """What becomes of the data in the foundation when that is deleted, too."""


@dataclass(frozen=True, slots=True)
class Period(_Read):
    """When capacity can be used, in seconds since 1970; 0 if that is not known."""

    starts: int = 0
    ends: int = 0


@dataclass(frozen=True, slots=True)
class Dated(_Read):
    """A compute environment of capacity with dates."""

    output: str
    """The output of the stack that is its ARN."""
    minimum: int
    """vCPUs that are kept while the capacity is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch(_Read):
    """AWS Batch."""

    kind: Literal["aws-batch"] = "aws-batch"
    log_group: str
    """Of jobs."""
    definitions: tuple[str, ...]
    """The names of the job definitions that ``submit.sh`` registers."""
    minutes: int
    """How long Batch may change a compute environment: it waits for jobs."""
    multi_node: bool = False
    """Whether tasks of a job talk to each other."""
    dated: Mapping[str, Dated] = field(default_factory=dict)
    """By node group."""


@dataclass(frozen=True, slots=True)
class Size(_Read):
    """Numbers of nodes."""

    minimum: int
    maximum: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pcs(_Read):
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
class ManagedGroup(_Read):
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
class Driver(_Read):
    """A driver of file systems that an existing cluster may have: an add-on, or an object."""

    addon: str
    object: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Eks(_Read):
    """EKS."""

    kind: Literal["amazon-eks"] = "amazon-eks"
    eks_cluster: str
    """The name of the cluster in which pods run."""
    joins: bool = False
    """Whether it existed before."""
    installs: bool = True
    """Whether a deployment runs ``install.sh``."""
    by_cdk: bool = False
    """Whether only the CDK can deploy it: the stack installs the software."""
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
    fills: tuple[str, ...] = ()
    """Files with placeholders for outputs."""
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
class ParallelCluster(_Read):
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


@dataclass(frozen=True, slots=True)
class Objects(_Read):
    """How objects in Kubernetes are known as those of a bundle."""

    label: str = ""
    owner: str = ""
    """Its value."""
    paused: str = ""
    """The annotation with the policy that a queue had before a pause."""


@dataclass(frozen=True, slots=True)
class Service(_Read):
    """Another service, whose bundles have a ``deploy.sh`` of their own."""

    kind: Literal["hyperpod"]
    eks_cluster: str = ""
    """The name of the EKS cluster in which pods run."""


Services = Batch | Pcs | Eks | ParallelCluster | Service


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle(_Read):
    """Everything that a deployment needs to know besides the other files."""

    format: Literal[1] = FORMAT
    cluster: str
    """The name in the spec."""
    target: str
    region: str
    partition: str
    accounts: tuple[str, ...] = ()
    """The only accounts that the ARNs in the spec allow, by number."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Of stacks, and of what is in them."""
    service: Services
    network: Network = Network()
    stacks: Mapping[Role, Stack]
    """In order of deployment."""
    creates: bool = True
    """Whether a deployment creates the cluster; if not, its stack has to be there."""
    uploads: Mapping[str, str] = field(default_factory=dict)
    """Scripts of nodes: key in the bucket of scripts -> file."""
    tables: tuple[Table, ...] = ()
    spot: bool = False
    """Whether the account needs the role with which EC2 starts Spot instances."""
    periods: Mapping[str, Period] = field(default_factory=dict)
    """By node group, of capacity with dates."""
    objects: Objects = Objects()
    mounts: Mounts = Mounts()
    losses: Losses = Losses()
    controller_roles: tuple[str, ...] = ()
    """Logical ids of the role that gets the password of the accounting database of a HyperPod
    controller, and of the one that has it in foundations of earlier versions."""
    billed: tuple[str, ...] = ()
    """What continues to cost money during a pause."""


class OfTarget(NamedTuple):
    """What a target says of its bundles, besides what is the same for all."""

    service: Services
    sources: Mapping[str, Source] = MappingProxyType({})
    """Of parameters that are no outputs, by name."""
    uploads: Mapping[str, str] = MappingProxyType({})
    tables: tuple[Table, ...] = ()
    periods: Mapping[str, Period] = MappingProxyType({})
    adopted: Mapping[str, str] = MappingProxyType({})
    billed: tuple[str, ...] = ()
    """What continues to cost money during a pause, besides what every target has."""
    objects: Objects = Objects()
    script: bool = True
    """Whether the bundle has a ``deploy.sh`` that starts ``clustergen deploy``."""


def artifact(bundle: Bundle) -> Artifact:
    """The file."""
    return json_artifact(PATH, _members(bundle))


def _members(value: Any) -> Json:
    """The members of a dataclass that differ from their defaults, and those that say what it is."""
    found = {each: getattr(value, each.name) for each in dataclasses.fields(value)}
    return {
        each.name: _plain(given)
        for each, given in found.items()
        if each.name in _ALWAYS or given != _default(each)
    }


_ALWAYS: Final = ("format", "kind")


def _default(each: dataclasses.Field[Any]) -> Any:
    return each.default if each.default_factory is MISSING else each.default_factory()


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return _members(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, tuple) else value
