"""Effects of other users on Slurm nodes, which read them from a table. Nothing is replaced."""

from collections.abc import Iterator, Mapping

from clustergen.bundle.effects.model import Effect
from clustergen.services.slurm import accounts
from clustergen.services.slurm.users import TABLE

_CAUSE = "users"


def effects(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[Effect]:
    """For each user who comes, goes or changes; only where both bundles have the table."""
    if accounts.TABLE in old and new.get(accounts.TABLE, "") not in ("", old[accounts.TABLE]):
        text = "changes the accounts of Slurm within minutes; those that leave the table stay"
        yield Effect("in-place", accounts.TABLE, "accounts", text)
    if TABLE not in old or TABLE not in new:
        return
    before, after = _rows(old[TABLE]), _rows(new[TABLE])
    left = {row[0]: name for name, row in before.items() if name not in after}
    for name in dict.fromkeys((*before, *after)):
        earlier = left.get(after[name][0]) if name in after and name not in before else None
        if earlier:
            yield Effect("new-nodes-only", f"{TABLE}: {name}", _CAUSE, _renamed(name, earlier))
        elif text := _changed(name, before.get(name), after.get(name)):
            yield Effect("in-place", f"{TABLE}: {name}", _CAUSE, text)
    for name in before.keys() & after.keys():
        if before[name][0] != after[name][0]:
            text = (
                f"gives {name} the id {after[name][0]} on new nodes only: replace those that run, "
                "which keep the old one and report the difference"
            )
            yield Effect("new-nodes-only", f"{TABLE}: {name}", _CAUSE, text)


def _changed(name: str, old: list[str] | None, new: list[str] | None) -> str:
    if old is None:
        return f"creates {name} on all nodes within minutes, those that run included"
    if new is None:
        return f"locks {name} on nodes that run, within minutes; files, jobs and processes stay"
    if old[1:] != new[1:]:
        return f"adds the key of {name} within minutes; an earlier one stays in authorized_keys"
    return ""


def _renamed(name: str, earlier: str) -> str:
    """Nodes that run cannot have two accounts with one id."""
    return (
        f"creates {name} with the id of {earlier} on new nodes only, with a home of its own: "
        f"replace those that run, which keep {earlier} and report it. The files of {earlier} are "
        f"then those of {name}"
    )


def _rows(table: str) -> dict[str, list[str]]:
    """Id and key by name."""
    rows = (line.split(" ", 2) for line in table.splitlines() if not line.startswith("#"))
    return {row[0]: row[1:] for row in rows if len(row) > 1}
