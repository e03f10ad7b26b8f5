"""The schema of CreateCluster, which both targets of HyperPod render."""

from __future__ import annotations

from clustergen.schemas import Schema

SCHEMA = Schema(
    file="hyperpod.json",
    cloudformation=False,
    list_keys=("InstanceGroupName", "Key"),
    quoted=False,
)
