"""What ``deploy.sh`` compares before an update: members of instance groups that cannot change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from clustergen.services.hyperpod.document import Document, Group


class Column(NamedTuple):
    """A value as text; that of a list has commas between its items, whose order does not matter."""

    member: str
    query: str
    """What prints it in DescribeCluster, as JMESPath."""
    value: Callable[[Group], str]
    """The same of a request; empty if the request leaves it to HyperPod."""


def _plain(member: str) -> Column:
    return Column(member, member, lambda group: str(group.data.get(member) or ""))


def _network(member: str) -> Column:
    return Column(
        f"OverrideVpcConfig.{member}",
        f'join(`","`, OverrideVpcConfig.{member} || `[]`)',
        lambda group: ",".join(map(str, group.part("OverrideVpcConfig").get(member) or ())),
    )


COLUMNS = (
    *map(_plain, ("InstanceType", "ExecutionRole", "ThreadsPerCore")),
    Column(
        "CapacityRequirements",
        'keys(CapacityRequirements || `{"OnDemand": {}}`)[0]',
        lambda group: "Spot" if group.is_spot else "OnDemand",
    ),
    *map(_network, ("SecurityGroupIds", "Subnets")),
)
"""The parts of :data:`clustergen.services.hyperpod.limits.FIXED_MEMBERS`."""


def values(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Values of ``hyperpod/deploy.sh.j2``; ``document`` includes the overlay."""
    columns = ", ".join(column.query for column in COLUMNS)
    return {
        "query": f"InstanceGroups[].[InstanceGroupName, {columns}]",
        "layout": "\\t".join(["%s"] * (1 + len(COLUMNS))) + "\\n",
        "members": " ".join(column.member for column in COLUMNS),
        "cells": [*_cells(Document(dict(document)))],
    }


def _cells(document: Document) -> Iterator[str]:
    for group in document.groups:
        yield group.name
        for column in COLUMNS:
            yield column.value(group)
