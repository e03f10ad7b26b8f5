"""Features that clustergen has on some targets only: the answer of the others."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from clustergen.plan.features.model import Support, rows

ON_OTHER_TARGETS: Mapping[str, Support] = MappingProxyType(
    {
        **rows(Path(__file__)),
        "software.registry": Support(
            "partial",
            "not used on Slurm: Enroot and Docker on nodes do not log in to the registry, so tests "
            "and jobs name public images",
            "https://docs.aws.amazon.com/AmazonECR/latest/userguide/registry_auth.html",
            ignored=True,
        ),
    }
)
"""Rows by feature."""
