"""Members of a CreateCluster request that do not go together, whoever wrote it.

Takes any JSON: what has not even the form of a request is the schema's to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.hyperpod.rules.breaches import cluster, groups, kubernetes
from clustergen.hyperpod.rules.breaches.breach import Breach, Json
from clustergen.hyperpod.rules.breaches.hardware import hardware
from clustergen.hyperpod.rules.breaches.members import maps
from clustergen.hyperpod.rules.breaches.patches import patches

__all__ = ["Breach", "Json", "breaches"]


def breaches(document: Json) -> Iterator[Breach]:
    """Every breach, those of the cluster first."""
    yield from cluster.orchestrator(document)
    yield from cluster.roles(document)
    yield from cluster.autoscaling(document)
    for group in maps(document.get("InstanceGroups")):
        yield from groups.counts(group, document)
        yield from groups.storage(group, document)
        yield from groups.scripts(group, document)
        yield from kubernetes.kubernetes(group, document)
        yield from kubernetes.labels(group)
        yield from hardware(group, document)
        yield from patches(group, document)
    for group in maps(document.get("RestrictedInstanceGroups")):
        yield from hardware(group, document)
        yield from patches(group, document)
