"""The lifecycle scripts of a cluster, and how the request names them."""

from __future__ import annotations

from clustergen.artifacts import Bundle, Json, json_artifact
from clustergen.hyperpod import groups, scripts
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_slurm import modes, provisioning
from clustergen.targets.hyperpod_slurm.limits import PARAMETERS_FILE


def files(plan: Plan) -> Bundle:
    """The folder ``lifecycle/`` of the bundle; empty when HyperPod's own set-up is enough."""
    mode = modes.mode(plan)
    if mode == "bootstrap":
        return ()
    found = scripts.lifecycle(plan, mode)
    if mode == "legacy":
        path = f"{scripts.FOLDER}/{PARAMETERS_FILE}"
        return (*found, json_artifact(path, provisioning.parameters(plan)))
    return found


def config(plan: Plan, files: Bundle) -> Json | None:
    """``LifeCycleConfig`` of every instance group; None without ``files``."""
    if not files:
        return None
    mode, prefix = modes.mode(plan), scripts.prefix(files)
    entry = scripts.entry_point(mode)
    if mode == "extended":
        return groups.lifecycle(prefix, OnInitComplete=entry)
    return groups.lifecycle(prefix, OnCreate=entry)
