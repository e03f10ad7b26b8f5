"""What the README of every cluster with Slurm says to do next."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.plan.model import Database, Plan


def database(plan: Plan) -> Iterator[str]:
    """What a database that the spec names has to allow."""
    given = plan.slurm.accounting
    if isinstance(given, Database):
        yield (
            f"The network of the nodes has to reach {given.endpoint}, whose security group lets "
            f"that of the nodes in on port {given.port}"
        )
