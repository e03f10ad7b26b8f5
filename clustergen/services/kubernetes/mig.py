"""MIG partitions of node groups, as configuration of NVIDIA's MIG manager."""

from typing import Any

from clustergen.base.digests import sha256
from clustergen.base.yaml_text import Lines, yaml_text
from clustergen.plan.model import Plan

_CONFIG_MAP = "clustergen-mig-config"
_DIGITS = 8
DISABLED = "all-disabled"
"""Configuration of nodes without the label."""


def config(plan: Plan) -> Lines:
    """A configuration for each group with partitions, by the label value of its nodes.

    https://github.com/NVIDIA/mig-parted (2026-05)
    """
    configs: dict[str, Any] = {DISABLED: [{"devices": "all", "mig-enabled": False}]}
    for group in plan.node_groups:
        if group.mig:
            parts = dict(group.mig)
            configs[group.name] = [{"devices": "all", "mig-enabled": True, "mig-devices": parts}]
    return Lines(yaml_text({"version": "v1", "mig-configs": configs}))


def config_map(plan: Plan) -> str:
    """The name of the object with the configurations: another one for other configurations.

    The MIG manager reads them when it starts, and afterwards looks at the label alone. With another
    object, its pods are replaced, and the new ones partition the GPUs.
    https://github.com/NVIDIA/mig-parted/issues/108
    """
    return f"{_CONFIG_MAP}-{sha256(config(plan))[:_DIGITS]}"
