"""What feeds metrics: a rule or panel is written only where its metrics exist."""

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum

from clustergen.facts.catalog import prices
from clustergen.plan.model import Lustre, NodeGroup, OpenZfs, Plan
from clustergen.plan.slurm_settings import service_of


class Source(StrEnum):
    """Something that feeds metrics."""

    HOST = "host"
    EXPECTED = "expected"
    """``templates/monitoring/node_metrics.py`` runs on the nodes."""
    STEPS = "steps"
    """Nodes record which steps of their set-up failed."""
    GPU = "gpu"
    GPU_RESOURCES = "gpu-resources"
    """Nodes of Kubernetes offer GPUs as resources, which pods request; claims are not counted."""
    NEURON = "neuron"
    EFA = "efa"
    MOUNTS = "mounts"
    LUSTRE = "lustre"
    OPENZFS = "openzfs"
    LUSTRE_EFA = "lustre-efa"
    SLURM = "slurm"
    SLURM_GPUS = "slurm-gpus"
    """slurmctld counts the GPUs of each node."""
    JOB_FILES = "job-files"
    """A prolog tells dcgm-exporter which job each GPU works for."""
    ACCOUNTING = "accounting"
    AGENT = "agent"
    """CloudWatch's agent on the nodes sends metrics to CloudWatch."""
    ADD_ON = "add-on"
    """HyperPod's observability add-on collects these, with its own labels."""
    INSIGHTS = "insights"
    """Container Insights measures the nodes of Kubernetes for CloudWatch."""
    KUBERNETES = "kubernetes"
    KUEUE = "kueue"
    KARPENTER = "karpenter"
    BLOCK = "block"
    """Capacity that ends: Capacity Blocks."""
    RESERVATION = "reservation"
    PRICED = "priced"
    """The catalog has the price of nodes."""
    MINIMUM = "minimum"
    """Node groups with a minimum of nodes; when these should run is known."""
    ALWAYS = "always"
    """Some node runs at any time, unless the cluster is paused."""
    GPU_EXPORTER = "gpu-exporter"
    """The images have what the exporter of GPUs needs."""


def fed_by(names: Iterable[str]) -> frozenset[Source]:
    return frozenset(map(Source, names))


_RESERVED = ("capacity-block", "reservation")
"""Purchase options whose beginning and end EC2 tells nodes."""
_TIMED = (*_RESERVED, "training-plan")
"""Purchase options that begin and end."""

SLURM_COUNTS_GPUS = (26, 5)
"""``slurm_node_gpus`` and ``slurm_partition_gpus`` begin with Slurm 26.05.

https://github.com/SchedMD/slurm: src/plugins/metrics/openmetrics/openmetrics.c of both branches.
"""


def sources(plan: Plan) -> frozenset[Source]:
    """What feeds metrics in a cluster of ``plan``."""
    if plan.scheduler == "batch":
        # Nothing runs on the nodes but jobs: these are what AWS measures.
        return frozenset((Source.HOST, *_storage(plan), *_capacity(plan)))
    if plan.monitoring.metrics == "cloudwatch" and not service_of(plan):
        return frozenset((Source.INSIGHTS,))
    if plan.sagemaker and not service_of(plan):
        # Of the add-on's other metrics, labels and names are not documented.
        return frozenset(_add_on(plan))
    scheduler = _slurm(plan) if service_of(plan) else _kubernetes(plan)
    return frozenset((Source.HOST, *_devices(plan), *scheduler))


def _there(found: Mapping[Source, object]) -> Iterator[Source]:
    """The sources of which there is something."""
    return (source for source, there in found.items() if there)


def _add_on(plan: Plan) -> Iterator[Source]:
    gpus = [group for group in plan.node_groups if group.type.gpus]
    return _there({Source.ADD_ON: True, Source.GPU: gpus, Source.ALWAYS: _always_due(gpus)})


def measured(plan: Plan) -> frozenset[Source]:
    """What CloudWatch has metrics of: also of file systems, which AWS measures in any case."""
    return sources(plan) | frozenset(_storage(plan))


def _devices(plan: Plan) -> Iterator[Source]:
    groups = plan.node_groups
    return _there(
        {
            Source.GPU: any(group.type.gpus for group in groups),
            Source.NEURON: any(group.type.neuron_devices for group in groups),
            Source.EFA: any(group.efa for group in groups),
        }
    )


def collects(plan: Plan) -> bool:
    """Whether a node measures what is the same on every node: Slurm's metrics, reservations."""
    return bool(plan.head or plan.login)


def _always_due(groups: Iterable[NodeGroup]) -> bool:
    return any(group.min for group in groups if group.capacity.kind not in _TIMED)


def is_reserved(group: NodeGroup) -> bool:
    """Whether EC2 tells when the group's nodes should run."""
    return group.capacity.kind in _RESERVED and bool(group.capacity.id)


def expected_groups(plan: Plan) -> tuple[NodeGroup, ...]:
    """The groups with a minimum of nodes of which it is known when they should run."""
    groups = [group for group in plan.node_groups if group.min]
    known = collects(plan)
    return tuple(g for g in groups if g.capacity.kind not in _TIMED or (known and is_reserved(g)))


def most_by_reservation(plan: Plan) -> dict[str, int]:
    """Id -> nodes that Slurm may show as down while this reservation is not active."""
    known, counts = reservations(plan), dict[str, int]()
    for group in plan.node_groups:
        id, kind = group.capacity.id, group.capacity.kind
        if id in known and not (plan.limits.reserves_blocks and kind == "capacity-block"):
            counts[id] = counts.get(id, 0) + group.max
    return counts


def _storage(plan: Plan) -> Iterator[Source]:
    lustre = [one for one in plan.storage if isinstance(one, Lustre)]
    return _there(
        {
            Source.MOUNTS: plan.storage,
            Source.LUSTRE: lustre,
            Source.OPENZFS: any(isinstance(one, OpenZfs) for one in plan.storage),
            Source.LUSTRE_EFA: any(one.efa for one in lustre),
        }
    )


def reservations(plan: Plan) -> tuple[str, ...]:
    """Ids of the reservations that EC2 tells about."""
    capacities = (group.capacity for group in plan.node_groups)
    return tuple(one.id for one in capacities if one.kind in _RESERVED and one.id)


def _capacity(plan: Plan) -> Iterator[Source]:
    capacities = [group.capacity for group in plan.node_groups]
    blocks = any(one.kind == "capacity-block" and one.id for one in capacities)
    return _there({Source.RESERVATION: reservations(plan), Source.BLOCK: blocks})


def _slurm(plan: Plan) -> Iterator[Source]:
    # ParallelCluster's own images lack the exporter of GPUs, and the container toolkit that Docker
    # needs for it.
    exporter = plan.limits.exports_gpus or all(group.image for group in plan.node_groups)
    if collects(plan):
        yield from _collected(plan)
    yield from _storage(plan)
    yield from _there(
        {
            Source.EXPECTED: True,
            Source.PRICED: prices_by_type(plan),
            Source.AGENT: plan.monitoring.metrics == "cloudwatch",
            Source.STEPS: plan.sagemaker,
            # The prologs of other services and of existing clusters are not ours.
            Source.JOB_FILES: plan.sagemaker and plan.head,
            Source.MINIMUM: expected_groups(plan),
            Source.ALWAYS: _always_due(plan.node_groups) or collects(plan),
            Source.GPU_EXPORTER: exporter,
        }
    )


def _collected(plan: Plan) -> Iterator[Source]:
    yield Source.SLURM
    yield from _capacity(plan)
    version = plan.slurm.version or plan.limits.default_slurm_version
    if version and tuple(map(int, version.split(".")[:2])) >= SLURM_COUNTS_GPUS:
        yield Source.SLURM_GPUS
    if plan.slurm.accounting != "off":
        yield Source.ACCOUNTING


def _kubernetes(plan: Plan) -> Iterator[Source]:
    gpus = any(group.type.gpus for group in plan.node_groups)
    return _there(
        {
            Source.KUBERNETES: True,
            Source.ALWAYS: True,
            Source.GPU_RESOURCES: gpus and plan.kubernetes.devices == "plugin",
            Source.KUEUE: plan.kubernetes.admission == "kueue",
            Source.KARPENTER: plan.kubernetes.autoscaler == "karpenter",
        }
    )


def prices_by_type(plan: Plan) -> dict[str, float]:
    """Instance type -> the On-Demand price where the nodes are; without those that are unknown.

    As an argument of a node's script, a new price in the catalog would replace the node.
    """
    place = prices.place_of(plan.region, plan.network.private[0].zone)
    types = {type.name: type for group in plan.node_groups for type in group.types}
    found = {
        name: prices.RECORDED.find(
            f"HyperPod {type.ml_name}" if plan.sagemaker else f"EC2 {name}", place
        )
        for name, type in sorted(types.items())
    }
    return {name: price.usd for name, price in found.items() if price}
