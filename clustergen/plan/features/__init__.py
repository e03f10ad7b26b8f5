"""Features that a cluster uses, and how well each target supports them.

The table is the only source of ``SUP`` findings, ``clustergen targets`` and the support page. A
feature detects whether and where a plan uses it; each target's ``support.json`` lists how well
the target supports it.
"""

from clustergen.plan.features.checking import check
from clustergen.plan.features.model import Feature, Level, Row, Support, Uses, rows, support
from clustergen.plan.features.some_targets import supported
from clustergen.plan.features.table import FEATURES, used

__all__ = [
    "FEATURES",
    "Feature",
    "Level",
    "Row",
    "Support",
    "Uses",
    "check",
    "rows",
    "support",
    "supported",
    "used",
]
