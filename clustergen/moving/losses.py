"""What does not come along when a cluster moves."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import comparison
from clustergen.features import FEATURES
from clustergen.moving.model import End
from clustergen.plan.model import Database, Ebs, Plan

SLURM = frozenset({"parallelcluster", "pcs", "hyperpod-slurm"})
_HOME = "/home"


def losses(old: End, new: End, running: Plan, coming: Plan) -> Iterator[str]:
    """Data that belongs to the old cluster, records, and features that differ."""
    yield from _data(running, old.target)
    yield from _records(running, coming, old)
    if running.scheduler == "kubernetes":
        yield "what users created in Kubernetes: apply it again from where it is kept"
    if old.target != new.target:
        yield from _features(new, old.target)


def _data(plan: Plan, old: str) -> Iterator[str]:
    for storage in plan.storage:
        if isinstance(storage, Ebs) and not storage.existing:
            yield (
                f"{storage.mount} is a volume of the old cluster: copy its data to a file system, "
                "or make a snapshot, before you destroy the cluster"
            )
    if old in SLURM and not any(storage.mount == _HOME for storage in plan.storage):
        yield "home directories are on volumes of the old cluster: copy them to a file system"
    scratch = dict.fromkeys(group.scratch for group in plan.node_groups if group.scratch)
    if scratch:
        yield f"what is on local disks of nodes: {', '.join(scratch)}"


def _records(running: Plan, coming: Plan, old: End) -> Iterator[str]:
    yield "pending jobs, and the numbers of jobs, which begin again"
    if shared_database(running, coming):
        return
    if running.slurm.accounting != "off" and old.target in SLURM:
        yield (
            f"the records of jobs: export them from {old.name} before "
            "(sacct --parsable2 --allusers)"
        )


def shared_database(running: Plan, coming: Plan) -> Database | None:
    """The accounting database in which both clusters keep their records, if there is one."""
    old, new = running.slurm.accounting, coming.slurm.accounting
    if not isinstance(old, Database) or not isinstance(new, Database):
        return None
    same = old.endpoint == new.endpoint and _schema(old, running) == _schema(new, coming)
    return new if same and {running.target, coming.target} <= SLURM else None


def _schema(database: Database, plan: Plan) -> str:
    """Its name on the server: ParallelCluster names it after the cluster by default."""
    return database.database or (plan.name if plan.target == "parallelcluster" else "")


def _features(new: End, old: str) -> Iterator[str]:
    both = comparison.compare("", new.checked, [old, new.target]).standings
    known = {standing.target.name: standing for standing in both}
    for feature in FEATURES:
        now, then = (known[name].answer(feature) for name in (old, new.target))
        if then and then.level in ("partial", "none") and (not now or now.level != then.level):
            yield f"{feature.title}: {then.how}"
