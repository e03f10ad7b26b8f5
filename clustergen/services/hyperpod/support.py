"""How both HyperPod targets support a feature: ``support.json``."""

from collections.abc import Mapping
from pathlib import Path

from clustergen.facts.schemas import Schema
from clustergen.plan.features import Support, rows

SHARED: Mapping[str, Support] = rows(Path(__file__))
"""Support by feature id, for features that do not depend on the orchestrator."""

SCHEMA = Schema(
    file="hyperpod.json", cloudformation=False, list_keys=("InstanceGroupName", "Key"), quoted=False
)
