"""One refusal of EKS."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.findings import Path

Area = Literal[
    "template",
    "group",
    "capacity",
    "interfaces",
    "image",
    "user-data",
    "scaling",
    "cluster",
    "endpoint",
    "access",
    "add-on",
]


@dataclass(frozen=True, slots=True)
class Breach:
    """Of which area of rules, of which resource, which of its properties, and why."""

    area: Area
    resource: str
    """Its logical id."""
    path: Path
    """From the resource's properties on."""
    message: str
    help: str
