"""How security patches reach the nodes, in the words of the request."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from clustergen.hyperpod.request import Batch, Patching
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks.options import Options

_STRATEGIES: Mapping[str, Literal["WhenIdle", "WhenAllIdle", "DrainFirst"]] = MappingProxyType(
    {"when-idle": "WhenIdle", "when-all-idle": "WhenAllIdle", "drain-first": "DrainFirst"}
)
_ON_TIMEOUT: Mapping[str, Literal["Skip", "Force"]] = MappingProxyType(
    {"skip": "Skip", "force": "Force"}
)


def of(plan: Plan) -> Patching | None:
    """The patching of every group; None where people patch by hand."""
    given = plan.options_as(Options).auto_patching
    if given is None:
        return None
    return Patching(
        strategy=_STRATEGIES[given.strategy],
        idle_wait=given.idle_wait,
        batch=_batch(given.batch) if given.batch else None,
        pause=given.pause,
        drain_timeout=given.drain_timeout,
        on_drain_timeout=_ON_TIMEOUT.get(given.on_drain_timeout or ""),
        alarms=tuple(given.rollback_alarms),
    )


def _batch(text: str) -> Batch:
    """``2`` is a number of nodes, ``10%`` a part of the group."""
    return Batch(int(text.removesuffix("%")), percent=text.endswith("%"))
