"""The lifecycle scripts of a cluster, and what the request says of them."""

from __future__ import annotations

from clustergen.artifacts import Artifact, json_artifact
from clustergen.hyperpod import groups, scripts
from clustergen.hyperpod.request import Lifecycle
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm import modes, provisioning
from clustergen.targets.hyperpod_slurm.limits import PARAMETERS_FILE

ON_CREATE = "on_create.sh"
ON_INIT_COMPLETE = "on_init_complete.sh"


def files(plan: Plan) -> tuple[Artifact, ...]:
    """The folder ``lifecycle/`` of the bundle; empty when HyperPod's own set-up is enough."""
    mode = modes.mode(plan)
    if mode == "bootstrap":
        return ()
    if mode == "legacy":
        parameters = json_artifact(f"lifecycle/{PARAMETERS_FILE}", provisioning.parameters(plan))
        return (*scripts.lifecycle(plan, "slurm", "legacy"), parameters)
    return scripts.lifecycle(plan, "slurm", "api" if mode == "extended" else mode)


def config(plan: Plan) -> Lifecycle | None:
    """What every instance group says of its scripts."""
    found = files(plan)
    if not found:
        return None
    prefix = scripts.prefix(found)
    if modes.mode(plan) == "extended":
        return groups.lifecycle(prefix, on_init_complete=ON_INIT_COMPLETE)
    return groups.lifecycle(prefix, on_create=ON_CREATE)
