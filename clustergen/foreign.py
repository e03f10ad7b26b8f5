"""The formats of other tools' cluster configurations, by the keys that only they have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

PARALLELCLUSTER: Final = "a ParallelCluster configuration"


def recognized(data: Any) -> str:
    """What ``data`` is, for messages; empty if it has no known format."""
    if not isinstance(data, Mapping):
        return ""
    if "HeadNode" in data and ("Scheduling" in data or "Image" in data):
        return PARALLELCLUSTER
    return ""
