"""A diagram of what will exist: region, VPC, subnets, nodes, storage and the service.

``model`` makes nested boxes of a plan. Every format is a module with the same function,
``render(box)``.
"""

import importlib
from typing import Final

from clustergen.analysis.graph.model import Box, diagram

FORMATS: Final = ("svg", "mermaid")
"""Names of modules with ``render(box)``."""


def render(format: str, box: Box) -> str:
    """The diagram as text, with a final line end."""
    text: str = importlib.import_module(f"{__name__}.{format}").render(box)
    return text


__all__ = ["FORMATS", "Box", "diagram", "render"]
