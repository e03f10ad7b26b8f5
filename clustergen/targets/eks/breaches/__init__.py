"""Properties of an EKS template that do not go together, whoever wrote them.

Takes any JSON: what has not even the form of a template is the schema's to say. A value that
CloudFormation has still to work out is believed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from clustergen.targets.eks.breaches import (
    access,
    addons,
    capacity,
    cluster,
    images,
    interfaces,
    node_group,
    user_data,
)
from clustergen.targets.eks.breaches.breach import Breach
from clustergen.targets.eks.breaches.resources import Json, Nodes, Template

__all__ = ["Breach", "breaches"]

_OF_NODES: tuple[Callable[[Template, Nodes], Iterator[Breach]], ...] = (
    node_group.breaches,
    capacity.breaches,
    interfaces.breaches,
    images.breaches,
    user_data.breaches,
)
_OF_TEMPLATE: tuple[Callable[[Template], Iterator[Breach]], ...] = (
    cluster.breaches,
    access.breaches,
    addons.breaches,
)


def breaches(document: Json) -> Iterator[Breach]:
    """Every breach, those of node groups first."""
    template = Template(document)
    for nodes in template.nodes():
        for check in _OF_NODES:
            yield from check(template, nodes)
    for of_template in _OF_TEMPLATE:
        yield from of_template(template)
