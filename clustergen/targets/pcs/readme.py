"""The values of the page about PCS in the README."""

from typing import Any

from clustergen.plan.model import Plan
from clustergen.services.monitoring.sources import reservations
from clustergen.services.slurm import collecting
from clustergen.services.slurm import readme as slurm
from clustergen.targets.pcs import cluster, images, lifecycle, logs, subnets


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/pcs/readme.md.j2``."""
    return {
        **slurm.values(plan),
        "size": cluster.size(plan),
        "log_groups": logs.NAMES,
        "newest_image": bool(images.newest(plan)),
        "measured_by_login": bool(plan.login and reservations(plan) and collecting.wanted(plan)),
        "public_login": subnets.login_is_public(plan),
        "users_with_key": any(user.ssh_key for user in plan.users),
        # Login nodes follow the table of accounts.
        "accounts_by_hand": not plan.login and lifecycle.accounts_script(plan) is not None,
    }
