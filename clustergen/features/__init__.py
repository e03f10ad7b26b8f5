"""Which features a cluster uses, and how well each target supports them.

The table is the one source of the ``SUP`` findings, of ``clustergen targets`` and of the support
page. A feature finds out whether a plan uses it, and where in the spec; each target's
``support.py`` lists how well the target supports it.
"""

from __future__ import annotations

from clustergen.features.checking import check, message
from clustergen.features.table import FEATURES, Feature, Level, Support, Uses, used

__all__ = ["FEATURES", "Feature", "Level", "Support", "Uses", "check", "message", "used"]
