"""What only EKS has: ``targets.eks``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.plan import model


@dataclass(frozen=True, slots=True)
class Options(model.Options):
    """See :class:`clustergen.spec.targets.Eks`."""

    install: Literal["script", "stack"]
    deletion_protection: bool
