"""``provisioning_parameters.json``, which has the roles of groups with mode: legacy.

https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html
"""

from typing import Any

from clustergen.plan.model import Database, Lustre, OpenZfs, Plan
from clustergen.services.aws import references
from clustergen.services.hyperpod import steps
from clustergen.targets.hyperpod_slurm.options import Options

VERSION = "1.0.0"


def parameters(plan: Plan) -> dict[str, Any]:
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
