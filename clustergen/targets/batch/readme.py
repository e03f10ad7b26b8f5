"""The values of the page about AWS Batch in the README."""

from typing import Any

from clustergen.plan.model import Plan
from clustergen.plan.sizes import runs_multi_node
from clustergen.targets.batch import compute_environments, images, jobs, names, queues


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/batch/readme.md.j2``."""
    groups = plan.node_groups
    return {
        "first_job": jobs.every(plan)[0].name,
        "idle_minutes": compute_environments.idle_minutes(plan),
        "images_of_batch": any(not g.image and not g.type.neuron_devices for g in groups),
        "log_group": names.log_group(plan),
        "mixed_queues": _mixed_queues(plan),
        "multi_node": any(map(runs_multi_node, groups)),
        "newest_image": bool(images.newest(plan)),
        "share": next(iter(queues.share_identifiers(plan).values()), ""),
        "update_minutes": _update_minutes(plan),
        "wait_a_day": [queue.name for queue in plan.queues if queues.waits_a_day(queue)],
    }


def _mixed_queues(plan: Plan) -> list[str]:
    """Queues whose jobs of one node cannot choose among groups."""
    return [
        f"{queue.name} ({', '.join(group.name for group in queue.node_groups)})"
        for queue in plan.queues
        if queue.node_groups[1:] and not all(map(runs_multi_node, queue.node_groups))
    ]


def _update_minutes(plan: Plan) -> dict[int, list[str]]:
    """Node groups by the minutes that their jobs have when nodes are replaced."""
    times: dict[int, list[str]] = {}
    for group in plan.node_groups:
        times.setdefault(compute_environments.update_minutes(plan, group), []).append(group.name)
    return times
