"""What does not come along when a cluster moves."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import comparison
from clustergen.compiler import Checked
from clustergen.features import FEATURES
from clustergen.plan.model import Ebs, Plan

SLURM = frozenset({"parallelcluster", "pcs", "hyperpod-slurm"})
_HOME = "/home"


def losses(before: Checked, after: Checked, old: str, new: str) -> Iterator[str]:
    """Data that belongs to the old cluster, records, and features that differ."""
    running, coming = before.plans.get(old) or after.plans[old], after.plans[new]
    yield from _data(running, old)
    yield from _records(running, coming, old)
    yield from _features(after, old, new)


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


def _records(running: Plan, coming: Plan, old: str) -> Iterator[str]:
    yield "pending jobs, and the numbers of jobs, which begin again"
    database = getattr(running.slurm.accounting, "endpoint", None)
    if database and database == getattr(coming.slurm.accounting, "endpoint", None):
        return
    if running.slurm.accounting != "off" and old in SLURM:
        yield f"the records of jobs: export them from {old} before (sacct --parsable2 --allusers)"


def _features(after: Checked, old: str, new: str) -> Iterator[str]:
    both = comparison.compare("", after, [old, new]).standings
    known = {standing.target.name: standing for standing in both}
    for feature in FEATURES:
        now, then = (known[name].answer(feature) for name in (old, new))
        if then and then.level in ("partial", "none") and (not now or now.level != then.level):
            yield f"{feature.title}: {then.how}"
