"""The bundle of AWS Batch: a CloudFormation template, scripts of nodes, job definitions."""

from collections.abc import Iterator

from clustergen.base.artifacts import Bundle, Json
from clustergen.deployment.kinds import Batch
from clustergen.deployment.model import OfTarget, Source
from clustergen.plan.model import Plan
from clustergen.plan.sizes import runs_multi_node
from clustergen.services import foundation, mirror
from clustergen.services.aws import cfn, logs, marks
from clustergen.services.aws.launch_templates import PLACEMENT_GROUP
from clustergen.targets.batch import (
    compute_environments,
    deploy,
    images,
    jobs,
    launch_template,
    names,
    queues,
    roles,
    schedule,
    user_data,
)
from clustergen.targets.batch.readme import values

__all__ = ["deployment", "document", "emit", "values"]

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
        *deploy.scripts(plan, made),
    )


def deployment(plan: Plan, document: Json) -> OfTarget:
    """What ``bundle.json`` says of the target."""
    made = jobs.every(plan)
    return OfTarget(
        service=Batch(
            log_group=names.log_group(plan),
            definitions=tuple(job.definition for job in made),
            minutes=deploy.environment_minutes(plan),
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
