"""The bundle of AWS Batch: a CloudFormation template, scripts of nodes, job definitions."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import foundation, mirror
from clustergen.artifacts import Bundle, Json, json_artifact
from clustergen.aws import cfn
from clustergen.aws.logs import retention
from clustergen.plan.model import Plan
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
from clustergen.targets.batch.runbook import runbook, steps

__all__ = ["document", "emit", "runbook", "steps"]

TEMPLATE = "cluster.template.json"


def document(plan: Plan) -> Json:
    """The CloudFormation template of a plan without errors."""
    resources, outputs = dict(_resources(plan)), dict(_outputs(plan))
    known = cfn.parameters({**resources, **outputs}, foundation.outputs(plan))
    parameters = {**known, **images.parameters(plan)}
    return {
        "AWSTemplateFormatVersion": cfn.FORMAT_VERSION,
        "Description": f"AWS Batch cluster {plan.name}",
        **({"Parameters": parameters} if parameters else {}),
        "Resources": resources,
        "Outputs": outputs,
    }


def emit(plan: Plan, document: Json) -> Bundle:
    """All files of the cluster; ``document`` is its template with the user's overlay."""
    known = foundation.outputs(plan)
    made = jobs.every(plan)
    definitions = [job.artifact for job in made]
    return (
        json_artifact(TEMPLATE, document),
        *(script.artifact for script in user_data.used(plan)),
        *definitions,
        *mirror.files(plan, definitions),
        *schedule.files(plan),
        *deploy.scripts(
            plan, made, [name for name in document.get("Parameters", {}) if name in known]
        ),
    )


def _resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    yield from roles.resources(plan)
    yield names.LOG_GROUP, _log_group(plan)
    for group in plan.node_groups:
        if group.placement.kind == "cluster":
            # Without the spec's tags: changing them would replace it with its nodes.
            placement = {"Type": "AWS::EC2::PlacementGroup", "Properties": {"Strategy": "cluster"}}
            yield names.placement_group(group), placement
        yield names.launch_template(group), launch_template.resource(plan, group)
        yield names.compute_environment(group), compute_environments.resource(plan, group)
    if plan.slurm.accounts:
        yield names.SCHEDULING_POLICY, queues.policy(plan)
    for queue in plan.queues:
        yield names.queue_id(queue), queues.resource(plan, queue)


def _log_group(plan: Plan) -> Json:
    days = retention(plan.monitoring.log_retention_days)
    properties = {
        "LogGroupName": names.log_group(plan),
        **({"RetentionInDays": days} if days else {}),
        **({"Tags": cfn.tags(plan.tags)} if plan.tags else {}),
    }
    return {"Type": "AWS::Logs::LogGroup", "Properties": properties}


def _outputs(plan: Plan) -> Iterator[tuple[str, Json]]:
    for group in plan.node_groups:
        id = names.compute_environment(group)
        description = f"Compute environment of the node group {group.name}"
        yield f"{id}Arn", {"Description": description, "Value": cfn.ref(id)}
    for queue in plan.queues:
        id = names.queue_id(queue)
        yield f"{id}Arn", {"Description": f"Queue {queue.name}", "Value": cfn.ref(id)}
