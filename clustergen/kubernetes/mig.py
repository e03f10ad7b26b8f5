"""MIG partitions of node groups, as configuration of NVIDIA's MIG manager."""

from __future__ import annotations

from typing import Any

from clustergen.kubernetes import labels_and_taints
from clustergen.plan.model import Plan
from clustergen.yaml_text import Lines, yaml_text

CONFIG_MAP = "clustergen-mig-config"
DISABLED = "all-disabled"
"""Configuration of nodes without the label."""


def config(plan: Plan) -> Lines:
    """A configuration for each group with partitions, by the label value of its nodes.

    https://github.com/NVIDIA/mig-parted (2026-05)
    """
    configs: dict[str, Any] = {DISABLED: [{"devices": "all", "mig-enabled": False}]}
    for group in plan.node_groups:
        if name := labels_and_taints.mig_configuration(group):
            parts = dict(group.mig)
            configs[name] = [{"devices": "all", "mig-enabled": True, "mig-devices": parts}]
    return Lines(yaml_text({"version": "v1", "mig-configs": configs}))
