"""Bundles on disk: atomic writes that never overwrite files edited by hand, and comparison.

A folder that clustergen wrote contains :data:`MANIFEST` with the hash of each file. Files that the
user adds to the folder are kept. :mod:`clustergen.bundle.effects` describes what deploying one
bundle over another does.
"""

from clustergen.bundle.manifest import MANIFEST
from clustergen.bundle.up_to_date import check
from clustergen.bundle.writing import Written, write

__all__ = ["MANIFEST", "Written", "check", "write"]
