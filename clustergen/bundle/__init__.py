"""Bundles on disk: written completely or not at all, never over files edited by hand, and compared.

A folder that clustergen wrote contains :data:`MANIFEST`, the hash of each of its files. Files that
the user adds to the folder stay.
"""

from __future__ import annotations

from clustergen.bundle.checking import check
from clustergen.bundle.manifest import MANIFEST
from clustergen.bundle.replacing import replaced
from clustergen.bundle.writing import Written, write

__all__ = ["MANIFEST", "Written", "check", "replaced", "write"]
