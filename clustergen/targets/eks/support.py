"""What EKS makes of each feature."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import FEATURES, Support

SUPPORT: Mapping[str, Support] = MappingProxyType(
    {f.id: Support("full", "not filled in", "https://docs.aws.amazon.com/eks/") for f in FEATURES}
)
"""Support by feature id, for every feature there is."""
