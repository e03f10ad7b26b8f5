"""The bundle of AWS Batch: a CloudFormation template, scripts of nodes, job definitions."""

from collections.abc import Iterator, Sequence
from typing import Any

from clustergen.base import shell
from clustergen.base.artifacts import Artifact, Bundle, Json
from clustergen.deployment.kinds import Batch
from clustergen.deployment.model import OfTarget, Source
from clustergen.plan.model import Plan, Queue
from clustergen.plan.sizes import runs_multi_node
from clustergen.services import foundation, mirror
from clustergen.services.aws import cfn, logs, marks
from clustergen.services.aws.launch_templates import PLACEMENT_GROUP
from clustergen.targets.batch import (
    compute_environments,
    images,
    jobs,
    launch_template,
    names,
    queues,
    roles,
    schedule,
    user_data,
)
from clustergen.targets.batch.jobs import Job

TEMPLATE = "cluster.template.json"


def document(plan: Plan) -> Json:
    """The CloudFormation template of a plan without errors."""
    resources, outputs = dict(_resources(plan)), dict(_outputs(plan))
    known = cfn.parameters({**resources, **outputs}, foundation.outputs(plan))
    return cfn.template(
        marks.descriptions(plan)["batch"],
        resources,
        parameters={**known, **images.parameters(plan)},
        outputs=outputs,
    )


def emit(plan: Plan, document: Json) -> Bundle:
    """All files of the cluster; ``document`` is its template with the user's overlay."""
    made = jobs.every(plan)
    definitions = [job.artifact for job in made]
    return (
        marks.artifact(TEMPLATE, document, plan),
        *(script.artifact for script in user_data.used(plan)),
        *definitions,
        *mirror.files(plan, definitions),
        *schedule.files(plan),
        *_operator_scripts(plan, made),
    )


def deployment(plan: Plan, document: Json) -> OfTarget:
    """What ``bundle.json`` says of the target."""
    made = jobs.every(plan)
    return OfTarget(
        service=Batch(
            log_group=names.log_group(plan),
            definitions=tuple(job.definition for job in made),
            minutes=_environment_minutes(plan),
            share=next(iter(queues.share_identifiers(plan).values()), ""),
            multi_node=any(runs_multi_node(group) for group in plan.node_groups),
            dated=schedule.dated(plan),
        ),
        sources={
            **{name: Source(image=path) for name, path in images.newest(plan).items()},
            **schedule.sources(plan),
        },
        uploads={s.key: s.artifact.path for s in user_data.used(plan)},
        periods=schedule.periods(plan),
        adopted=marks.adopted(document, marks.descriptions(plan)["batch"]),
        billed=("and nodes until their jobs end",),
    )


def _resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    yield from roles.resources(plan)
    yield names.LOG_GROUP, logs.group(plan, names.log_group(plan), "Retain")
    for group in plan.node_groups:
        if group.placement.kind == "cluster":
            yield names.placement_group(group), PLACEMENT_GROUP
        yield names.launch_template(group), launch_template.resource(plan, group)
        yield names.compute_environment(group), compute_environments.resource(plan, group)
    if plan.slurm.accounts:
        yield names.SCHEDULING_POLICY, queues.policy(plan)
    for queue in plan.queues:
        yield names.queue_id(queue), queues.resource(plan, queue)


def _outputs(plan: Plan) -> Iterator[tuple[str, cfn.Output]]:
    for group in plan.node_groups:
        id = names.compute_environment(group)
        yield f"{id}Arn", (f"Compute environment of the node group {group.name}", cfn.ref(id))
    for queue in plan.queues:
        id = names.queue_id(queue)
        yield f"{id}Arn", (f"Queue {queue.name}", cfn.ref(id))


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


def _operator_scripts(plan: Plan, jobs: Sequence[Job]) -> Bundle:
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
