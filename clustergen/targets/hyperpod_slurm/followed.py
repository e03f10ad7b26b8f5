"""The tables that nodes of the bundle read regularly."""

from __future__ import annotations

from clustergen.base.artifacts import Bundle
from clustergen.plan.model import Plan
from clustergen.services.slurm import accounts, tables, timetable, users
from clustergen.targets.hyperpod_slurm import lifecycle


def files(plan: Plan) -> Bundle:
    """The controller follows the timetable; that of an existing cluster runs no script of ours."""
    scripts = lifecycle.files(plan)
    has_accounts = any(each.path.endswith(f"/{accounts.NAME}") for each in scripts)
    return tables.made(
        timetable.table(plan, lambda _: "") if plan.creates_cluster else None,
        users.table(plan) if scripts else None,
        accounts.table(plan) if has_accounts else None,
    )
