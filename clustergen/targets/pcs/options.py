"""Options of PCS: ``targets.pcs``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.plan import model


@dataclass(frozen=True, slots=True)
class Options(model.Options):
    """See :class:`clustergen.spec.targets.Pcs`."""

    size: Literal["auto", "small", "medium", "large"]
    rest: bool
    purge_accounting: int | None
    """Time in seconds."""
