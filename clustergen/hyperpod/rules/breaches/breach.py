"""A breach, and how it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from clustergen.findings import Path

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Breach:
    """One refusal: of which area of rules, of which group (empty: the cluster), and why."""

    area: str
    group: str
    path: Path
    """The member, from the group or the cluster on."""
    message: str
    help: str


def of_cluster(area: str, member: str, message: str, help: str) -> Breach:
    return Breach(area, "", (member,), message, help)


def of_group(area: str, group: Json, member: str, message: str, help: str) -> Breach:
    name = str(group.get("InstanceGroupName", ""))
    return Breach(area, name, (member,), f"{name}: {message}", help)
