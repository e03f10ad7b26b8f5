"""How AWS Batch supports each feature: ``support.json``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from clustergen.plan.features import Support, monitoring, rows
from clustergen.plan.features.some_targets import ON_OTHER_TARGETS

SUPPORT: Mapping[str, Support] = MappingProxyType(
    {**monitoring.SHARED, **ON_OTHER_TARGETS, **rows(Path(__file__))}
)
"""Support by feature id, for every feature."""
