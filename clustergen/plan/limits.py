"""Limits of services, as data.

Each target provides one :class:`Limits`. The rules of :mod:`clustergen.rules.services` check every
plan against it, so a new target gets these rules for free. Omitted parts mean no limit. Every part
has its source.

They are named tuples, because every command defines them at start-up, and defining a dataclass
takes six times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from clustergen.findings import Path, Severity

if TYPE_CHECKING:
    from clustergen.catalog.slurm import Scope
    from clustergen.plan.model import Plan, Role

Named = Literal["cluster", "node group", "queue"]


class Region(NamedTuple):
    """The regions of the service: its key in :data:`clustergen.catalog.services.SERVICES`."""

    service: str
    severity: Severity
    source: str


class Names(NamedTuple):
    """The form of names that the service accepts."""

    of: tuple[Named, ...]
    source: str
    shortest: int = 1
    longest: int = 63
    """In characters."""
    final_hyphen: bool = True
    """A name may end with a hyphen."""


class Reserved(NamedTuple):
    """Names in use, and their users."""

    of: Named
    names: Mapping[str, str]
    source: str
    prefixes: tuple[str, ...] = ()
    with_login: bool = False
    """They are in use only if the cluster has login nodes."""


class Systems(NamedTuple):
    """The operating systems of the service's images."""

    images: frozenset[str]
    title: str
    """Whose images: "PCS", "HyperPod with EKS"."""
    suggested: str
    source: str
    severity: Severity = Severity.ERROR
    own_image: bool = True
    """A custom image may have another operating system."""
    by_node: bool = False
    """Each node group without an image is a finding of its own."""
    only_written: bool = False
    """The default of the spec is not meant: only a system that the user wrote counts."""


class Users(NamedTuple):
    """Login names and uids that exist in the image."""

    names: frozenset[str]
    default: Mapping[str, str]
    """The image's own user, by operating system."""
    source: str
    default_uid: int = 1000


class Secret(NamedTuple):
    """Where the password of the accounting database may be stored."""

    source: str


class Quota(NamedTuple):
    """A quota of one cluster, and how to count it in a plan."""

    what: str
    most: int
    count: Callable[[Plan], int]
    place: Path | Callable[[Plan], Path]
    help: str
    source: str
    severity: Severity = Severity.ERROR


class GroupSize(NamedTuple):
    """The maximum number of nodes of one group."""

    most: int
    source: str
    severity: Severity = Severity.ERROR
    karpenter: bool = True
    """It holds for groups that Karpenter scales, too."""


class Verdict(NamedTuple):
    """A property of the service: severity of the finding, and source."""

    severity: Severity
    source: str


class Labels(NamedTuple):
    """Restrictions of labels and taints."""

    source: str
    taints_source: str
    reserved_source: str
    reserved: tuple[str, ...]
    """Prefixes of keys; domains below them are reserved as well."""
    reserved_with_karpenter: tuple[str, ...] = ()
    longest_key: int | None = None
    """Characters of a key with its prefix."""
    most_labels: int | None = None
    most_taints: int | None = None


class RootVolume(NamedTuple):
    """The size in GiB that the service's image needs."""

    gib: int
    source: str
    head: bool = False
    """The head node boots such an image, too."""
    severity: Severity = Severity.ERROR
    """A warning if the size of the image is only documented, not measured."""
    login: bool = False
    """And so do login nodes, whose root volume the spec sets."""


class Scripts(NamedTuple):
    """The kinds of nodes that run user scripts, besides compute nodes."""

    login: bool
    source: str
    when: Literal["start", "configured"] | None = None
    """The only time at which they run; None where the user chooses."""


class SlurmSettings(NamedTuple):
    """How the service handles the user's Slurm settings.

    Keys are in lower case, because Slurm ignores case.
    """

    source: str
    accepted: Mapping[Scope, frozenset[str]] = MappingProxyType({})
    """By scope, the only keys that the service accepts; a missing scope accepts all."""
    own: Mapping[Scope, frozenset[str]] = MappingProxyType({})
    """By scope, keys that the service writes itself."""
    own_with_database: frozenset[str] = frozenset()
    """Keys of the cluster that it also writes itself where it reaches an external database."""
    instead: Mapping[str, str] = MappingProxyType({})
    """What to do in place of writing a key."""
    since: Mapping[str, str] = MappingProxyType({})
    """The first Slurm version with which the service accepts a key that Slurm has had for longer.
    """
    kept: Mapping[str, str] = MappingProxyType({})
    """Flags of the service's own value of a key, which stay when the user writes the key."""
    replaced: Mapping[str, str] = MappingProxyType({})
    """Keys whose service default is lost, and the consequence."""
    tracks_gpus: bool = True
    """With accounting, it counts GPUs: AccountingStorageTRES has gres/gpu."""
    cgroups: str = ""
    """Why settings of cgroup.conf have no effect; empty where they have one."""


class Limits(NamedTuple):
    """The limits of one service; ``title`` is its name in messages."""

    title: str = ""
    region: Region | None = None
    names: tuple[Names, ...] = ()
    reserved: tuple[Reserved, ...] = ()
    systems: Systems | None = None
    users: Users | None = None
    secret: Secret | None = None
    quotas: tuple[Quota, ...] = ()
    group_size: GroupSize | None = None
    root_volume: RootVolume | None = None
    scripts: Scripts | None = None
    slurm_versions: tuple[str, ...] = ()
    """Those that a cluster may be created with; empty where the service has no Slurm."""
    slurm_versions_source: str = ""
    default_slurm_version: str = ""
    ended_slurm_versions: Mapping[str, str] = MappingProxyType({})
    """Version -> ISO date since when it is not offered any more."""
    slurm_settings: SlurmSettings | None = None
    """None where the service has no Slurm."""
    unmounted: frozenset[str] = frozenset()
    """Kinds of existing storage that nodes mount by a name that does not follow from its id."""
    unmounted_source: str = ""
    always_replaces: str = ""
    """The page on failed nodes being always replaced; empty where it can be chosen."""
    looked_up: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """Kind of existing storage -> the names of it that the service finds from its id."""
    looked_up_source: str = ""
    retention_days: tuple[int, ...] = ()
    """The days that logs can be kept for; empty where the service decides."""
    one_architecture: bool = False
    """All nodes must have one architecture, which a rule of the target enforces."""
    empty_tags: str = ""
    """The page on tags without a value; empty where it need not."""
    public_nodes: frozenset[Role] = frozenset()
    """Nodes that are in a public subnet where SSH from outside may reach them."""
    no_ssh: str = ""
    """The page on nodes without a public address; empty where they may have one."""
    unscaled: Verdict | None = None
    """Nothing changes the number of nodes on demand, unless an autoscaler is installed."""
    empty_groups: str = ""
    """The page that says that a group may have no nodes yet; empty where it must allow for some."""
    minimum: str = ""
    """The page about nodes that have to be there before a group is in service, while the service
    continues to start its others; empty where the nodes above the minimum start and stop."""
    autoscaler: str = ""
    """The page about the autoscaler; empty where there is none to choose."""
    mig_label: str = ""
    """The page about MIG by a label of the node; empty where MIG is set up in another way."""
    labels: Labels | None = None
    control_plane_zones: str = ""
    """The page on control planes in two zones; empty where there is none."""
    administrators: str = ""
    """The page about access entries of EKS; empty where there are none."""
