"""Tables that nodes read from the scripts bucket regularly.

They are at fixed keys and not part of any script, so that a changed table replaces no node.
"""

from collections.abc import Sequence

from clustergen.base.artifacts import Artifact, Bundle
from clustergen.deployment.model import Table
from clustergen.plan.model import Plan

TIMETABLE, USERS, ACCOUNTS = "timetable.tsv", "users.tsv", "accounts.tsv"

_END = "# end {}"
"""The last line, with the number of the others: a table that was cut off lacks it."""
_EMPTY = {TIMETABLE: "", USERS: _END.format(0), ACCOUNTS: _END.format(0)}
"""What takes the place of a table that the bundle no longer has: nodes may still follow it."""


def key(plan: Plan, table: str) -> str:
    """The key of a table in the scripts bucket; targets may share the bucket."""
    return f"clusters/{plan.name}/{plan.target}-{table}"


def counted(table: str, rows: Sequence[str], *header: str) -> Artifact:
    """A table whose last line counts its rows."""
    return Artifact(table, "\n".join([*header, *rows, _END.format(len(rows))]) + "\n")


def made(*tables: Artifact | None) -> Bundle:
    return tuple(table for table in tables if table)


def described(plan: Plan, found: Bundle) -> tuple[Table, ...]:
    """The tables for ``bundle.json``; ``found`` are those of the bundle."""
    names = {table.path for table in found}
    return tuple(
        Table(key(plan, name), name if name in names else "", "" if name in names else empty)
        for name, empty in _EMPTY.items()
    )
