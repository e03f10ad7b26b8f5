"""The escape hatch: what a spec lays over a target's own document.

Mappings merge, ``null`` deletes, lists of mappings merge by the name of their items, all else
replaces. The result is checked against a schema of the document, and every change is reported.
"""

from __future__ import annotations

from clustergen.overlay.checking import check
from clustergen.overlay.merging import apply
from clustergen.overlay.rules import RULES

__all__ = ["RULES", "apply", "check"]
