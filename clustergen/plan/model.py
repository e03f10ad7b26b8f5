"""The plan: resolved defaults, instance types with their facts, network interfaces.

A plan is for one target, because a few decisions (the form of network interfaces, SMT) differ
between targets. Emitters read only plans.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, Self, TypeVar

from clustergen.catalog import InstanceType
from clustergen.findings import Path
from clustergen.plan import names
from clustergen.plan.limits import Limits


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to the output of this name of the foundation stack."""

    name: str


Id = str | Ref
"""A literal id, or a reference to a foundation output."""


NEW = "new"
"""In place of the name of a cluster: the bundle creates one."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of one target. Targets with a section in the spec define a subclass with its fields.

    The fields have the names of those in the section (:mod:`clustergen.spec.targets`).
    """

    @classmethod
    def read(cls, section: Any) -> Self:
        """The options from a section of the spec; :meth:`convert` changes single values."""
        fields = (field.name for field in dataclasses.fields(cls))
        return cls(**{name: cls.convert(name, getattr(section, name)) for name in fields})

    @classmethod
    def convert(cls, name: str, value: Any) -> Any:  # noqa: ARG003 subclasses use the name
        """The value of the field ``name``, for fields that the section has in another form."""
        return value

    def resolved(self, plan: Plan) -> Mapping[str, tuple[Any, str]]:  # noqa: ARG002 subclasses do
        """The values of fields that are `auto`, and the reasons, for ``plan``."""
        return {}

    def leaves_out(self, addition: str) -> bool:
        """Whether the user does without one of clustergen's additions."""
        return addition in getattr(self, "leave_out", ())

    @property
    def named(self) -> Mapping[str, str]:
        """What they name besides a cluster that exists, by field: ``directory.secret``."""
        return {}

    @property
    def existing(self) -> Mapping[str, str]:
        """What they name that exists in the account, by field."""
        return {**({"cluster": self.joined} if self.joined else {}), **self.named}

    @property
    def joined(self) -> str:
        """The existing cluster that the nodes join; empty if the cluster is new."""
        cluster: str = getattr(self, "cluster", NEW)
        return "" if cluster == NEW else cluster

    @property
    def kubernetes(self) -> str:
        """The name of the existing Kubernetes cluster of the nodes; empty if it is new."""
        return self.joined

    @property
    def joined_group(self) -> str | None:
        """The security group of the existing cluster, where the spec names one."""
        return getattr(self, "cluster_security_group", None)

    @property
    def memberships(self) -> tuple[str, ...]:
        """Security groups of the existing cluster that the added nodes get beside their own."""
        return ()

    @property
    def of_others(self) -> tuple[Path, ...]:
        """Places of the spec that an existing cluster leaves to its owner."""
        return self.of_clusters if self.joined else ()

    @property
    def of_clusters(self) -> tuple[Path, ...]:
        """Places of the spec about a cluster as a whole, not about its nodes or queues."""
        return ()

    @property
    def head_nodes(self) -> int:
        """Number of head nodes, if the target has any; none beside those of an existing cluster."""
        return 1

    @property
    def creates_eks(self) -> bool:
        """Whether an EKS cluster is created with the nodes, and so needs system nodes."""
        return False

    def pod_addresses(self, group: NodeGroup) -> int | None:  # noqa: ARG002 subclasses do
        """What a node takes for pods at most, if the owner of an existing cluster decides."""
        return None


OwnOptions = TypeVar("OwnOptions", bound=Options)


Scheduler = Literal["slurm", "kubernetes", "batch"]


@dataclass(frozen=True, slots=True)
class Traits:
    """Facts about a target for the planner."""

    name: str
    section: str
    """The target's section under ``targets``."""
    scheduler: Scheduler = "slurm"
    efa_layout: Literal["efa", "efa-only"] = "efa-only"
    """The meaning of ``efa_layout: auto`` on this target."""
    card_device_index: Literal[0, 1] = 0
    """Device index of interfaces on cards beyond the first, if the card holds two."""
    combined_device_index: Literal[0, 1] = 1
    """The same for interfaces that are both EFA and ENA, if the first card has EFA."""
    plain_on_every_card: bool = False
    """Without EFA, a node with several cards gets a plain interface on each."""
    head_node: bool = False
    """The cluster has a head node in the account."""
    login_nodes: bool = True
    """The cluster can have login nodes in the account."""
    smt: bool = True
    """SMT is possible: two threads per core."""
    sagemaker: bool = False
    """SageMaker owns the instances: it places them, and its quotas and prices apply."""
    pod_addresses: int = 0
    """IPv4 addresses that a node uses for pods, besides those of its interfaces."""
    task_interfaces: int = 0
    """Network interfaces of tasks on a node with EFA, if jobs can have several nodes."""
    system_nodes: bool = False
    """The cluster has system nodes in the account, for DNS and controllers."""
    limits: Limits = Limits()  # noqa: RUF009 a frozen value
    """The limits of the service."""
    options: type[Options] = Options
    """Type of the target's options."""

    def interfaces_of_tasks(self, group: NodeGroup) -> int:
        """Network interfaces of tasks on each node of a group."""
        return self.task_interfaces if group.efa and group.max > 1 else 0


@dataclass(frozen=True, slots=True)
class Interface:
    """One network interface of a node."""

    card: int
    device: int
    type: Literal["interface", "efa", "efa-only"]

    @property
    def has_ip(self) -> bool:
        return self.type != "efa-only"


CapacityKind = Literal[
    "on-demand",
    "spot",
    "reservation",
    "reservation-group",
    "capacity-block",
    "interruptible-reservation",
    "training-plan",
]


@dataclass(frozen=True, slots=True)
class Capacity:
    """The purchase option; ``id`` is a reservation id or ARN, if the kind has one."""

    kind: CapacityKind
    id: str | None = None
    starts: datetime | None = None
    ends: datetime | None = None
    """In UTC; :mod:`clustergen.plan.timetable` has what happens before."""

    @property
    def dated(self) -> bool:
        """Whether it is known when it starts or ends."""
        return self.starts is not None or self.ends is not None

    @property
    def reserved(self) -> bool:
        """Whether instances are reserved in one zone, neither On-Demand nor Spot."""
        return self.kind not in ("on-demand", "spot")


@dataclass(frozen=True, slots=True)
class Placement:
    """``cluster``: a new placement group; ``existing``: the named one."""

    kind: Literal["none", "cluster", "existing"]
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Volume:
    """An EBS volume; sizes in GiB, throughput in MiB/s, None = the service's default."""

    size_gib: int | None
    type: str
    iops: int | None
    throughput: int | None
    encrypted: bool = True
    kms_key: str | None = None
    """Of root volumes; storage has its own."""
    retain: bool = False
    """Whether a root volume stays when its node ends."""


Role = Literal["head", "login", "compute"]
"""Role of a node in the cluster."""


@dataclass(frozen=True, slots=True)
class Script:
    """A user script; ``url`` is s3:// or https://."""

    path: Path
    url: str
    on: tuple[Role, ...]
    when: Literal["start", "configured", "updated"]
    args: tuple[str, ...]
    node_groups: tuple[str, ...]
    """The node groups it runs on; all if the spec names none."""
    sha256: str | None
    on_failure: Literal["stop", "continue"] | None = None
    """What happens to a node whose script fails; None leaves it to the target."""
    every_boot: bool = False

    def stops(self, default: bool) -> bool:
        """Whether a node whose script fails is given up."""
        return default if self.on_failure is None else self.on_failure == "stop"


@dataclass(frozen=True, slots=True)
class Grant:
    """Access to a place in S3."""

    uri: str
    write: bool


@dataclass(frozen=True, slots=True)
class Iam:
    """What nodes may do in AWS besides what clustergen gives them, or a role of the user's."""

    policies: tuple[str, ...] = ()
    s3: tuple[Grant, ...] = ()
    role: str | None = None
    instance_profile: str | None = None

    @property
    def adds(self) -> bool:
        """Whether nodes get permissions beyond those of the cluster's own roles."""
        return bool(self.policies or self.s3)

    @property
    def exists(self) -> bool:
        """Whether nodes have a role of the user's."""
        return bool(self.role or self.instance_profile)


@dataclass(frozen=True, slots=True)
class Machine:
    """Head, login or system nodes."""

    path: Path
    type: InstanceType
    count: int
    image: str | None
    volume: Volume
    name: str = ""
    """Of further login nodes; there is only one of each other kind."""
    threads_per_core: int | None = None
    subnets: tuple[str, ...] = ()
    """Subnets in place of those of the network."""
    security_groups: tuple[str, ...] = ()
    ssh_from: str | None = None
    """Who can use SSH, in place of those of the network."""
    iam: Iam = Iam()

    def at(self, *steps: str | int) -> Path:
        return (*self.path, *steps)


@dataclass(frozen=True, slots=True)
class Taint:
    """A Kubernetes taint."""

    key: str
    value: str
    effect: str


@dataclass(frozen=True, slots=True)
class NodeGroup:
    """Nodes of one kind; ``types`` are in order of preference, several only if requested."""

    path: Path
    name: str
    types: tuple[InstanceType, ...]
    min: int
    max: int
    capacity: Capacity
    efa: bool
    efa_layout: Literal["efa", "efa-only"]
    interfaces: tuple[Interface, ...]
    """Interfaces of a node, primary first; one plain interface without EFA on one card."""
    placement: Placement
    threads_per_core: int
    image: str | None
    volume: Volume
    scratch: str | None
    mig: Mapping[str, int]
    health_checks: tuple[str, ...]
    labels: Mapping[str, str]
    taints: tuple[Taint, ...]
    slurm: Mapping[str, str]
    subnets: tuple[Id, ...] = ()
    """Subnets in place of those of the network; one of a new VPC, if the group has a zone."""
    zone: str | None = None
    """Its zone, in place of that of the network; ``subnets`` are those in it."""
    security_groups: tuple[str, ...] = ()
    iam: Iam = Iam()
    allocation: str | None = None
    service_name: str | None = None
    desired: int | None = None
    """Nodes to ask for at first, where nodes do not start for jobs."""
    accelerator_taint: bool = True
    """Whether accelerators are a taint of its nodes in Kubernetes."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Tags of its nodes, besides those of the cluster."""

    @property
    def object_name(self) -> str:
        """The name of its Kubernetes objects, which go without capitals."""
        return names.object_name(self.name)

    @property
    def type(self) -> InstanceType:
        """The preferred type; the planner rejects groups whose types differ in important facts."""
        return self.types[0]

    @property
    def static(self) -> bool:
        return self.min == self.max

    @property
    def reserved(self) -> bool:
        """Whether its instances are reserved in one zone, neither On-Demand nor Spot."""
        return self.capacity.reserved

    @property
    def held(self) -> bool:
        """Whether its nodes stay when they are idle, because they are paid for until an end."""
        return self.reserved and self.capacity.ends is not None

    @property
    def one_zone(self) -> bool:
        """Whether all nodes start in one zone, as EFA, reservations and placement groups do."""
        return self.efa or self.reserved or self.placement.kind != "none"

    @property
    def efa_interfaces(self) -> int:
        """EFA interfaces of one node."""
        return sum(interface.type != "interface" for interface in self.interfaces)

    @property
    def accelerators(self) -> tuple[Literal["gpu", "neuron"], int]:
        """Kind and number of one node's accelerators."""
        neuron = self.type.neuron_devices
        return ("neuron", neuron) if neuron else ("gpu", self.type.gpus)

    @property
    def addresses(self) -> int:
        """IPv4 addresses of one node."""
        return sum(interface.has_ip for interface in self.interfaces)

    def at(self, *steps: str | int) -> Path:
        """The path of one of its fields in the spec."""
        return (*self.path, *steps)


@dataclass(frozen=True, slots=True)
class Queue:
    """A Slurm partition or a Kubernetes local queue; ``time_limit`` in seconds."""

    path: Path
    name: str
    node_groups: tuple[NodeGroup, ...]
    default: bool
    time_limit: int | None
    priority: int | None
    exclusive: bool
    slurm: Mapping[str, str]
    nodes: Mapping[str, tuple[range, ...]] = field(default_factory=dict)
    """The numbers of its nodes, by group of which it has only some."""

    def at(self, *steps: str | int) -> Path:
        return (*self.path, *steps)

    def numbers(self, group: NodeGroup) -> tuple[range, ...]:
        """The numbers of its nodes of a group, which count from 1."""
        return self.nodes.get(group.name, (range(1, group.max + 1),))

    @property
    def max_nodes(self) -> int:
        """Number of its nodes at their maximum."""
        return sum(len(part) for group in self.node_groups for part in self.numbers(group))


@dataclass(frozen=True, slots=True)
class Subnet:
    """A subnet; ``zone`` is a zone id or name, ``cidr`` None for an existing subnet without one."""

    id: Id
    zone: str | None
    cidr: str | None


@dataclass(frozen=True, slots=True)
class Network:
    """The VPC, and the parts of it that the cluster uses."""

    vpc: Id
    new: bool
    zone: str | None
    cidr: str | None
    private: tuple[Subnet, ...]
    """Subnets of nodes, head node and file systems, by preference; never empty."""
    public: tuple[Subnet, ...]
    """Subnets of NAT and public login nodes; empty if an existing VPC names none, or nothing
    reaches the internet."""
    control_plane: tuple[Subnet, ...]
    """Subnets for the interfaces of EKS's control plane, in two zones if the VPC has them."""
    zonal: tuple[Subnet, ...]
    """Subnets of a new VPC for node groups in zones of their own."""
    system: tuple[Subnet, ...]
    """Subnets for what runs an EKS cluster: in zones of the region, because Local Zones have few
    instance types and services, and in two of them if the VPC is new."""
    node_security_groups: tuple[Id, ...]
    login_security_groups: tuple[Id, ...]
    """Security groups of login and head nodes, besides those of node groups."""
    new_security_groups: bool
    ssh_from: tuple[str, ...]
    needed_addresses: int
    """IPv4 addresses of all nodes at their maximum, head, login and file systems, and of the
    system nodes of EKS, unless they have subnets of their own."""
    needed_system_addresses: int = 0
    """IPv4 addresses of those system nodes."""
    control_plane_security_group: str | None = None
    """Security group of an existing EKS cluster; it and the new group of nodes allow each other."""
    scheduler_security_group: str | None = None
    """The same of an existing PCS cluster."""
    internet: Literal["nat", "none"] = "nat"

    @property
    def closed(self) -> bool:
        """Whether nodes reach AWS through endpoints only."""
        return self.internet == "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """Fields that all kinds of storage share. ``output`` is the stem of its foundation outputs."""

    path: Path
    mount: str
    output: str
    existing: bool
    id: Id
    retain: bool
    kms_key: str | None = None
    backup_days: int | None = None
    name: str | None = None
    """Its name in ParallelCluster, in place of one from the mount point."""
    by_cluster: bool = False
    """The cluster creates it, not the foundation."""

    def at(self, *steps: str | int) -> Path:
        return (*self.path, *steps)


@dataclass(frozen=True, slots=True)
class Repository:
    """A data repository association; changes in the API's spelling (NEW, CHANGED, DELETED)."""

    path: str
    s3: str
    imports: tuple[str, ...]
    exports: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lustre(Storage):
    """FSx for Lustre. For existing file systems, only ids and names are known."""

    dns_name: Id
    mount_name: Id | None
    deployment: Literal["SCRATCH_1", "SCRATCH_2", "PERSISTENT_1", "PERSISTENT_2"] = "PERSISTENT_2"
    storage_class: Literal["SSD", "HDD", "INTELLIGENT_TIERING"] = "SSD"
    size_gib: int | None = None
    throughput: int | None = None
    """MB/s per TiB; with INTELLIGENT_TIERING, MB/s of the file system."""
    metadata_iops: int | Literal["AUTOMATIC"] | None = None
    efa: bool = False
    compression: Literal["LZ4", "NONE"] = "LZ4"
    drive_cache: bool = False
    read_cache_gib: int | Literal["auto", "none"] = "auto"
    repositories: tuple[Repository, ...] = ()
    import_from: str | None = None
    export_to: str | None = None
    """Places in S3 of the whole file system, in place of repositories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenZfs(Storage):
    """FSx for OpenZFS; ``volume`` is the root volume, ``throughput`` MB/s of the file system."""

    dns_name: Id
    volume: Id | None
    deployment: str = "SINGLE_AZ_2"
    size_gib: int | None = None
    throughput: int | None = None
    iops: int | None = None
    compression: Literal["LZ4", "ZSTD", "NONE"] = "LZ4"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ontap(Storage):
    """An existing FSx for ONTAP volume."""

    dns_name: Id | None
    """None if the spec has none; it contains the id of a storage virtual machine."""
    volume: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCache(Storage):
    """An existing Amazon File Cache."""

    dns_name: Id
    mount_name: Id | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Efs(Storage):
    """EFS; ``throughput`` in MiB/s with mode provisioned."""

    dns_name: Id
    throughput_mode: Literal["elastic", "bursting", "provisioned"] = "elastic"
    throughput: int | None = None
    one_zone: bool = False
    encrypted: bool = True


@dataclass(frozen=True, slots=True)
class Raid:
    """Several volumes as one."""

    level: int
    volumes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ebs(Storage):
    """An EBS volume that the head node exports."""

    volume: Volume
    encrypted: bool = True
    snapshot: str | None = None
    ends_as_snapshot: bool = False
    """Whether a snapshot is all that stays of it."""
    raid: Raid | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket(Storage):
    """A bucket mounted with Mountpoint for Amazon S3."""

    bucket: str
    prefix: str
    read_only: bool


@dataclass(frozen=True, slots=True)
class Database:
    """An external accounting database."""

    endpoint: str
    port: int
    database: str | None
    user: str
    secret: str


@dataclass(frozen=True, slots=True)
class Account:
    """A Slurm account; ``qos`` are those that its jobs can request, besides normal."""

    path: Path
    name: str
    parent: str | None
    fair_share: int
    users: tuple[str, ...]
    qos: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Qos:
    """A Slurm QOS; ``preempts`` has the names of others."""

    path: Path
    name: str
    priority: int
    preempts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Slurm:
    """``accounting`` is off, managed, or an external database; ``idle_timeout`` in seconds,
    None if idle nodes never stop."""

    version: str | None
    accounting: Literal["off", "managed"] | Database
    accounts: tuple[Account, ...]
    qos: tuple[Qos, ...]
    idle_timeout: int | None
    settings: Mapping[str, str]
    slurmdbd_settings: Mapping[str, str]
    cgroup_settings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ClusterAccess:
    """What an IAM role or user may do in the namespaces of some queues."""

    path: Path
    principal: str
    """Its ARN."""
    queues: tuple[str, ...]
    """Empty: all namespaces."""
    level: Literal["admin", "edit", "view"]


@dataclass(frozen=True, slots=True)
class ClusterAddon:
    """An add-on of EKS, or the version of one that the cluster has anyway."""

    path: Path
    name: str
    version: str | None
    configuration: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """The Kubernetes settings of the spec."""

    version: str
    admission: str
    scheduler: str
    autoscaler: str
    devices: Literal["plugin", "dra"]
    """How pods get accelerators and EFA interfaces."""
    jobs: Literal["mpi-operator", "kubeflow-trainer", "none"]
    system_nodes: Machine
    """System nodes, for DNS and controllers."""
    support: Literal["auto", "standard", "extended"]
    admins: tuple[str, ...]
    """ARNs of IAM roles and users that are administrators."""
    access: tuple[ClusterAccess, ...]
    addons: tuple[ClusterAddon, ...]
    public_endpoint_from: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Software:
    """What runs on the nodes."""

    os: str
    containers: Literal["pyxis", "docker", "none"]
    registry: str | None
    """Where copies of public images are, as host and prefix."""
    scripts: tuple[Script, ...]


@dataclass(frozen=True, slots=True)
class User:
    """A user with a login and the same uid on every node."""

    path: Path
    name: str
    uid: int
    ssh_key: str | None


@dataclass(frozen=True, slots=True)
class Alerts:
    """Who hears of alerts."""

    emails: tuple[str, ...]
    topic: str | None
    """ARN of an SNS topic that exists."""

    @property
    def wanted(self) -> bool:
        return bool(self.emails or self.topic)


@dataclass(frozen=True, slots=True)
class Monitoring:
    """Metrics, dashboards, alerts and logs."""

    metrics: Literal["managed-prometheus", "self-hosted", "cloudwatch", "none"]
    dashboards: Literal["cloudwatch", "managed-grafana", "grafana-files", "none"]
    alerts: Alerts
    interval_seconds: int
    """Between two samples of a metric."""
    workspace: Id | None
    """The workspace of Amazon Managed Service for Prometheus, where metrics go to one."""
    log_retention_days: int
    """0 means forever."""

    @property
    def scraped(self) -> bool:
        """Whether a Prometheus collects metrics from a Kubernetes cluster."""
        return self.metrics in ("managed-prometheus", "self-hosted")

    @property
    def of_nodes(self) -> bool:
        """Whether nodes measure themselves and send what they measure."""
        return self.metrics in ("managed-prometheus", "cloudwatch")


@dataclass(frozen=True, slots=True)
class Resilience:
    """What happens when hardware fails."""

    replace_failed_nodes: bool
    auto_resume: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice of the planner that the spec leaves open; the bundle's README lists them."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A complete cluster. Plans compare by identity, so derived values can be cached by plan."""

    target: str
    name: str
    foundation: str
    """The name of the foundation: that of the cluster, or of another one that it is shared with."""
    region: str
    partition: str
    tags: Mapping[str, str]
    network: Network
    head: Machine | None
    """None if the service runs the head node."""
    login: Machine | None
    node_groups: tuple[NodeGroup, ...]
    queues: tuple[Queue, ...]
    storage: tuple[Storage, ...]
    software: Software
    users: tuple[User, ...]
    slurm: Slurm
    kubernetes: Kubernetes
    monitoring: Monitoring
    resilience: Resilience
    options: Options
    """Options of the target; :meth:`options_as` returns them with their type."""
    overlay: Mapping[str, Any]
    limits: Limits
    decisions: tuple[Decision, ...]
    targets: frozenset[str] = frozenset()
    """All targets of the spec; empty if it names none, and so may be for any."""
    written: frozenset[Path] = field(default=frozenset(), repr=False)
    """All paths that the user wrote, to distinguish choices from defaults."""
    sagemaker: bool = False
    """Quotas and prices are those of SageMaker, not of EC2."""
    scheduler: Scheduler = "slurm"
    """What schedules jobs."""
    unused: frozenset[str] = frozenset()
    """Parts of the foundation that nothing needs, because the spec does without what uses them:
    ``security-groups``, ``scripts``, ``sessions``, ``pcs-sessions``."""
    lifecycle_sources: tuple[str, ...] = ()
    """Folders in S3 with the user's lifecycle scripts, of all HyperPod targets of the spec."""
    slurm_machines: tuple[tuple[str, Iam], ...] = ()
    """Section and permissions of the spec's head and login nodes, which not every target has."""
    more_login: tuple[Machine, ...] = ()
    """Login nodes besides ``login``, with types and places of their own."""
    stopped_login: Machine | None = None
    """Login nodes whose count is 0, where a pool without nodes is not the same as none."""
    system: Machine | None = None
    """System nodes of a Kubernetes cluster, if they are in the account."""

    @property
    def creates_cluster(self) -> bool:
        """Whether the bundle creates the cluster; otherwise it adds nodes to an existing one."""
        return not self.options.joined

    @property
    def cluster_name(self) -> str:
        """The name of the cluster that the service knows."""
        return self.options.joined or self.name

    @property
    def kubernetes_name(self) -> str:
        """The name of the Kubernetes cluster, for targets with one."""
        return self.options.kubernetes or self.name

    @property
    def nodes(self) -> tuple[Machine | NodeGroup, ...]:
        """Nodes of all kinds: head, login and system nodes, and node groups."""
        return (*self.machines, *self.node_groups)

    @property
    def tags_by_path(self) -> Iterator[tuple[Path, str]]:
        """The values of all tags, by their place in the spec."""
        own = ((group.at("tags"), group.tags) for group in self.node_groups)
        for path, tags in ((("tags",), self.tags), *own):
            yield from (((*path, key), value) for key, value in tags.items())

    def subnets_of(self, group: NodeGroup) -> tuple[Subnet, ...]:
        """The subnets in which a group's nodes may start, by preference."""
        if group.subnets:
            places = (*self.network.private, *self.network.zonal)
            known = {subnet.id: subnet for subnet in places}
            return tuple(known.get(id, Subnet(id, None, None)) for id in group.subnets)
        return self.network.private[:1] if group.one_zone else self.network.private

    def security_groups_of(self, node: Machine | NodeGroup) -> tuple[Id, ...]:
        """The security groups of nodes: their own, besides those of every node."""
        left_out = self.options.leaves_out("security-groups")
        every = () if left_out and node.security_groups else self.network.node_security_groups
        return (*every, *node.security_groups)

    def second_volume_gib(self, volume: Volume) -> int | None:
        """The size of the volume beside a root volume whose size the service fixes, if any."""
        if volume.size_gib is None and self.options.leaves_out("second-volume"):
            return None
        return volume.size_gib or self.limits.second_volume_gib

    def least_nodes(self, group: NodeGroup) -> int:
        """The nodes that run without jobs: on Batch, jobs over several nodes start all of theirs.

        https://docs.aws.amazon.com/batch/latest/userguide/managed_compute_environments.html
        """
        starts = self.scheduler == "batch" and group.efa and group.max > 1
        return 0 if starts else group.min

    def scripts_of(self, group: NodeGroup) -> tuple[Script, ...]:
        """The user scripts that a group's nodes run, in order."""
        return tuple(s for s in self.scripts_on("compute") if group.name in s.node_groups)

    def scripts_on(self, role: Role) -> tuple[Script, ...]:
        """The user scripts for nodes of one role, in order."""
        return tuple(script for script in self.software.scripts if role in script.on)

    def options_as(self, kind: type[OwnOptions]) -> OwnOptions:
        """The options of the target.

        :raises TypeError: if the plan is for another target.
        """
        if not isinstance(self.options, kind):
            whose = f"{kind.__qualname__} of {kind.__module__}"
            raise TypeError(f"a plan for {self.target or 'no target'} has no {whose}")
        return self.options

    def wrote(self, *path: str | int) -> bool:
        """Whether the spec has a value at ``path``."""
        return path in self.written

    def stack(self, what: str) -> str:
        """The name of one of its stacks, such as `foundation`."""
        return names.stack(self.foundation if what == "foundation" else self.name, what)

    @property
    def estimates_addresses(self) -> bool:
        """Whether settings of others decide how many addresses nodes take."""
        return any(self.options.pod_addresses(group) is not None for group in self.node_groups)

    @property
    def max_nodes(self) -> int:
        """Number of nodes of all groups at their maximum."""
        return sum(group.max for group in self.node_groups)

    @property
    def machines(self) -> tuple[Machine, ...]:
        """The nodes outside the node groups."""
        return tuple(filter(None, (self.head, *self.all_login, self.system)))

    @property
    def all_login(self) -> tuple[Machine, ...]:
        """All login nodes."""
        return (*((self.login,) if self.login else ()), *self.more_login)

    @property
    def instance_types(self) -> Iterator[InstanceType]:
        """All instance types of all node groups."""
        return (type for group in self.node_groups for type in group.types)
