"""The cost of a spec on each of its targets."""

from collections.abc import Sequence

from clustergen.analysis.cost import json, view
from clustergen.analysis.cost.model import Estimate, estimate
from clustergen.output import blocks


def render(format: str, estimates: Sequence[Estimate], hours: int | None) -> str:
    """All in one of :data:`blocks.FORMATS`; ``hours`` is how long a cluster is used."""
    documents = (view.blocks(estimate, hours) for estimate in estimates)
    return blocks.render(format, documents, lambda: json.render(estimates, hours))


__all__ = ["Estimate", "estimate", "render"]
