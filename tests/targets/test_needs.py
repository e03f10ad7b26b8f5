"""The table of endpoints in the guide has those that targets need."""

import re

from clustergen import targets
from clustergen.facts.catalog.endpoints import EVERYWHERE, Endpoints
from clustergen.targets.needs import NEEDS
from tests.support.paths import DOCS

GUIDE = DOCS / "how-to" / "private-network.md"
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
    assert tuple(NEEDS) == tuple(targets.NAMES)
    slurm = ("parallelcluster", "pcs", "hyperpod-slurm")
    hosts = {target: METRICS if target in slurm else () for target in NEEDS}
    rows = [row(f"`{name}`", needs.endpoints, hosts[name]) for name, needs in NEEDS.items()]
    rows.append(row("all", Endpoints((), EVERYWHERE), ()))
    written = GUIDE.read_text(encoding="utf-8")
    found = [line for line in written.splitlines() if re.match(r"\| (`[a-z-]+`|all) \|", line)]
    assert found == rows
