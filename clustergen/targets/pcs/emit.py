"""The bundle of a PCS cluster: a CloudFormation template, and scripts of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.base.artifacts import Bundle, Json
from clustergen.deployment.model import OfTarget, Service
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.aws import cfn, marks
from clustergen.services.slurm import accounts, tables, timetable, users
from clustergen.targets.pcs import (
    cluster,
    deploy,
    images,
    jobs,
    launch_template,
    lifecycle,
    logs,
    names,
    node_groups,
    pcs_cluster,
    schedule,
)
from clustergen.targets.pcs.options import Options
from clustergen.targets.pcs.readme import values
from clustergen.targets.pcs.scripts import Script

__all__ = ["deployment", "document", "emit", "values"]

TEMPLATE = "cluster.template.json"


def document(plan: Plan) -> Json:
    """The CloudFormation template of a plan without errors."""
    resources, outputs = dict(_resources(plan)), dict(_outputs(plan))
    parameters = cfn.parameters({**resources, **outputs}, foundation.outputs(plan))
    return cfn.template(
        marks.descriptions(plan)["pcs"],
        resources,
        parameters={**parameters, **images.parameters(plan)},
        outputs=outputs,
    )


def emit(plan: Plan, document: Json) -> Bundle:
    """All files of the cluster; ``document`` is its template with the user's overlay."""
    own = _scripts(plan)
    dated = timetable.table(plan, lambda group: f"{group.name}-[1-{group.max}]")
    followed = tables.made(
        dated, users.table(plan), accounts.table(plan) if lifecycle.accounts_script(plan) else None
    )
    known = foundation.outputs(plan)
    return (
        marks.artifact(TEMPLATE, document, plan),
        *(script.artifact for script in own),
        *followed,
        *schedule.files(plan),
        *jobs.files(plan),
        deploy.script(
            plan,
            scripts=own,
            followed=followed,
            parameters=[name for name in document.get("Parameters", {}) if name in known],
            adopted=marks.adopted_words(document, marks.descriptions(plan)["pcs"]),
        ),
    )


def deployment(plan: Plan, document: Json) -> OfTarget:  # noqa: ARG001
    """What ``bundle.json`` says of the target."""
    return OfTarget(Service("aws-pcs"))


def _resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    if plan.creates_cluster:
        yield names.CLUSTER, cluster.resource(plan)
    for group in plan.node_groups:
        if group.placement.kind == "cluster":
            yield names.placement_group(group), _placement_group()
        yield names.launch_template(group.name), launch_template.for_group(plan, group)
        yield names.node_group(group.name), node_groups.for_group(plan, group)
    if plan.login:
        yield names.launch_template(names.LOGIN), launch_template.for_login(plan, plan.login)
        yield names.node_group(names.LOGIN), node_groups.for_login(plan, plan.login)
    for queue in plan.queues:
        yield names.queue(queue), cluster.queue(plan, queue)
    yield from logs.resources(plan).items()


def _placement_group() -> Json:
    """A placement group without the spec's tags: changing them would replace it with its nodes."""
    return {"Type": "AWS::EC2::PlacementGroup", "Properties": {"Strategy": "cluster"}}


def _outputs(plan: Plan) -> Iterator[tuple[str, cfn.Output]]:
    yield "ClusterId", ("Id of the cluster", pcs_cluster.id(plan))
    if plan.creates_cluster:
        yield "ClusterArn", ("ARN of the cluster", cfn.get_att(names.CLUSTER, "Arn"))
    command = (
        "aws pcs get-cluster --region ${AWS::Region} --cluster-identifier "
        f"{pcs_cluster.id_in_text(plan)} --query cluster.endpoints"
    )
    yield "EndpointsCommand", ("Shows the addresses of the scheduler", cfn.sub(command))
    if plan.login:
        how = "Lists the login nodes"
        if not plan.options_as(Options).leaves_out("session-manager"):
            connect = f"aws ssm start-session --region {plan.region} --target INSTANCE-ID"
            how += f"; connect with: {connect}"
        yield "LoginCommand", (how, _login_command())


def _login_command() -> Json:
    """PCS tags every instance with the id of its node group."""
    return cfn.sub(
        "aws ec2 describe-instances --region ${AWS::Region} --output text"
        " --filters Name=instance-state-name,Values=running"
        " Name=tag:aws:pcs:compute-node-group-id,Values=${NodeGroupLogin.Id}"
        " --query 'Reservations[].Instances[].[InstanceId, PublicIpAddress, PrivateIpAddress]'"
    )


def _scripts(plan: Plan) -> list[Script]:
    """clustergen's scripts that nodes run, by name."""
    nodes = [lifecycle.group_actions(plan, group) for group in plan.node_groups]
    if plan.login:
        nodes.append(lifecycle.login_actions(plan))
    found = {a.script for actions in nodes for a in actions if isinstance(a.script, Script)}
    # Without login nodes, users run it manually.
    if accounts := lifecycle.accounts_script(plan):
        found.add(accounts)
    return sorted(found, key=lambda script: script.name)
