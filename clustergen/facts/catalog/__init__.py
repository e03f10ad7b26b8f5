"""Facts about EC2 and the storage services.

The source and date of each group of facts are in ``data/provenance.json``.
"""

from clustergen.facts.catalog.instance import Accelerator, InstanceType, NetworkCard, Quota
from clustergen.facts.catalog.lookup import every, find, names
from clustergen.facts.catalog.missing import Missing, explain_missing

__all__ = [
    "Accelerator",
    "InstanceType",
    "Missing",
    "NetworkCard",
    "Quota",
    "every",
    "explain_missing",
    "find",
    "names",
]
