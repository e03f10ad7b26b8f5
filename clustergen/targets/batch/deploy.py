"""``submit.sh`` and ``verify.sh`` of a Batch bundle."""

from collections.abc import Sequence

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Bundle
from clustergen.plan.model import Plan, Queue
from clustergen.plan.sizes import runs_multi_node
from clustergen.targets.batch import compute_environments, names, queues, schedule
from clustergen.targets.batch.jobs import Job


def scripts(plan: Plan, jobs: Sequence[Job]) -> Bundle:
    """The scripts of an operator."""
    values = {
        "plan": plan,
        "jobs": jobs,
        "queues": {queue.name: names.queue(plan, queue) for queue in plan.queues},
        "default": names.queue(plan, _default_queue(plan)),
        "typed": _queues_by_type(plan),
        "shares": list(queues.share_identifiers(plan).values()),
        "log_group": names.log_group(plan),
        "definitions": [job.definition for job in jobs],
    }
    checked = [word for job in jobs if job.kind == "verify" for word in (job.name, job.group)]
    verify = {"checked": checked, "phases": schedule.phases(plan)}
    return (
        Artifact("submit.sh", shell.render("batch/submit.sh.j2", **values), executable=True),
        Artifact("verify.sh", shell.render("batch/verify.sh.j2", **verify), executable=True),
    )


def environment_minutes(plan: Plan) -> int:
    """How long Batch may change an environment: until jobs have ended, and nodes are renewed."""
    return 60 + max(compute_environments.update_minutes(plan, each) for each in plan.node_groups)


def _default_queue(plan: Plan) -> Queue:
    return next((queue for queue in plan.queues if queue.default), plan.queues[0])


def _queues_by_type(plan: Plan) -> dict[str, str]:
    """Queues that start multi-node jobs on a type; the default one, if it does, without a type."""
    first = _default_queue(plan)
    found = {"": names.queue(plan, first)} if all(map(runs_multi_node, first.node_groups)) else {}
    for queue in (first, *plan.queues):
        for group in filter(runs_multi_node, queue.node_groups):
            found.setdefault(group.type.name, names.queue(plan, queue))
    return found
