"""The lifecycle scripts of a cluster, and what the request says of them."""

from __future__ import annotations

from clustergen.artifacts import Artifact, json_artifact
from clustergen.hyperpod import groups, scripts
from clustergen.hyperpod.request import Lifecycle
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm import modes, provisioning
from clustergen.targets.hyperpod_slurm.limits import PARAMETERS_FILE


def files(plan: Plan) -> tuple[Artifact, ...]:
    """The folder ``lifecycle/`` of the bundle; empty when HyperPod's own set-up is enough."""
    mode = modes.mode(plan)
    if mode == "bootstrap":
        return ()
    found = scripts.lifecycle(plan, "slurm", modes.options(plan).mode)
    if mode == "legacy":
        path = f"{scripts.FOLDER}/{PARAMETERS_FILE}"
        return (*found, json_artifact(path, provisioning.parameters(plan)))
    return found


def config(plan: Plan) -> Lifecycle | None:
    """What every instance group says of its scripts."""
    found = files(plan)
    if not found:
        return None
    prefix = scripts.prefix(found)
    entry = scripts.entry_point("slurm", modes.options(plan).mode)
    if modes.mode(plan) == "extended":
        return groups.lifecycle(prefix, on_init_complete=entry)
    return groups.lifecycle(prefix, on_create=entry)
