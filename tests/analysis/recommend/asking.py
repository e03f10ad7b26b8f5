"""Needs as a user would ask for them, on a fixed day."""

import datetime
from collections.abc import Sequence
from typing import Any

from clustergen import targets
from clustergen.analysis.recommend import Need, Recommendation, recommend
from clustergen.analysis.recommend.need import everywhere, regions_of, types_of

TODAY = datetime.date(2026, 11, 22)
SLURM = ("parallelcluster", "pcs", "hyperpod-slurm")
EC2 = ("parallelcluster", "pcs", "eks")


def need(accelerator: str, count: int, days: float, region: str = "", **more: Any) -> Need:
    """The need for ``count`` accelerators; with ``none``, for cores."""
    return Need(
        what=accelerator,
        types=types_of(accelerator, count),
        count=count,
        hours=round(24 * days),
        regions=regions_of(region) if region else everywhere(),
        today=TODAY,
        targets=more.pop("services", targets.NAMES),
        **more,
    )


def shown(found: Recommendation) -> Sequence[str]:
    """Each answer in short: ``16 p5e.48xlarge capacity-block us-east-2``."""
    return [
        f"{a.offer.nodes} {a.offer.type.name} {a.offer.kind} {a.offer.region}"
        for a in found.answers
    ]


def ask(accelerator: str, count: int, days: float, region: str = "", **more: Any) -> Recommendation:
    return recommend(need(accelerator, count, days, region, **more))
