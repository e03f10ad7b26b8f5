"""The values of what the README of every Slurm target says."""

from typing import Any

from clustergen.plan.model import Database, Plan
from clustergen.services.aws import mounts
from clustergen.services.slurm import accounts


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/slurm/readme.md.j2``."""
    accounting = plan.slurm.accounting
    return {
        "accounts_enforced": accounts.is_enforced(plan),
        "database": accounting if isinstance(accounting, Database) else None,
        "shared_folder": mounts.shared(plan),
        "queues": [queue.name for queue in plan.queues],
    }
