"""All rules by code. Imports all parts with rules, for ``explain`` and SARIF."""

import difflib
import functools
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from clustergen.base import discovery
from clustergen.base.findings import Rule

AREAS: Mapping[str, str] = {
    "BND": "Bundles on disk",
    "CAP": "Capacity",
    "FSX": "FSx file systems",
    "GPU": "Partitions of GPUs",
    "IAM": "Roles and permissions",
    "IMG": "Images",
    "IMP": "Imports",
    "K8S": "Kubernetes",
    "LIM": "Limits of the services",
    "MON": "Metrics, dashboards and alerts",
    "NET": "Network",
    "NIC": "Network interfaces",
    "OVL": "Overlays",
    "PLC": "Placement",
    "PRE": "The account, before a deployment",
    "PRJ": "The project file",
    "SLM": "Slurm",
    "SPC": "The spec: form and syntax",
    "STG": "Other storage",
    "SUP": "What a target supports",
}
"""Meaning of the first three characters of a code."""


@functools.cache
def every() -> tuple[Rule, ...]:
    """All rules; raises ValueError if the area of a code is not in :data:`AREAS`."""
    found = discovery.every()
    for rule in found:
        if rule.code[:3] not in AREAS:
            raise ValueError(f"{rule.code}: there is no area {rule.code[:3]}")
    return found


def by_code(custom: Iterable[Rule] = ()) -> Mapping[str, Rule]:
    """All rules by code, sorted, with the ``custom`` rules of a project."""
    rules = sorted((*every(), *custom), key=lambda rule: rule.code)
    return MappingProxyType({rule.code: rule for rule in rules})


def exists(code: str, known: Iterable[str], *, custom: bool = False) -> bool:
    """Whether a rule has ``code``, or a code that begins so.

    With ``custom``, it may be that of a custom rule that is not ``known``.
    """
    return any(each.startswith(code) for each in known) or (custom and may_be_custom(code))


def may_be_custom(code: str) -> bool:
    """Whether none of our codes can begin with the same prefix as ``code``."""
    return not any(area.startswith(code[:3]) for area in AREAS)


def nearest(code: str, known: Iterable[str]) -> str:
    """The code that was probably meant: with the same number, or a similar one; empty if none."""
    parts = re.fullmatch(r"([A-Z][A-Z0-9]{2})[-_ ]?([0-9]+)", code)
    padded = f"{parts[1]}{int(parts[2]):03}" if parts else ""
    near = [padded] if padded in known else difflib.get_close_matches(code, known, n=1)
    return near[0] if near else ""


def hint(code: str, known: Iterable[str]) -> str:
    """The help for a code that no rule has."""
    near = nearest(code, known)
    return f"did you mean {near}?" if near else "`clustergen explain` lists all codes"
