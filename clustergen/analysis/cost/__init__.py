"""The cost of a spec on each of its targets."""

from __future__ import annotations

from collections.abc import Sequence

from clustergen.analysis.cost import json, view
from clustergen.analysis.cost.model import Quotation, quote
from clustergen.output import blocks


def render(format: str, quotations: Sequence[Quotation], hours: int | None) -> str:
    """All in one of :data:`blocks.FORMATS`; ``hours`` is how long a cluster is used."""
    documents = (view.blocks(quotation, hours) for quotation in quotations)
    return blocks.render(format, documents, lambda: json.render(quotations, hours))


__all__ = ["Quotation", "quote", "render"]
