"""What feeds metrics: a rule or panel is written only where its metrics exist."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from clustergen.plan.model import Lustre, Plan
from clustergen.plan.slurm_settings import service_of


class Source(StrEnum):
    """Something that feeds metrics."""

    HOST = "host"
    EXPECTED = "expected"
    """``templates/monitoring/node_metrics.py`` runs on the nodes."""
    GPU = "gpu"
    EFA = "efa"
    MOUNTS = "mounts"
    LUSTRE = "lustre"
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
    MINIMUM = "minimum"
    """Node groups with a minimum of nodes."""


SLURM_COUNTS_GPUS = (26, 5)
"""``slurm_node_gpus`` begins with Slurm 26.05.

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
        return frozenset((Source.ADD_ON, *(one for one in _devices(plan) if one == Source.GPU)))
    scheduler = _slurm(plan) if service_of(plan) else _kubernetes(plan)
    return frozenset((Source.HOST, *_devices(plan), *scheduler))


def _devices(plan: Plan) -> Iterator[Source]:
    groups = plan.node_groups
    if any(group.type.gpus for group in groups):
        yield Source.GPU
    if any(group.efa for group in groups):
        yield Source.EFA


def minimum_nodes(plan: Plan) -> int:
    """Nodes that run at any time."""
    return sum(group.min for group in plan.node_groups)


def _storage(plan: Plan) -> Iterator[Source]:
    lustre = [one for one in plan.storage if isinstance(one, Lustre)]
    if plan.storage:
        yield Source.MOUNTS
    if lustre:
        yield Source.LUSTRE
    if any(one.efa for one in lustre):
        yield Source.LUSTRE_EFA


def reservations(plan: Plan) -> tuple[str, ...]:
    """Ids of the reservations that EC2 tells about."""
    kinds = ("capacity-block", "reservation")
    capacities = (group.capacity for group in plan.node_groups)
    return tuple(one.id for one in capacities if one.kind in kinds and one.id)


def _capacity(plan: Plan) -> Iterator[Source]:
    if reservations(plan):
        yield Source.RESERVATION
    capacities = [group.capacity for group in plan.node_groups]
    if any(one.kind == "capacity-block" and one.id for one in capacities):
        yield Source.BLOCK


def _slurm(plan: Plan) -> Iterator[Source]:
    yield from (Source.SLURM, Source.EXPECTED)
    if plan.monitoring.metrics == "cloudwatch":
        yield Source.AGENT
    if plan.sagemaker:
        yield Source.JOB_FILES  # the other services' prologs are not ours
    yield from _storage(plan)
    yield from _capacity(plan)
    if minimum_nodes(plan):
        yield Source.MINIMUM
    version = plan.slurm.version or plan.limits.default_slurm_version
    if version and tuple(map(int, version.split(".")[:2])) >= SLURM_COUNTS_GPUS:
        yield Source.SLURM_GPUS
    if plan.slurm.accounting != "off":
        yield Source.ACCOUNTING


def _kubernetes(plan: Plan) -> Iterator[Source]:
    yield Source.KUBERNETES
    if plan.kubernetes.admission == "kueue":
        yield Source.KUEUE
    if plan.kubernetes.autoscaler == "karpenter":
        yield Source.KARPENTER
