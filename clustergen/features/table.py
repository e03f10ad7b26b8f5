"""The features that a spec can use, and how to detect them in a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from clustergen.findings import Path
from clustergen.plan.model import (
    Bucket,
    Database,
    Ebs,
    Efs,
    FileCache,
    Lustre,
    Machine,
    NodeGroup,
    Ontap,
    OpenZfs,
    Plan,
    Storage,
)

LEFT_OUT = ("ignored", "not used")
"""Starts of a clause for features that the target ignores."""
Level = Literal["full", "managed", "partial", "none"]


class Support(NamedTuple):
    """How a target supports a feature.

    ``how`` is a clause: the field that is set (full), what the service does (managed), the
    difference (partial), or the reason and an alternative (none).
    """

    level: Level
    how: str
    source: str
    """URL, or package and field, that proves it."""
    checked: str = "2026-11-20"
    always: bool = True
    """Managed: the service always does it, independent of the spec."""

    @property
    def ignored(self) -> bool:
        """Whether the target renders without the feature."""
        return self.level == "partial" and self.how.startswith(LEFT_OUT)


Uses = Callable[[Plan], Iterable[Path]]


class Feature(NamedTuple):
    """A feature; ``uses`` gives the places where a plan uses it."""

    id: str
    title: str
    uses: Uses


def _metrics(kind: str) -> Uses:
    return _when(("monitoring", "metrics"), lambda plan: plan.monitoring.metrics == kind)


def _dashboards(kind: str) -> Uses:
    return _when(("monitoring", "dashboards"), lambda plan: plan.monitoring.dashboards == kind)


def _capacity(kind: str) -> Uses:
    return lambda plan: (g.at("capacity") for g in plan.node_groups if g.capacity.kind == kind)


def _storage(kind: type[Storage]) -> Uses:
    return lambda plan: (s.path for s in plan.storage if isinstance(s, kind))


def _lustre(test: Callable[[Lustre], object], *field: str) -> Uses:
    return lambda plan: (
        s.at(*field) for s in plan.storage if isinstance(s, Lustre) and not s.existing and test(s)
    )


def _groups(test: Callable[[NodeGroup], object], *field: str) -> Uses:
    return lambda plan: (g.at(*field) for g in plan.node_groups if test(g))


def _typed(field: str, test: Callable[[NodeGroup], object]) -> Uses:
    def uses(plan: Plan) -> Iterator[Path]:
        for group in plan.node_groups:
            if test(group):
                several = plan.wrote(*group.at("instance_types"))
                yield group.at("instance_types" if several else field)

    return uses


def _family(*prefixes: str) -> Uses:
    return _typed("instance_type", lambda g: any(t.family.startswith(prefixes) for t in g.types))


def _written(*path: str) -> Uses:
    return lambda plan: [path] if plan.wrote(*path) else []


def _when(path: Path, test: Callable[[Plan], object]) -> Uses:
    return lambda plan: [path] if test(plan) else []


def _nodes(test: Callable[[Machine | NodeGroup], object], *field: str) -> Uses:
    """Head, login and compute nodes."""
    return lambda plan: (
        node.at(*field)
        for node in (plan.head, plan.login, *plan.node_groups)
        if node and test(node)
    )


_HEAD_STAYS = ("head_node", "root_volume", "on_delete")


def _own_subnets(plan: Plan) -> Iterator[Path]:
    if plan.head and plan.head.subnets:
        yield plan.head.at("subnet")
    for node in (plan.login, *plan.node_groups):
        by_zone = isinstance(node, NodeGroup) and node.zone
        if node and node.subnets and not by_zone:
            yield node.at("subnets")


def _mixed_architecture(plan: Plan) -> bool:
    return len({type.arch for type in plan.instance_types}) > 1


def _parts_of_groups(plan: Plan) -> Iterator[Path]:
    for queue in plan.queues:
        if queue.nodes:
            yield queue.at("nodes")


def _shared_groups(plan: Plan) -> Iterator[Path]:
    seen: set[str] = set()
    for queue in plan.queues:
        for index, group in enumerate(queue.node_groups):
            if group.name in seen:
                yield queue.at("node_groups", index)
            seen.add(group.name)


FEATURES: tuple[Feature, ...] = (
    Feature("capacity.on-demand", "On-Demand instances", _capacity("on-demand")),
    Feature("capacity.spot", "Spot instances", _capacity("spot")),
    Feature("capacity.reservation", "On-Demand Capacity Reservation", _capacity("reservation")),
    Feature(
        "capacity.reservation-group",
        "Capacity Reservation group",
        _capacity("reservation-group"),
    ),
    Feature("capacity.block", "Capacity Block for ML", _capacity("capacity-block")),
    Feature(
        "capacity.interruptible",
        "Interruptible Capacity Reservation",
        _capacity("interruptible-reservation"),
    ),
    Feature("capacity.training-plan", "SageMaker training plan", _capacity("training-plan")),
    Feature(
        "capacity.dates",
        "Capacity that starts and ends",
        lambda plan: (g.at("capacity") for g in plan.node_groups if g.capacity.dated),
    ),
    Feature(
        "instances.ultraserver",
        "P6e-GB200 UltraServers",
        _typed("instance_type", lambda g: g.type.nvlink_domain),
    ),
    Feature("instances.trainium", "AWS Trainium", _family("trn")),
    Feature("instances.inferentia", "AWS Inferentia", _family("inf")),
    Feature("instances.hpc", "HPC instances (hpc6a to hpc8a)", _family("hpc")),
    Feature(
        "instances.several-types",
        "Several instance types in a node group",
        _groups(lambda g: len(g.types) > 1, "instance_types"),
    ),
    Feature(
        "instances.mixed-architecture",
        "x86_64 and arm64 nodes in one cluster",
        _when(("node_groups",), _mixed_architecture),
    ),
    Feature("network.efa", "Elastic Fabric Adapter", _groups(lambda g: g.efa, "efa")),
    Feature(
        "network.efa-layout",
        "Choice of EFA interface type",
        lambda plan: (
            g.at("efa_layout") for g in plan.node_groups if plan.wrote(*g.at("efa_layout"))
        ),
    ),
    Feature(
        "network.no-internet",
        "VPC without a way to the internet",
        _when(("network", "internet"), lambda p: p.network.closed),
    ),
    Feature(
        "placement.cluster",
        "Cluster placement group",
        _groups(lambda g: g.placement.kind == "cluster", "placement"),
    ),
    Feature(
        "placement.existing",
        "Existing placement group",
        _groups(lambda g: g.placement.kind == "existing", "placement"),
    ),
    Feature(
        "nodes.smt",
        "Two threads per core",
        _groups(lambda g: g.threads_per_core == 2, "threads_per_core"),
    ),
    Feature("nodes.image", "Custom image", _groups(lambda g: g.image, "image")),
    Feature(
        "nodes.unencrypted",
        "Root volumes without encryption",
        _nodes(lambda n: not n.volume.encrypted, "root_volume", "encrypted"),
    ),
    Feature(
        "nodes.volume-key",
        "KMS keys of root volumes",
        _nodes(lambda n: n.volume.kms_key, "root_volume", "kms_key"),
    ),
    Feature(
        "nodes.volume-kept",
        "Root volumes that stay when their nodes end",
        lambda plan: (
            node.at("root_volume", "on_delete")
            for node in (plan.login, *plan.node_groups)
            if node and node.volume.retain
        ),
    ),
    Feature(
        "head.volume-kept",
        "A root volume that stays when the head node ends",
        _when(_HEAD_STAYS, lambda p: p.head.volume.retain if p.head else p.wrote(*_HEAD_STAYS)),
    ),
    Feature("nodes.tags", "Tags for some nodes", _groups(lambda g: g.tags, "tags")),
    Feature("nodes.scratch", "Local NVMe as scratch", _groups(lambda g: g.scratch, "scratch")),
    Feature(
        "nodes.iam",
        "Policies and S3 access for nodes",
        _nodes(lambda n: n.iam.policies or n.iam.s3, "iam"),
    ),
    Feature(
        "nodes.instance-profile",
        "Existing instance profiles for nodes",
        _nodes(lambda n: n.iam.instance_profile, "iam", "instance_profile"),
    ),
    Feature("nodes.role", "Existing roles for nodes", _nodes(lambda n: n.iam.role, "iam", "role")),
    Feature(
        "nodes.security-groups",
        "Security groups for some nodes",
        _nodes(lambda n: n.security_groups, "security_groups"),
    ),
    Feature("nodes.subnets", "Subnets for some nodes", _own_subnets),
    Feature("nodes.zone", "Zones for some nodes", _groups(lambda g: g.zone, "zone")),
    Feature(
        "nodes.ssh-sources",
        "SSH sources for head or login nodes",
        lambda plan: (
            (node, "ssh_from") for node in ("head_node", "login") if plan.wrote(node, "ssh_from")
        ),
    ),
    Feature(
        "nodes.allocation",
        "Choice among types and subnets",
        _groups(lambda g: g.allocation, "allocation"),
    ),
    Feature(
        "nodes.service-name",
        "Names of node groups per queue",
        _groups(lambda g: g.service_name, "service_name"),
    ),
    Feature("nodes.mig", "MIG partitions", _groups(lambda g: g.mig, "mig")),
    Feature("nodes.labels", "Node labels", _groups(lambda g: g.labels, "labels")),
    Feature("nodes.taints", "Node taints", _groups(lambda g: g.taints, "taints")),
    Feature(
        "nodes.slurm-settings",
        "Slurm settings for a node group",
        _groups(lambda g: g.slurm, "slurm"),
    ),
    Feature(
        "nodes.scaling", "Nodes started on demand", _groups(lambda g: 0 == g.min < g.max, "count")
    ),
    Feature(
        "nodes.mixed-scaling",
        "Static and dynamic nodes in one group",
        _groups(lambda g: 0 < g.min < g.max, "count"),
    ),
    Feature(
        "nodes.desired",
        "A number of nodes between minimum and maximum",
        _groups(lambda g: g.desired is not None, "count"),
    ),
    Feature(
        "nodes.accelerator-taint",
        "Accelerators without a taint",
        _groups(lambda g: not g.accelerator_taint, "accelerator_taint"),
    ),
    Feature(
        "health.gpu",
        "GPU health check",
        _groups(lambda g: "gpu" in g.health_checks, "health_checks"),
    ),
    Feature(
        "health.deep",
        "Deep instance health checks",
        _groups(lambda g: set(g.health_checks) - {"gpu"}, "health_checks"),
    ),
    Feature("head.node", "Choice of head node size", _written("head_node")),
    Feature(
        "head.smt",
        "Threads per core of the head node",
        _written("head_node", "threads_per_core"),
    ),
    Feature("login.nodes", "Login nodes", _written("login")),
    Feature(
        "login.smt",
        "Threads per core of login nodes",
        _written("login", "threads_per_core"),
    ),
    Feature(
        "queues.slurm-settings",
        "Slurm settings for a queue",
        lambda plan: (q.at("slurm") for q in plan.queues if q.slurm),
    ),
    Feature(
        "queues.shared-groups",
        "A node group in several queues",
        _shared_groups,
    ),
    Feature("queues.parts", "Queues over some nodes of a group", _parts_of_groups),
    Feature(
        "storage.name",
        "Names of storage",
        lambda plan: (s.at("name") for s in plan.storage if s.name),
    ),
    Feature(
        "storage.by-cluster",
        "File systems that the cluster creates",
        lambda plan: (s.at("created_by") for s in plan.storage if s.by_cluster and not s.existing),
    ),
    Feature("storage.lustre", "FSx for Lustre", _storage(Lustre)),
    Feature("storage.lustre-efa", "FSx for Lustre over EFA", _lustre(lambda s: s.efa, "efa")),
    Feature(
        "storage.lustre-metadata",
        "Provisioned Lustre metadata IOPS",
        _lustre(lambda s: s.metadata_iops is not None and not s.efa, "metadata_iops"),
    ),
    Feature(
        "storage.intelligent-tiering",
        "FSx Intelligent-Tiering",
        _lustre(lambda s: s.storage_class == "INTELLIGENT_TIERING", "storage_class"),
    ),
    Feature(
        "storage.data-repositories",
        "Lustre data repositories in S3",
        _lustre(lambda s: s.repositories, "data_repositories"),
    ),
    Feature("storage.openzfs", "FSx for OpenZFS", _storage(OpenZfs)),
    Feature("storage.ontap", "FSx for ONTAP", _storage(Ontap)),
    Feature("storage.efs", "EFS", _storage(Efs)),
    Feature("storage.ebs", "EBS volume shared by the head node", _storage(Ebs)),
    Feature("storage.bucket", "Mountpoint for S3", _storage(Bucket)),
    Feature("storage.file-cache", "Amazon File Cache", _storage(FileCache)),
    Feature(
        "software.pyxis",
        "Pyxis and Enroot containers",
        _when(("software", "containers"), lambda p: p.software.containers == "pyxis"),
    ),
    Feature(
        "software.docker",
        "Docker",
        _when(("software", "containers"), lambda p: p.software.containers == "docker"),
    ),
    Feature(
        "software.registry",
        "Copies of public images in a private registry",
        _when(("software", "registry"), lambda p: p.software.registry),
    ),
    Feature(
        "software.scripts",
        "Boot scripts",
        _when(("software", "scripts"), lambda p: p.software.scripts),
    ),
    Feature(
        "software.scripts-failure",
        "What happens when a script fails",
        lambda plan: (
            (*script.path, "on_failure") for script in plan.software.scripts if script.on_failure
        ),
    ),
    Feature(
        "software.scripts-every-boot",
        "Scripts that run at each boot",
        lambda plan: (
            (*script.path, "every_boot") for script in plan.software.scripts if script.every_boot
        ),
    ),
    Feature(
        "software.scripts-updated",
        "Scripts that run when the cluster is updated",
        lambda plan: (
            (*script.path, "when") for script in plan.software.scripts if script.when == "updated"
        ),
    ),
    Feature("users", "Users with fixed ids", _when(("users",), lambda p: p.users)),
    Feature("slurm.version", "Choice of the Slurm version", _written("slurm", "version")),
    Feature(
        "slurm.accounting-managed",
        "Managed Slurm accounting",
        _when(("slurm", "accounting"), lambda p: p.slurm.accounting == "managed"),
    ),
    Feature(
        "slurm.accounting-database",
        "External accounting database",
        _when(("slurm", "accounting"), lambda p: isinstance(p.slurm.accounting, Database)),
    ),
    Feature(
        "slurm.accounts",
        "Accounts and qualities of service",
        lambda plan: [
            ("slurm", field) for field in ("accounts", "qos") if getattr(plan.slurm, field)
        ],
    ),
    Feature("slurm.idle-timeout", "Idle timeout for nodes", _written("slurm", "idle_timeout")),
    Feature(
        "slurm.idle-never",
        "Nodes that stay when they are idle",
        _when(("slurm", "idle_timeout"), lambda p: p.slurm.idle_timeout is None),
    ),
    Feature(
        "slurm.settings",
        "slurm.conf settings",
        _when(("slurm", "settings"), lambda p: p.slurm.settings),
    ),
    Feature(
        "slurm.slurmdbd-settings",
        "slurmdbd.conf settings",
        _when(("slurm", "slurmdbd_settings"), lambda p: p.slurm.slurmdbd_settings),
    ),
    Feature(
        "slurm.cgroup-settings",
        "cgroup.conf settings",
        _when(("slurm", "cgroup_settings"), lambda p: p.slurm.cgroup_settings),
    ),
    Feature("kubernetes", "Kubernetes", _written("kubernetes")),
    Feature("monitoring.prometheus", "Managed Prometheus", _metrics("managed-prometheus")),
    Feature("monitoring.self-hosted", "Prometheus in the cluster", _metrics("self-hosted")),
    Feature("monitoring.cloudwatch-metrics", "Metrics in CloudWatch", _metrics("cloudwatch")),
    Feature(
        "monitoring.alerts",
        "Alerts",
        _when(("monitoring", "alerts"), lambda p: p.monitoring.alerts.wanted),
    ),
    Feature(
        "monitoring.cloudwatch-dashboard",
        "CloudWatch dashboard",
        lambda plan: (
            [("monitoring", "dashboards")]
            if plan.wrote("monitoring", "dashboards") and plan.monitoring.dashboards == "cloudwatch"
            else []
        ),
    ),
    Feature("monitoring.grafana", "Managed Grafana", _dashboards("managed-grafana")),
    Feature("monitoring.grafana-files", "Dashboards as files", _dashboards("grafana-files")),
    Feature("monitoring.log-retention", "Log retention", _written("monitoring", "log_retention")),
    Feature(
        "resilience.replace",
        "Replacement of failed nodes",
        _written("resilience", "replace_failed_nodes"),
    ),
    Feature(
        "resilience.auto-resume",
        "Automatic job resume",
        _when(("resilience", "auto_resume"), lambda p: p.resilience.auto_resume),
    ),
)


def used(plan: Plan) -> Iterator[tuple[Feature, tuple[Path, ...]]]:
    """The features that ``plan`` uses, each with its places in the spec."""
    for feature in FEATURES:
        if paths := tuple(feature.uses(plan)):
            yield feature, paths
