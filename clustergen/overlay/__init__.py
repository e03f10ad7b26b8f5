"""Overlays: changes to a target's document in the spec.

Mappings merge, ``null`` deletes, lists of mappings merge by item name, everything else is replaced.
The schema and the target's document rules check the result; every change is reported.
"""

from clustergen.overlay.checking import broken, check
from clustergen.overlay.merging import apply, difference, in_document

__all__ = ["apply", "broken", "check", "difference", "in_document"]
