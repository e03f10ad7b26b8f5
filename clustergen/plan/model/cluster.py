"""The plan as a whole, the traits of its target and the options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, TypeVar

from clustergen.base.findings import Path
from clustergen.facts.catalog import InstanceType
from clustergen.plan import names
from clustergen.plan.limits import Limits
from clustergen.plan.model.foundation import Foundation
from clustergen.plan.model.kubernetes import ClusterAddon, Kubernetes
from clustergen.plan.model.network import Id, Network, Subnet
from clustergen.plan.model.nodes import Machine, NodeGroup, Queue, Role, Volume
from clustergen.plan.model.slurm import Slurm
from clustergen.plan.model.software import Monitoring, Resilience, Script, Software, User
from clustergen.plan.model.storage import Storage
from clustergen.spec import Spec

NEW = "new"
"""In place of the name of a cluster: the bundle creates one."""


class Existing(NamedTuple):
    """What a plan uses that exists in the account; empty if its bundle creates everything."""

    cluster: str = ""
    """The name or id of the cluster that the nodes join."""
    kubernetes: str = ""
    """The name of the Kubernetes cluster of the nodes."""
    security_group: str | None = None
    """The security group of the cluster, where the spec names one."""
    memberships: tuple[str, ...] = ()
    """Security groups of the cluster that the added nodes get beside their own."""
    owned: tuple[Path, ...] = ()
    """Places of the spec about a cluster as a whole, which are up to the owner of this one."""
    named: Mapping[str, str] = {}
    """What the options name, by field: ``cluster``, ``directory.secret``."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options of one target. A subclass declares its section of the spec: see
    :mod:`clustergen.spec.options`."""

    def resolved(self, plan: Plan) -> Mapping[str, tuple[Any, str]]:  # noqa: ARG002 subclasses do
        """The values of fields that are `auto`, and the reasons, for ``plan``."""
        return {}

    @property
    def left_out(self) -> tuple[str, ...]:
        """Clustergen's additions that the user does without."""
        return getattr(self, "leave_out", ())

    def leaves_out(self, addition: str) -> bool:
        """Whether the user does without one of clustergen's additions."""
        return addition in self.left_out

    def unneeded(self, spec: Spec) -> frozenset[str]:  # noqa: ARG002 subclasses do
        """Parts of the foundation that nothing uses if it is for this target alone."""
        return frozenset()

    @property
    def existing(self) -> Existing:
        """The cluster that the nodes join, and what else exists in the account."""
        return self._existing()

    def _existing(
        self,
        *,
        kubernetes: str | None = None,
        memberships: Iterable[str | None] = (),
        owned: tuple[Path, ...] = (),
        named: Mapping[str, str | None] = {},
    ) -> Existing:
        """What exists. ``memberships`` and ``owned`` are those of a cluster that exists."""
        cluster: str = getattr(self, "cluster", NEW)
        joined = "" if cluster == NEW else cluster
        given = {"cluster": joined, **named}
        return Existing(
            joined,
            joined if kubernetes is None else kubernetes,
            getattr(self, "cluster_security_group", None),
            tuple(dict.fromkeys(filter(None, memberships))) if joined else (),
            owned if joined else (),
            {field: value for field, value in given.items() if value},
        )

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
    every_common_card: bool = False
    """Nodes have an interface, even without EFA, on every card that all types of a group have."""
    head_node: bool = False
    """The cluster has a head node in the account."""
    login_nodes: bool = True
    """The cluster can have login nodes in the account."""
    smt: bool = True
    """SMT is possible: two threads per core."""
    controller_addresses: int = 0
    """IPv4 addresses that the service's own controller takes in a private subnet."""
    sagemaker: bool = False
    """SageMaker owns the instances: it places them, and its quotas and prices apply."""
    pod_addresses: int = 0
    """IPv4 addresses that a node uses for pods, besides those of its interfaces."""
    pod_addresses_with: Callable[[Sequence[ClusterAddon]], int] | None = None
    """The same with the add-ons of the spec, if their configuration can change it."""
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
    permissions_boundary: str | None
    """The ARN of a policy that limits every role which is created."""
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
    existing: Existing
    overlay: Mapping[str, Any]
    limits: Limits
    decisions: tuple[Decision, ...]
    shared: Foundation = Foundation()  # noqa: RUF009 a frozen value
    """What all targets of the spec share."""
    written: frozenset[Path] = field(default=frozenset(), repr=False)
    """All paths that the user wrote, to distinguish choices from defaults."""
    sagemaker: bool = False
    """Quotas and prices are those of SageMaker, not of EC2."""
    scheduler: Scheduler = "slurm"
    """What schedules jobs."""
    more_login: tuple[Machine, ...] = ()
    """Login nodes besides ``login``, with types and places of their own."""
    stopped_login: Machine | None = None
    """Login nodes whose count is 0, where a pool without nodes is not the same as none."""
    system: Machine | None = None
    """System nodes of a Kubernetes cluster, if they are in the account."""

    @property
    def creates_cluster(self) -> bool:
        """Whether the bundle creates the cluster; otherwise it adds nodes to an existing one."""
        return not self.existing.cluster

    @property
    def insights(self) -> bool:
        """Whether a new Kubernetes cluster has Container Insights, for metrics or dashboards.

        These are paid for, so the spec has to ask for them.
        """
        monitoring = self.monitoring
        asked = self.wrote("monitoring", "dashboards") and monitoring.dashboards == "cloudwatch"
        new = self.scheduler == "kubernetes" and not self.existing.kubernetes
        return new and (asked or monitoring.metrics == "cloudwatch")

    @property
    def cluster_name(self) -> str:
        """The name of the cluster that the service knows."""
        return self.existing.cluster or self.name

    @property
    def kubernetes_name(self) -> str:
        """The name of the Kubernetes cluster, for targets with one."""
        return self.existing.kubernetes or self.name

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

    def wrote_option(self, name: str) -> bool:
        """Whether the spec has the option, for any target."""
        return any(path[0] == "targets" and path[2:] == (name,) for path in self.written)

    @property
    def adopted(self) -> str:
        """The existing stack that has the cluster; empty where deploy.sh creates one."""
        return getattr(self.options, "stack", None) or ""

    def stack(self, what: str) -> str:
        """The name of one of its stacks, such as `foundation`."""
        if what == self.target and self.adopted:
            return self.adopted
        return names.stack(self.foundation if what == "foundation" else self.name, what)

    @property
    def estimates_addresses(self) -> bool:
        """Whether settings outside of the spec decide how many addresses nodes take."""
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
        return (*((self.login,) if self.login else ()), *self.more_login)

    @property
    def instance_types(self) -> Iterator[InstanceType]:
        """All instance types of all node groups."""
        return (type for group in self.node_groups for type in group.types)
