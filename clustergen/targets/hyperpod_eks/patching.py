"""Automatic security patches, as API members.

https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ClusterAutoPatchConfig.html
"""

from collections.abc import Mapping

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.aws.members import filled, present
from clustergen.services.hyperpod.options import AutoPatching
from clustergen.targets.hyperpod_eks.options import Options

_STRATEGIES: Mapping[str, str] = {
    "when-idle": "WhenIdle",
    "when-all-idle": "WhenAllIdle",
    "drain-first": "DrainFirst",
}
_ON_TIMEOUT: Mapping[str, str] = {"skip": "Skip", "force": "Force"}


def config(plan: Plan) -> Json | None:
    """``AutoPatchConfig`` of all groups; None if the spec has none."""
    given = plan.options_as(Options).auto_patching
    if given is None:
        return None
    drain = present(
        DrainTimeoutInSeconds=given.drain_timeout,
        OnDrainTimeout=_ON_TIMEOUT.get(given.on_drain_timeout or ""),
    )
    return present(
        PatchingStrategy=_STRATEGIES[given.strategy],
        DeploymentConfig=_deployment(given) or None,
        IdleWaitWindowInSeconds=given.idle_wait,
        DrainPolicy=drain or None,
    )


def _deployment(given: AutoPatching) -> Json:
    return filled(
        RollingUpdatePolicy={"MaximumBatchSize": _batch(given.batch)} if given.batch else None,
        WaitIntervalInSeconds=given.pause,
        AutoRollbackConfiguration=[{"AlarmName": name} for name in given.rollback_alarms],
    )


def _batch(text: str) -> Json:
    """``2`` is a number of nodes, ``10%`` a part of the group."""
    kind = "CAPACITY_PERCENTAGE" if text.endswith("%") else "INSTANCE_COUNT"
    return {"Type": kind, "Value": int(text.removesuffix("%"))}
