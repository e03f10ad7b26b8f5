"""The stacks of a cluster besides those that every target has: file of the template, name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clustergen.services import schedules

STACKS: Final[Mapping[str, Mapping[str, str]]] = {
    "parallelcluster": {},
    "pcs": {"cluster.template.json": "pcs", schedules.PATH: "pcs-schedule"},
    "hyperpod-slurm": {},
    "hyperpod-eks": {"eks.template.json": "eks", "addons.template.json": "addons"},
    "eks": {"cluster.template.json": "eks", schedules.PATH: "eks-schedule"},
    "batch": {"cluster.template.json": "batch", schedules.PATH: "batch-schedule"},
}
"""By target; ParallelCluster makes the others of its own, and HyperPod is an API call."""
