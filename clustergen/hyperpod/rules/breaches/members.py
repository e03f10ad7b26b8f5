"""Parts of any JSON: what has not the form of a request is empty here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from clustergen.hyperpod.rules.breaches.breach import Json


def has_controller(document: Json) -> bool:
    groups = maps(document.get("InstanceGroups"))
    return any(as_map(g.get("SlurmConfig")).get("NodeType") == "Controller" for g in groups)


def of_eks(document: Json) -> bool:
    return "Eks" in as_map(document.get("Orchestrator"))


def continuous(document: Json) -> bool:
    return document.get("NodeProvisioningMode") == "Continuous"


def as_map(value: Any) -> Json:
    return value if isinstance(value, Mapping) else {}


def maps(value: Any) -> list[Json]:
    return [item for item in items(value) if isinstance(item, Mapping)]


def items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
