"""Settings of EKS that several templates leave open."""

from __future__ import annotations

from clustergen.importing.eks.form import ACCESS, ADDONS, CLUSTER, NODE_GROUPS
from clustergen.importing.machines import section
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json, link


def prepared(settings: Json, notes: Notes) -> Json:
    """The settings of one cluster: what its templates get as a parameter is this cluster."""
    name = next(iter(settings[CLUSTER]))
    found = dict(settings)
    for kind in (NODE_GROUPS, ADDONS, ACCESS):
        found[kind] = {
            each: {**node, "ClusterName": link(CLUSTER, name)}
            for each, node in section(settings, kind).items()
        }
    missing = [each for each in ("vpc-cni", "coredns", "kube-proxy") if each not in found[ADDONS]]
    if missing:
        notes.decided(
            (CLUSTER, name),
            "clustergen also installs the add-ons that it needs; EKS adopts those that run already",
            "targets",
        )
    return found
