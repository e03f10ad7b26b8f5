"""All alerts, one module for each part of a cluster."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.monitoring.alert import Alert, RuleGroup
from clustergen.monitoring.alerts import (
    capacity,
    efa,
    gpu,
    kubernetes,
    node,
    pipeline,
    slurm,
    storage,
)

DUE = node.DUE

GROUPS: tuple[RuleGroup, ...] = (
    node.GROUP,
    node.DUE,
    gpu.GROUP,
    efa.GROUP,
    storage.GROUP,
    slurm.GROUP,
    kubernetes.GROUP,
    capacity.GROUP,
    pipeline.GROUP,
)


def alerts() -> Iterator[Alert]:
    """Every alert of every group."""
    for group in GROUPS:
        yield from (rule for rule in group.rules if isinstance(rule, Alert))
