"""Users of Slurm nodes: the script that creates them, and the table that it follows."""

import functools

from clustergen.base import shell
from clustergen.base.artifacts import Artifact
from clustergen.plan.model import Plan, User
from clustergen.services.slurm import tables

NAME = "users.sh"
TABLE = tables.USERS

_HEADER = "# name uid ssh-key"


def wanted(plan: Plan) -> bool:
    """Whether nodes create users."""
    return bool(plan.users)


def table(plan: Plan) -> Artifact | None:
    """The table that deploy.sh uploads; None without users."""
    if not wanted(plan):
        return None
    return tables.counted(TABLE, [_line(user) for user in plan.users], _HEADER)


def _line(user: User) -> str:
    words = (user.ssh_key or "-").split()
    key = "".join(each for each in " ".join(words) if each.isprintable())
    return f"{user.name} {user.uid} {key}"


@functools.lru_cache(maxsize=8)
def script(*, docker: bool, linger: int) -> str:
    """The script; with ``docker``, users are members of the group docker."""
    return shell.render(f"shared/{NAME}.j2", docker=docker, linger=linger)
