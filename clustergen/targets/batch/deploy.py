"""``deploy.sh``, ``submit.sh`` and ``verify.sh`` of a Batch bundle."""

from __future__ import annotations

from collections.abc import Sequence

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Bundle, Json
from clustergen.plan.model import Plan, Queue
from clustergen.plan.sizes import runs_multi_node
from clustergen.services import foundation
from clustergen.services.aws import cfn, consent
from clustergen.targets.batch import (
    compute_environments,
    images,
    names,
    queues,
    schedule,
    user_data,
)
from clustergen.targets.batch.jobs import Job


def scripts(plan: Plan, jobs: Sequence[Job], document: Json, adopted: Sequence[str] = ()) -> Bundle:
    """The scripts of an operator; ``document`` is the template with the user's overlay.

    ``adopted`` is what the template has of an adopted stack.
    """
    known = foundation.outputs(plan)
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
    times = schedule.values(plan)
    deploy = {
        **foundation.frame(plan),
        "adopted": list(adopted),
        **values,
        "uploads": [script.key for script in user_data.used(plan)],
        "parameters": [name for name in document.get("Parameters", {}) if name in known],
        "log_groups": cfn.log_groups(document),
        "images": list(images.newest(plan).items()),
        "multi_node": any(runs_multi_node(group) for group in plan.node_groups),
        "job_queues": True,
        "environment_minutes": _environment_minutes(plan),
        **consent.of_nodes("AWS::Batch::ComputeEnvironment", "vCPUs of nodes"),
        **times,
    }
    checked = [word for job in jobs if job.kind == "verify" for word in (job.name, job.group)]
    verify = {"checked": checked, "phases": times["phases"]}
    return tuple(
        Artifact(name, shell.render(f"batch/{name}.j2", **given), executable=True)
        for name, given in (("deploy.sh", deploy), ("submit.sh", values), ("verify.sh", verify))
    )


def _environment_minutes(plan: Plan) -> int:
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
