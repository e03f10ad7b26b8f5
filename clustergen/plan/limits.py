"""Limits of services, as data.

Each target provides one :class:`Limits`. The rules of :mod:`clustergen.rules.services` check every
plan against it, so a new target gets these rules for free. Omitted parts mean no limit. Every part
has its source.

They are named tuples, because every command defines them at start-up, and defining a dataclass
takes six times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from clustergen.base.findings import Path, Severity

if TYPE_CHECKING:
    from clustergen.facts.catalog.slurm import Scope
    from clustergen.plan.model.nodes import Role

    # A plan has limits, so its type cannot be imported here.
    Plan = Any

Named = Literal["cluster", "node group", "queue"]


class Region(NamedTuple):
    """The regions of the service: its key in :data:`clustergen.facts.catalog.services.SERVICES`."""

    service: str
    severity: Severity
    source: str


class Form(NamedTuple):
    """The form of a name: a regular expression for the whole of it, and that in words."""

    pattern: str
    text: str


LOWER = Form(r"[a-z][a-z0-9-]*", "lower-case letters, digits and -, the first one a letter")
LETTERS = Form(r"[A-Za-z][A-Za-z0-9-]*", "letters, digits and -, the first one a letter")
LABEL = Form(
    r"[a-z0-9]([a-z0-9-]*[a-z0-9])?",
    "lower-case letters, digits and -, the first and the last no hyphen",
)


class Names(NamedTuple):
    """The names that the service accepts."""

    of: tuple[Named, ...]
    source: str
    shortest: int = 1
    longest: int = 63
    """Maximum length in characters."""
    form: Form = LOWER
    when: Callable[[Plan], bool] | None = None
    """The plans it applies to; None: all."""


class Reserved(NamedTuple):
    """Names in use, and their users."""

    of: Named
    names: Mapping[str, str]
    source: str
    prefixes: tuple[str, ...] = ()
    with_login: bool = False
    """Only reserved if the cluster has login nodes."""


class Systems(NamedTuple):
    """The operating systems of the service's images."""

    images: frozenset[str]
    title: str
    """Owner of the images: "PCS", "HyperPod with EKS"."""
    suggested: str
    source: str
    severity: Severity = Severity.ERROR
    own_image: bool = True
    """A custom image may have another operating system."""
    by_node: bool = False
    """One finding for each node group without an image."""
    only_written: bool = False
    """Check only a system that the user wrote, not the default."""


class Users(NamedTuple):
    """Login names and uids that exist in the image."""

    names: frozenset[str]
    default: Mapping[str, str]
    """Default user of the image, by operating system."""
    source: str
    default_uid: int = 1000


class Quota(NamedTuple):
    """A quota of one cluster, and how to count it in a plan."""

    what: str
    most: int
    count: Callable[[Plan], int]
    place: Path | Callable[[Plan], Path]
    help: str
    source: str
    severity: Severity = Severity.ERROR


_TAGS = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html#tag-restrictions"


def tags_of_nodes(most: int = 49, source: str = _TAGS) -> Quota:
    """The most tags of a node, from the cluster and its group: EC2 takes 50, with a Name."""

    def count(plan: Plan) -> int:
        return max((len({*plan.tags, *g.tags}) for g in plan.node_groups), default=0)

    return Quota("tags of a node", most, count, ("node_groups",), "remove some", source)


class GroupSize(NamedTuple):
    """The maximum number of nodes of one group."""

    most: int
    source: str
    severity: Severity = Severity.ERROR
    karpenter: bool = True
    """Also applies to groups that Karpenter scales."""


class ExistingCluster(NamedTuple):
    """The network of a cluster that exists, which nodes can join."""

    shown_by: str
    """Command that shows its subnets and security groups; the name of the cluster follows."""
    vpc_source: str
    groups_source: str
    shares_group: bool = False
    """Whether added nodes get the security group of the cluster, so that no rules are needed."""


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
    """Maximum characters of a key with its prefix."""
    most_labels: int | None = None
    most_taints: int | None = None


class RootVolume(NamedTuple):
    """The size in GiB that the service's image needs."""

    gib: int
    source: str
    head: bool = False
    """The head node also boots such an image."""
    severity: Severity = Severity.ERROR
    """A warning if the size of the image is only documented, not measured."""
    login: bool = False
    """Login nodes also boot such an image, and the spec sets their root volume."""


class KeyUser(NamedTuple):
    """The role of a service that uses the KMS keys of root volumes."""

    role: str
    source: str


class Scripts(NamedTuple):
    """The kinds of nodes that run user scripts, besides compute nodes."""

    login: bool
    source: str
    when: Literal["start", "configured"] | None = None
    """The only time at which they run; None if the user can choose."""


class SlurmSettings(NamedTuple):
    """How the service handles the user's Slurm settings.

    Keys are in lower case, because Slurm ignores case.
    """

    source: str
    accepted: Mapping[Scope, frozenset[str]] = {}
    """By scope, the only keys that the service accepts; a missing scope accepts all."""
    own: Mapping[Scope, frozenset[str]] = {}
    """By scope, keys that the service writes itself."""
    own_with_database: frozenset[str] = frozenset()
    """Cluster keys that the service writes itself with an external database."""
    instead: Mapping[str, str] = {}
    """What to do instead of writing a key."""
    since: Mapping[str, str] = {}
    """The first Slurm version with which the service accepts a key, if Slurm had it earlier.
    """
    kept: Mapping[str, str] = {}
    """Flags in the service's value of a key, to keep if the user writes the key."""
    replaced: Mapping[str, str] = {}
    """Keys whose default from the service is lost, with the consequence."""
    tracks_gpus: bool = True
    """With accounting, the service counts GPUs: AccountingStorageTRES has gres/gpu."""
    cgroups: str = ""
    """Why settings of cgroup.conf have no effect; empty if they have."""


class Limits(NamedTuple):
    """The limits of one service; ``title`` is its name in messages."""

    title: str = ""
    stack_title: str = ""
    """Its name in descriptions of the cluster's stack; empty if the bundle has no such stack."""
    own_dashboard: bool = False
    """Whether it shows its nodes on a dashboard of its own."""
    exports_gpus: bool = True
    """Whether its images have the exporter of metrics of GPUs."""
    image_tool: str = ""
    """The command that makes every image of its nodes, with a Lustre client."""
    login_in_slurm: str = ""
    """The Slurm version since which login nodes count as nodes; empty if they never do."""
    reserves_blocks: str = ""
    """Source, if Slurm reserves nodes of inactive Capacity Blocks; empty if these are down."""
    scheduled_blocks: str = ""
    """Source, if node groups cannot be created before their Capacity Block is scheduled."""
    region: Region | None = None
    names: tuple[Names, ...] = ()
    free_names: Callable[[Plan], frozenset[str]] = lambda _plan: frozenset()
    """The queues whose names have any form, because they are no resources of the service."""
    ids: frozenset[Named] = frozenset()
    """Whose names become logical ids of a template."""
    reserved: tuple[Reserved, ...] = ()
    systems: Systems | None = None
    users: Users | None = None
    docker_group: Callable[[Plan], bool] | None = None
    """Whether the users of a spec are in the group docker where it asks for Docker."""
    accounting_database: str = ""
    """Source, if a secret has the password of the accounting database; otherwise empty."""
    quotas: tuple[Quota, ...] = ()
    tags: Quota = tags_of_nodes()
    group_size: GroupSize | None = None
    existing_cluster: ExistingCluster | None = None
    """None if nodes cannot join an existing cluster."""
    root_volume: RootVolume | None = None
    default_root_gib: int | None = None
    """The size of root volumes that the spec gives none; None if that of the image decides."""
    volume_key_user: KeyUser | None = None
    """None if keys of root volumes are not supported, or the bundle itself lets a role use them."""
    second_volume_gib: int | None = None
    """The default size of a volume beside the root volume; None where there is no such."""
    scripts: Scripts | None = None
    slurm_versions: tuple[str, ...] = ()
    """Slurm versions for new clusters; empty if the service has no Slurm."""
    slurm_versions_source: str = ""
    default_slurm_version: str = ""
    ended_slurm_versions: Mapping[str, str] = {}
    """Version -> ISO date since which it is no longer offered."""
    slurm_settings: SlurmSettings | None = None
    """None if the service has no Slurm."""
    runs_controller: str = ""
    """Source, if the service runs the controller or control plane itself; otherwise empty."""
    unmounted: frozenset[str] = frozenset()
    """Kinds of existing storage whose mount name cannot be derived from the id."""
    unmounted_source: str = ""
    always_replaces: str = ""
    """Source, if failed nodes are always replaced; otherwise empty."""
    looked_up: Mapping[str, tuple[str, ...]] = {}
    """Kind of existing storage -> names that the service derives from the id."""
    looked_up_source: str = ""
    retention_days: tuple[int, ...] = ()
    """Retention periods of logs in days; empty if the service decides."""
    one_subnet_with_efa: bool = False
    """Nodes with EFA cannot have several subnets."""
    one_architecture: bool = False
    """All nodes must have the same architecture; a rule of the target checks this."""
    empty_tags: str = ""
    """Source, if tags must have a value; otherwise empty."""
    public_nodes: frozenset[Role] = frozenset()
    """Nodes in a public subnet that may be reachable with SSH from outside."""
    own_groups: bool = False
    """Whether the service puts nodes into a security group of its own, too."""
    no_ssh: str = ""
    """Source, if nodes have no public address; otherwise empty."""
    unscaled: Verdict | None = None
    """The number of nodes does not change on demand without an autoscaler."""
    empty_groups: str = ""
    """Source, if a group may have no nodes; otherwise empty."""
    minimum: str = ""
    """Source, if a group is in service once its minimum of nodes exists, while the others start;
    empty if nodes above the minimum start and stop on demand."""
    autoscaler: str = ""
    """Source about the autoscaler; empty if there is none."""
    mig_label: str = ""
    """Source about MIG with a node label; empty if MIG is set up in another way."""
    labels: Labels | None = None
    mixed_sizes: str = ""
    """Source, if jobs request resources of a node, so that types of a group may differ in size."""
    control_plane_zones: str = ""
    """Source about control planes in two zones; empty if there is none."""
    administrators: str = ""
    """Source about access entries of EKS; empty if there are none."""
