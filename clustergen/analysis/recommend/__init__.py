"""Which instances, bought how, on which service, would do: ranked, with cost and limits."""

from clustergen.analysis.recommend import json, view
from clustergen.analysis.recommend.answers import Answer, Recommendation, recommend
from clustergen.analysis.recommend.need import Need
from clustergen.output import blocks


def render(format: str, found: Recommendation) -> str:
    """A recommendation in one of :data:`blocks.FORMATS`."""
    return blocks.render(format, [view.blocks(found)], lambda: json.render(found))


__all__ = ["Answer", "Need", "Recommendation", "recommend", "render"]
