"""Nodes, node groups and queues of a plan."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from clustergen.base.findings import Path
from clustergen.facts.catalog import InstanceType
from clustergen.plan import names
from clustergen.plan.model.network import Id


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


_CAPACITY_TITLES = {"on-demand": "On-Demand", "spot": "Spot", "capacity-block": "Capacity Block"}


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
    def title(self) -> str:
        """The kind as AWS calls it."""
        return _CAPACITY_TITLES.get(self.kind, self.kind.replace("-", " "))

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
    """At most: a type may have only one."""
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
    listed: bool = False
    """Whether the spec has a list of its types, even of one."""

    @property
    def resource_name(self) -> str:
        """Its name in the service."""
        return self.service_name or self.name

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
    def switches_smt_off(self) -> bool:
        """Whether a type has more threads per core than the group runs."""
        return any(type.threads_per_core > self.threads_per_core for type in self.types)

    @property
    def efa_interfaces(self) -> int:
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
        """The path of one of its fields in the spec; of its only type in a list of types, too."""
        if self.listed and steps == ("instance_type",):
            steps = ("instance_types", 0) if len(self.types) == 1 else ("instance_types",)
        return (*self.path, *steps)

    @property
    def typed(self) -> Iterator[tuple[Path, InstanceType]]:
        """Its types, with their paths."""
        for index, type in enumerate(self.types):
            steps = ("instance_types", index) if self.listed else ("instance_type",)
            yield (*self.path, *steps), type


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
