"""The table of endpoints in the guide is that of the catalog."""

from __future__ import annotations

import re
from pathlib import Path

from clustergen import targets
from clustergen.catalog.endpoints import EVERYWHERE, NEEDED, Endpoints

GUIDE = Path(__file__).parents[2] / "docs" / "how-to" / "private-network.md"
METRICS = ("metrics in CloudWatch", "managed Prometheus")
"""A paragraph below the table has those of targets with Slurm."""


def names(services: tuple[str, ...]) -> str:
    return ", ".join(f"`{service}`" for service in services)


def row(title: str, needed: Endpoints, hidden: tuple[str, ...]) -> str:
    used = [
        f"{names(services)} ({use})" for use, services in needed.used.items() if use not in hidden
    ]
    cells = (title, names(needed.always), ", ".join(used))
    return "|" + "|".join(f" {cell} " if cell else " " for cell in cells) + "|"


def test_the_guide_has_the_endpoints_of_every_target() -> None:
    assert tuple(NEEDED) == tuple(targets.NAMES)
    slurm = ("parallelcluster", "pcs", "hyperpod-slurm")
    rows = [
        row(f"`{target}`", needed, METRICS if target in slurm else ())
        for target, needed in NEEDED.items()
    ]
    rows.append(row("all", Endpoints((), EVERYWHERE), ()))
    written = GUIDE.read_text(encoding="utf-8")
    found = [line for line in written.splitlines() if re.match(r"\| (`[a-z-]+`|all) \|", line)]
    assert found == rows
