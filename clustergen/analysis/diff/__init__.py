"""What a change of a spec does to a running cluster.

``sides`` reads the old and the new side: specs, bundles, revisions of git. ``model`` compares their
bundles and adds what :mod:`clustergen.bundle.effects` does not know: which fields of the spec cause
an effect (``causes``), and in which order to proceed (``order``).
"""

from collections.abc import Sequence

from clustergen.analysis.diff import json, view
from clustergen.analysis.diff.model import Caused, Diff, Side, compare
from clustergen.analysis.diff.sides import Folders, Spec
from clustergen.output import blocks


def render(format: str, differences: Sequence[Diff], *, everything: bool = False) -> str:
    """All in one of :data:`blocks.FORMATS`; ``everything`` includes changes in place."""
    documents = (view.blocks(difference, everything) for difference in differences)
    return blocks.render(format, documents, lambda: json.render(differences))


__all__ = ["Caused", "Diff", "Folders", "Side", "Spec", "compare", "render"]
