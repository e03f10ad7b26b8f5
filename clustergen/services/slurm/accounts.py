"""Slurm accounts, shares and QOS: who may submit jobs if accounting is enforced.

They are in a table, so that a new user changes no script of the node that creates them.
"""

import functools
from collections.abc import Iterator, Sequence

from clustergen.base import shell
from clustergen.base.artifacts import Artifact
from clustergen.plan import slurm
from clustergen.plan.model import Account, Plan
from clustergen.services.slurm import tables

NAME = "accounts.sh"
TABLE = tables.ACCOUNTS

_ENFORCES = frozenset({"associations", "limits", "nojobs", "nosteps", "qos", "safe", "wckeys"})
"""Values of AccountingStorageEnforce with which jobs need an account."""


def needed(plan: Plan) -> bool:
    """Whether jobs need accounts that the service does not create."""
    return plan.slurm.accounting != "off" and bool(
        plan.slurm.accounts or plan.slurm.qos or is_enforced(plan)
    )


def is_enforced(plan: Plan) -> bool:
    """Whether Slurm rejects jobs of users without an account."""
    return bool(enforced(plan) & (_ENFORCES | {"all", "1", "2"}))


def enforced(plan: Plan) -> set[str]:
    """What the settings have Slurm enforce."""
    return {
        value
        for setting in slurm.written(plan)
        if setting.scope == "cluster" and setting.key == "accountingstorageenforce"
        for value in setting.value.lower().split(",")
    }


def accounts(plan: Plan) -> Iterator[Account]:
    """The accounts of a cluster, parents first.

    The last one is the cluster's: it has the users of the spec without another account, and the
    user of the image, who could not submit otherwise.
    """
    given = plan.slurm.accounts
    known: set[str | None] = {None}
    waiting = list(given)
    while ready := [account for account in waiting if account.parent in known]:
        yield from ready
        known |= {account.name for account in ready}
        waiting = [account for account in waiting if account not in ready]
    members = {user for account in given for user in account.users}
    users = [user.name for user in plan.users if user.name not in members]
    name = plan.name.lower()
    if image_user(plan) not in members:
        users.append(image_user(plan))
    if users and name not in known:
        qos = () if given else tuple(qos.name for qos in plan.slurm.qos)
        yield Account(("name",), name, None, 1, tuple(users), qos)


def image_user(plan: Plan) -> str:
    limits, os = plan.limits.users, plan.software.os
    by_family = {"ubuntu": "ubuntu", "rocky": "rocky"}
    usual = by_family.get(os.rstrip("0123456789"), "ec2-user")
    return limits.default.get(os, usual) if limits else usual


def table(plan: Plan) -> Artifact:
    """The table that deploy.sh uploads."""
    return tables.counted(TABLE, list(_lines(plan)))


def _lines(plan: Plan) -> Iterator[str]:
    """What refers to another line comes after it."""
    for qos in plan.slurm.qos:
        yield f"qos {qos.name} {qos.priority}"
    for qos in plan.slurm.qos:
        yield f"preempts {qos.name} {_list(qos.preempts)}"
    for each in accounts(plan):
        parent = each.parent or "root"
        yield f"account {each.name} {parent} {each.fair_share} {_list(each.qos)}"
        yield from (f"user {user} {each.name}" for user in each.users)


def _list(names: Sequence[str]) -> str:
    return ",".join(names) or "-"


@functools.lru_cache(maxsize=8)
def script(*, several: bool = False, slurm_bin: str = "/opt/slurm/bin") -> str:
    """The script that creates what the table has; it is idempotent.

    With ``several`` controllers, only the first one does it. ``slurm_bin`` has commands of the
    controller's version: it rejects newer ones (https://slurm.schedmd.com/upgrades.html).
    """
    return shell.render(f"slurm/{NAME}.j2", several=several, slurm_bin=slurm_bin, linger=0)
