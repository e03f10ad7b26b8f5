"""All rules by code. Imports all parts with rules, for ``explain`` and SARIF."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen import discovery
from clustergen.findings import Rule

AREAS: Mapping[str, str] = {
    "BND": "Bundles on disk",
    "CAP": "Capacity",
    "FSX": "FSx file systems",
    "GPU": "Partitions of GPUs",
    "IAM": "Roles and permissions",
    "IMG": "Images",
    "K8S": "Kubernetes",
    "LIM": "Limits of the services",
    "NET": "Network",
    "NIC": "Network interfaces",
    "OVL": "Overlays",
    "PLC": "Placement",
    "SLM": "Slurm",
    "SPC": "The spec: form and syntax",
    "STG": "Other storage",
    "SUP": "What a target supports",
}
"""Meaning of the first three characters of a code."""


def every() -> tuple[Rule, ...]:
    """All rules.

    :raises ValueError: if the area of a code is not in :data:`AREAS`.
    """
    found = discovery.every()
    for rule in found:
        if rule.code[:3] not in AREAS:
            raise ValueError(f"{rule.code}: there is no area {rule.code[:3]}")
    return found


def by_code() -> Mapping[str, Rule]:
    """All rules by code, sorted."""
    return MappingProxyType({rule.code: rule for rule in sorted(every(), key=lambda r: r.code)})
