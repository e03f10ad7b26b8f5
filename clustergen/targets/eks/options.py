"""Options of EKS: ``targets.eks``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clustergen.aws import launch_templates


@dataclass(frozen=True, slots=True)
class Options(launch_templates.Options):
    """See :class:`clustergen.spec.targets.Eks`."""

    install: Literal["script", "stack"]
    deletion_protection: bool

    @property
    def by_stack(self) -> bool:
        """Whether the stack installs the software, which needs CDK assets."""
        return self.install == "stack"
