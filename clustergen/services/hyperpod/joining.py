"""What ``deploy.sh`` has to know to add instance groups to an existing cluster."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.plan.model import Plan
from clustergen.services.hyperpod import cluster
from clustergen.services.hyperpod.document import Document, Group
from clustergen.services.hyperpod.limits import PARAMETERS_FILE
from clustergen.services.hyperpod.options import Options


def values(plan: Plan, document: Mapping[str, Any]) -> dict[str, Any]:
    """Values of ``hyperpod/joining.sh.j2``; ``document`` includes the overlay."""
    given = Document(dict(document))
    by_scripts = not given.is_eks and "Orchestrator" not in given
    ours = plan.options_as(Options).lifecycle is None
    return {
        "name": cluster.name(plan),
        "groups": [group.name for group in given.groups],
        "eks": given.part("Orchestrator").get("Eks", {}).get("ClusterArn", ""),
        "by_scripts": by_scripts,
        "file": PARAMETERS_FILE,
        "parameters": next(_parameters(given), "") if by_scripts else "",
        # Scripts of the bundle that start Slurm look for the controller by the name of its group.
        "controller": plan.options_as(Options).controller
        if ours and not given.is_eks and any(map(_starts_slurm, given.groups))
        else "",
        "partitions": sorted(set(_partitions(given))),
        "login": plan.options_as(Options).login if plan.login else "",
    }


def _parameters(document: Document) -> Iterator[str]:
    """The place of the file with partitions, next to the scripts of each group."""
    for group in document.groups:
        if source := group.part("LifeCycleConfig").get("SourceS3Uri"):
            yield f"{str(source).rstrip('/')}/{PARAMETERS_FILE}"


def _partitions(document: Document) -> Iterator[str]:
    for group in document.groups:
        yield from group.part("SlurmConfig").get("PartitionNames") or ()


def _starts_slurm(group: Group) -> bool:
    return "OnCreate" in group.part("LifeCycleConfig")
