"""Options of PCS: ``targets.pcs``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from clustergen.plan import model
from clustergen.plan.model import Plan
from clustergen.targets.pcs import limits


@dataclass(frozen=True, slots=True)
class Options(model.Options):
    """See :class:`clustergen.spec.targets.Pcs`."""

    size: Literal["auto", "small", "medium", "large"]
    rest: bool
    key_name: str | None
    purge_accounting: int | None
    """Time in seconds."""

    def resolved(self, plan: Plan) -> Mapping[str, tuple[Any, str]]:
        """See :meth:`clustergen.plan.model.Options.resolved`."""
        smallest = limits.smallest_size(managed_nodes(plan))
        if self.size != "auto" or smallest is None:
            return {}
        return {"size": (smallest.name.lower(), f"the smallest for {managed_nodes(plan)} nodes")}


def managed_nodes(plan: Plan) -> int:
    """Instances that count against the controller's size, including login nodes."""
    return plan.max_nodes + (plan.login.count if plan.login else 0)
