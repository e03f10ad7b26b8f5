"""Data on volumes of a cluster: it is copied, as only file systems are there for both clusters."""

from collections.abc import Iterator
from typing import Final

from clustergen.analysis.move import losses
from clustergen.analysis.move.model import Ends, Step
from clustergen.plan.model import Plan
from clustergen.services.aws import mounts
from clustergen.services.foundation import deletion

# --update: a later copy leaves what users of the new cluster have changed meanwhile.
_RSYNC: Final = "sudo rsync --archive --hard-links --acls --xattrs --update"


def there(ends: Ends) -> Iterator[Step]:
    """From the old cluster to the new one."""
    for mount in losses.volumes(ends.running):
        yield from _copy(mount, ends.running, ends.coming, "old", "new")
    yield from _homes(ends.running, ends.coming, "new")


def back(ends: Ends) -> Iterator[Step]:
    """What was written since."""
    for mount in losses.volumes(ends.running):
        if _has(ends.coming, mount) or _shared(ends.running, ends.coming):
            yield from _copy(mount, ends.coming, ends.running, "new", "old")
    if mounts.LOCAL_HOMES not in losses.volumes(ends.running):
        yield from _homes(ends.coming, ends.running, "old")


def _homes(source: Plan, target: Plan, other: str) -> Iterator[Step]:
    """Home directories on a file system that both mount, where each cluster has its own folder."""
    if source.scheduler != "slurm" or target.scheduler != "slurm" or source.existing.cluster:
        return
    here, there = (deletion.homes(plan) for plan in (source, target))
    folders = (f"{item.mount.rstrip('/')}/" for item in mounts.writable(target))
    if here != there and any(map(here.startswith, folders)):
        text = f"copy home directories, on a node of the {other} cluster"
        yield Step(text, f"{_RSYNC} {here}/ {there}/")


def _copy(mount: str, source: Plan, target: Plan, here: str, other: str) -> Iterator[Step]:
    """By way of a file system that both mount, or over the network."""
    on = "on a node of the {} cluster that has {}"
    way = _shared(source, target)
    if not way:
        yield Step(
            f"copy {mount}, {on.format(here, mount)} and reaches the {other} one by SSH; or make a "
            "snapshot of the volume, and name it in storage[].snapshot",
            f"{_RSYNC} {mount}/ ADDRESS:{mount}/",
        )
        return
    between = f"{way}/moved{mount}"
    if _has(source, mount):
        command = f"sudo mkdir -p {between} && {_RSYNC} {mount}/ {between}/"
        yield Step(f"copy {mount}, {on.format(here, mount)}", command)
    if _has(target, mount):
        command = f"{_RSYNC} {between}/ {mount}/"
        yield Step(f"copy it to {mount}, {on.format(other, mount)}", command)
    else:
        yield Step(f"tell users: what was in {mount} is in {between}")


def _has(plan: Plan, mount: str) -> bool:
    """Whether nodes of a cluster have a folder: those with users have homes."""
    homes = plan.scheduler == "slurm" and mount == mounts.LOCAL_HOMES
    return homes or any(each.mount == mount for each in plan.storage)


def _shared(one: Plan, other: Plan) -> str:
    """A file system that both clusters mount; empty if there is none."""
    known = {item.mount for item in mounts.writable(other)}
    return next((item.mount for item in mounts.writable(one) if item.mount in known), "")
