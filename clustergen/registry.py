"""Every rule there is, by code. Imports all parts that have rules: for ``explain`` and SARIF."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from types import MappingProxyType

from clustergen import discovery, targets
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
"""What the first three characters of a code stand for."""


def every() -> Iterator[Rule]:
    """All rules, each once.

    :raises ValueError: when the area of a code is not in :data:`AREAS`.
    """
    for rule in dict.fromkeys(_every()):
        if rule.code[:3] not in AREAS:
            raise ValueError(f"{rule.code}: there is no area {rule.code[:3]}")
        yield rule


def _every() -> Iterator[Rule]:
    # Bridge: rules in modules that are not discovered yet are listed by their targets.
    for name in targets.NAMES:
        target = targets.load(name)
        yield from target.rules
        for package in target.rule_packages:
            yield from discovery.rules(package)
    for package in discovery.packages():
        with contextlib.suppress(TypeError):
            yield from discovery.rules_below(package)


def by_code() -> Mapping[str, Rule]:
    """All rules by code, sorted."""
    return MappingProxyType({rule.code: rule for rule in sorted(every(), key=lambda r: r.code)})
