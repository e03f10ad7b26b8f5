"""Options of EKS: ``targets.eks``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.plan import model


@dataclass(frozen=True, slots=True)
class Options(model.Options):
    """See :class:`clustergen.spec.targets.Eks`."""

    install: Literal["script", "stack"]
    deletion_protection: bool

    @property
    def by_stack(self) -> bool:
        """Whether the stack installs the software, which needs CDK assets."""
        return self.install == "stack"
