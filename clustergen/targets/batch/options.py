"""Options of AWS Batch: ``targets.batch``."""

from __future__ import annotations

from dataclasses import dataclass

from clustergen.plan import model


@dataclass(frozen=True, slots=True)
class Options(model.Options):
    """See :class:`clustergen.spec.targets.Batch`."""

    image: str | None
    """Container image of the training jobs."""
