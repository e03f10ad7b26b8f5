"""The lifecycle scripts of a cluster, how the request names them, and the tables that they read."""

import functools

from clustergen.base.artifacts import Bundle, Json, json_artifact
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import groups, scripts
from clustergen.services.hyperpod.limits import PARAMETERS_FILE
from clustergen.services.slurm import accounts, tables, timetable, users
from clustergen.targets.hyperpod_slurm import modes, provisioning


# The request, deploy.sh and the bundle's README use the hash of the files.
@functools.lru_cache(maxsize=8)
def files(plan: Plan) -> Bundle:
    """The folder ``lifecycle/`` of the bundle; empty if HyperPod's node set-up is enough, and if
    the user has scripts of their own."""
    mode = modes.mode(plan)
    if mode == "bootstrap" or modes.options(plan).lifecycle:
        return ()
    found = scripts.lifecycle(plan, mode)
    if mode == "legacy":
        path = f"{scripts.FOLDER}/{PARAMETERS_FILE}"
        return (*found, json_artifact(path, provisioning.parameters(plan)))
    return found


def config(plan: Plan) -> Json | None:
    """``LifeCycleConfig`` of all instance groups; None without scripts."""
    if own := modes.options(plan).lifecycle:
        return own.config
    found = files(plan)
    if not found:
        return None
    mode, prefix = modes.mode(plan), scripts.prefix(found)
    entry = scripts.entry_point(mode)
    if mode == "extended":
        return groups.lifecycle(prefix, OnInitComplete=entry)
    return groups.lifecycle(prefix, OnCreate=entry)


def followed(plan: Plan) -> Bundle:
    """The tables that nodes read regularly.

    The controller follows the timetable; that of an existing cluster runs no script of ours.
    """
    found = files(plan)
    has_accounts = any(each.path.endswith(f"/{accounts.NAME}") for each in found)
    return tables.made(
        timetable.table(plan, lambda _: "") if plan.creates_cluster else None,
        users.table(plan) if found else None,
        accounts.table(plan) if has_accounts else None,
    )
