"""What another uid does to the files of a user: they keep the number."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import count

from clustergen.bundle.effects import Effect
from clustergen.plan.model import Ebs, Plan, User


def effects(old: Plan | None, new: Plan | None) -> Iterator[Effect]:
    """For each user with another uid; bundles alone do not say who had which."""
    if old is None or new is None:
        return
    before = {user.name: user.uid for user in old.users}
    owners = {user.uid: user.name for user in new.users}
    for user in new.users:
        had = before.get(user.name, user.uid)
        if had != user.uid:
            heir = owners.get(had)
            theirs = f"which is now {heir}'s" if heir else "which the next user with it owns"
            free = _step(had, new.users, before)
            text = (
                f"gives {user.name} the uid {user.uid} instead of {had}: files keep the number "
                f"{had}, {theirs}. On a node, as root: {_chown(new, had, free or user.uid)}"
            )
            if free:
                text += f"; once all users have theirs: {_chown(new, free, user.uid)}"
            yield Effect("leftover", f"user {user.name}", "users", text)


def _step(had: int, users: Sequence[User], before: Mapping[str, int]) -> int:
    """A free uid for files on the way, where another user comes to the uid; else 0.

    After the first of two commands that swap uids, nothing tells whose files are whose.
    """
    moves = {before.get(user.name, user.uid): user.uid for user in users}
    if moves[had] not in moves or moves[moves[had]] == moves[had]:
        return 0
    taken = {*moves, *moves.values()}
    order = [uid for uid, to in moves.items() if uid != to]
    return next(n for n in count(max(taken) + 1 + order.index(had)) if n not in taken)


def _chown(plan: Plan, old: int, new: int) -> str:
    mounts = [each.mount for each in plan.storage if not isinstance(each, Ebs)]
    places = " ".join(dict.fromkeys(("/home", *mounts)))
    return f"find {places} -xdev -uid {old} -exec chown -h {new}:{new} {{}} +"
