"""Features that a cluster uses, and how well each target supports them.

The table is the only source of ``SUP`` findings, ``clustergen targets`` and the support page. A
feature detects whether and where a plan uses it; each target's ``support.py`` lists how well the
target supports it.
"""

from __future__ import annotations

from clustergen.features.checking import check, message
from clustergen.features.table import FEATURES, Feature, Level, Support, Uses, used

__all__ = ["FEATURES", "Feature", "Level", "Support", "Uses", "check", "message", "used"]
