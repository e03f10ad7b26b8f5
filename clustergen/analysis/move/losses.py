"""What does not come along when a cluster moves."""

from collections.abc import Iterator

from clustergen.analysis import compare
from clustergen.analysis.move.model import End
from clustergen.plan.features import FEATURES
from clustergen.plan.model import Database, Ebs, Plan
from clustergen.services.aws import mounts
from clustergen.services.foundation import deletion

SLURM = frozenset({"parallelcluster", "pcs", "hyperpod-slurm"})


def losses(old: End, new: End, running: Plan, coming: Plan) -> Iterator[str]:
    """Data that belongs to the old cluster, records, and features that differ."""
    yield from data(running)
    yield from _users(running, coming)
    yield from _jobs(running, coming)
    if running.scheduler == "kubernetes":
        yield "what users created in Kubernetes: apply it again from where it is kept"
        yield (
            "claims of pods on EBS volumes (kubectl get pvc --all-namespaces): copy their data to "
            "a file system"
        )
    if old.target != new.target:
        yield from _settings(old, new)
        yield from _features(new, old.target)


def data(plan: Plan) -> Iterator[str]:
    """What is on volumes of the cluster and its nodes, and has to be copied."""
    for mount in volumes(plan):
        if mount == mounts.LOCAL_HOMES:
            yield "home directories are on volumes of the old cluster: the steps copy them"
        else:
            yield f"{mount} is a volume of the old cluster: the steps copy its data"
    if scratch := local(plan):
        yield f"what is on local disks of nodes: {scratch}"


def volumes(plan: Plan) -> list[str]:
    """The folders with data that only the cluster has."""
    found = [each.mount for each in plan.storage if isinstance(each, Ebs) and not each.existing]
    homes = (
        plan.scheduler == "slurm" and not plan.existing.cluster and not deletion.homes_stay(plan)
    )
    return [*found, *([mounts.LOCAL_HOMES] if homes else [])]


def local(plan: Plan) -> str:
    """The mounts of local disks."""
    found = dict.fromkeys(group.scratch for group in plan.node_groups if group.scratch)
    return ", ".join(each for each in found if each)


def _users(running: Plan, coming: Plan) -> Iterator[str]:
    """Files keep the numbers of their owners."""
    if running.scheduler != "slurm":
        return
    if coming.scheduler == "slurm":
        yield (
            "users and groups that someone added by hand: write them to `users` with the uid that "
            "they have (getent passwd), as files keep the numbers of their owners"
        )
    elif coming.storage:
        yield (
            "users: files keep the numbers of their owners, so let containers run as these "
            "(`id` shows them)"
        )


def _jobs(running: Plan, coming: Plan) -> Iterator[str]:
    if running.scheduler != coming.scheduler:
        yield "pending jobs: rewrite them, or let them start first"
    elif running.scheduler == "slurm":
        yield "pending jobs, and job numbers, which begin at 1 again"
    else:
        yield "pending jobs"
    if has_records(running, coming):
        yield "the records of jobs, which stay in the accounting of the old cluster: export them"


def has_records(running: Plan, coming: Plan) -> bool:
    """Whether records of jobs go with the old cluster."""
    kept = running.scheduler == "slurm" and running.slurm.accounting != "off"
    return kept and not running.existing.cluster and shared_database(running, coming) is None


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


def _settings(old: End, new: End) -> Iterator[str]:
    """What the section of the old target has, and that of the new one lacks."""
    before, after = (_section(end.checked.data, end.target) for end in (old, new))
    if only := [name for name in before if name not in after]:
        yield (
            f"settings only under targets.{old.target}: {', '.join(only)}. Write what the new "
            f"cluster needs of them under targets.{new.target}"
        )


def _section(data: object, target: str) -> dict[str, object]:
    named = data.get("targets") if isinstance(data, dict) else None
    section = named.get(target) if isinstance(named, dict) else None
    return section if isinstance(section, dict) else {}


def _features(new: End, old: str) -> Iterator[str]:
    both = compare.compare("", new.checked, [old, new.target]).standings
    known = {standing.target.name: standing for standing in both}
    for feature in FEATURES:
        now, then = (known[name].answer(feature) for name in (old, new.target))
        if then and then.level in ("partial", "none") and (not now or now.level != then.level):
            yield f"{feature.title}: {then.how}"
