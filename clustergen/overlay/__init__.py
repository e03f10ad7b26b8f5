"""Overlays: changes that a spec makes directly in a target's document.

Mappings merge, ``null`` deletes, lists of mappings merge by the name of their items, everything
else is replaced. The result is checked against the document's schema and by the target's document
rules; every change is reported.
"""

from __future__ import annotations

from clustergen.overlay.checking import check
from clustergen.overlay.merging import apply
from clustergen.overlay.regressions import regressions, without_repeats

__all__ = ["apply", "check", "regressions", "without_repeats"]
