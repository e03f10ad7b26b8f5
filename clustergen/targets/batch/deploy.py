"""``deploy.sh``, ``submit.sh`` and ``verify.sh`` of a Batch bundle."""

from __future__ import annotations

from collections.abc import Sequence

from clustergen import foundation, shell
from clustergen.artifacts import Artifact, Bundle
from clustergen.plan.model import Plan
from clustergen.targets.batch import images, names, nodes, queues, schedule, user_data
from clustergen.targets.batch.jobs import Job


def scripts(plan: Plan, jobs: Sequence[Job], parameters: Sequence[str]) -> Bundle:
    """The scripts of an operator; ``parameters`` of the template are outputs of the foundation."""
    values = {
        "plan": plan,
        "jobs": jobs,
        "queues": {queue.name: names.queue(plan, queue) for queue in plan.queues},
        "default": _default_queue(plan),
        "shares": list(queues.share_identifiers(plan).values()),
        "log_group": names.log_group(plan),
        "definitions": [job.definition for job in jobs],
    }
    deploy = {
        **foundation.frame(plan),
        **values,
        "uploads": [script.key for script in user_data.used(plan)],
        "parameters": list(parameters),
        "images": list(images.newest(plan).items()),
        "multi_node": any(nodes.runs_multi_node(group) for group in plan.node_groups),
        "job_queues": True,
        **schedule.values(plan),
    }
    return tuple(
        Artifact(name, shell.render(f"batch/{name}.j2", **given), executable=True)
        for name, given in (("deploy.sh", deploy), ("submit.sh", values), ("verify.sh", values))
    )


def _default_queue(plan: Plan) -> str:
    found = next((queue for queue in plan.queues if queue.default), plan.queues[0])
    return names.queue(plan, found)
