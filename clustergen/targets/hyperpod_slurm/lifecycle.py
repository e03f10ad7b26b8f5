"""The lifecycle scripts of a cluster, how the request names them, and the tables that they read."""

import functools
from typing import Any

from clustergen.base.artifacts import Bundle, Json, json_artifact
from clustergen.plan.model import Database, Lustre, OpenZfs, Plan
from clustergen.services.aws import references
from clustergen.services.hyperpod import groups, scripts, steps
from clustergen.services.hyperpod.limits import PARAMETERS_FILE
from clustergen.services.slurm import accounts, tables, timetable, users
from clustergen.targets.hyperpod_slurm import modes
from clustergen.targets.hyperpod_slurm.options import Options


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
        return (*found, json_artifact(path, _parameters(plan)))
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


VERSION = "1.0.0"


def _parameters(plan: Plan) -> dict[str, Any]:
    """The file, with placeholders for outputs of the foundation."""
    options = plan.options_as(Options)
    return {
        "version": VERSION,
        "workload_manager": "slurm",
        "controller_group": options.controller_group,
        **({"login_group": options.login_group} if plan.login else {}),
        "worker_groups": [
            {"instance_group_name": group.name, "partition_name": queue.name}
            for group in plan.node_groups
            for queue in plan.queues
            if group in queue.node_groups
        ],
        **_file_systems(plan),
        **_several(plan),
    }


def _file_systems(plan: Plan) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in plan.storage:
        if isinstance(item, Lustre) and "fsx_dns_name" not in found:
            found["fsx_dns_name"] = references.text(item.dns_name)
            found["fsx_mountname"] = references.text(item.mount_name or "")
        elif isinstance(item, OpenZfs) and "fsx_openzfs_dns_name" not in found:
            found["fsx_openzfs_dns_name"] = references.text(item.dns_name)
    return found


def _several(plan: Plan) -> dict[str, Any]:
    """Settings of several controllers, which share a database and a folder."""
    given, folder = plan.slurm.accounting, steps.shared_by_controllers(plan)
    if not folder or not isinstance(given, Database):
        return {}
    return {
        "slurm_configurations": {
            "slurm_database_secret_arn": given.secret,
            "slurm_database_endpoint": given.endpoint,
            "slurm_shared_directory": folder,
            "slurm_database_user": given.user,
        }
    }
