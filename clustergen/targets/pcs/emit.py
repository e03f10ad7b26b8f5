"""The bundle of a PCS cluster: a CloudFormation template, and scripts of nodes."""

from collections.abc import Iterator
from typing import Any

from clustergen.base.artifacts import Bundle, Json
from clustergen.deployment.kinds import Pcs
from clustergen.deployment.model import OfTarget, Source
from clustergen.plan.model import Plan
from clustergen.plan.timetable import phases
from clustergen.services import foundation, schedules
from clustergen.services.aws import cfn, marks
from clustergen.services.aws.launch_templates import PLACEMENT_GROUP
from clustergen.services.monitoring.sources import reservations
from clustergen.services.nodes.node_scripts import NodeScript
from clustergen.services.slurm import accounts, collecting, readme, tables, timetable, users, verify
from clustergen.services.slurm.jobs import Cluster
from clustergen.targets.pcs import (
    cluster,
    images,
    launch_template,
    lifecycle,
    limits,
    logs,
    names,
    node_groups,
    schedule,
    settings,
    subnets,
)

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
    # PCS writes the GRES record of a GPU type itself.
    slurm = Cluster(gpus=True, imex=settings.has_imex(plan), feature=lambda group: group.name)
    return (
        marks.artifact(TEMPLATE, document, plan),
        *(script.artifact for script in _scripts(plan)),
        *_followed(plan),
        *schedule.files(plan),
        *verify.files(plan, slurm, f"/opt/aws/pcs/scheduler/slurm-{settings.version(plan)}"),
    )


def _followed(plan: Plan) -> Bundle:
    dated = timetable.table(plan, lambda group: f"{group.name}-[1-{group.max}]")
    return tables.made(
        dated, users.table(plan), accounts.table(plan) if lifecycle.accounts_script(plan) else None
    )


def deployment(plan: Plan, document: Json) -> OfTarget:
    """What ``bundle.json`` says of the target."""
    version = settings.version(plan)
    ending = limits.ending_version(version)
    return OfTarget(
        service=Pcs(
            slurm=version,
            cluster=plan.existing.named.get("cluster", ""),
            end_of_life=ending.end_of_life if ending else "",
            alternative=limits.DEFAULT_SLURM_VERSION if ending else "",
            login=bool(plan.login),
            blocks=dict(_blocks(plan)),
            sizes=schedule.sizes(plan),
            most={names.node_group(group.name): group.max for group in plan.node_groups},
        ),
        sources={
            **{name: Source(image=path) for name, path in images.newest(plan).items()},
            **schedule.sources(plan),
        },
        uploads={script.key: script.artifact.path for script in _scripts(plan)},
        tables=tables.described(plan, _followed(plan)),
        periods=schedules.periods(phases(plan)),
        adopted=marks.adopted(document, marks.descriptions(plan)["pcs"]),
        billed=("controller",) if plan.creates_cluster else (),
    )


def _blocks(plan: Plan) -> Iterator[tuple[str, str]]:
    """Node groups on Capacity Blocks, each with the id of its block, which may be an ARN."""
    for group in plan.node_groups:
        if group.capacity.kind == "capacity-block" and group.capacity.id:
            yield group.name, group.capacity.id.rpartition("/")[2]


def _resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    if plan.creates_cluster:
        yield names.CLUSTER, cluster.resource(plan)
    for group in plan.node_groups:
        if group.placement.kind == "cluster":
            yield names.placement_group(group), PLACEMENT_GROUP
        yield names.launch_template(group.name), launch_template.for_group(plan, group)
        yield names.node_group(group.name), node_groups.for_group(plan, group)
    if plan.login:
        yield names.launch_template(names.LOGIN), launch_template.for_login(plan, plan.login)
        yield names.node_group(names.LOGIN), node_groups.for_login(plan, plan.login)
    for queue in plan.queues:
        yield names.queue(queue), cluster.queue(plan, queue)
    yield from logs.resources(plan)


def _outputs(plan: Plan) -> Iterator[tuple[str, cfn.Output]]:
    yield "ClusterId", ("Id of the cluster", names.cluster_id(plan))
    if plan.creates_cluster:
        yield "ClusterArn", ("ARN of the cluster", cfn.get_att(names.CLUSTER, "Arn"))
    command = (
        "aws pcs get-cluster --region ${AWS::Region} --cluster-identifier "
        f"{names.cluster_id_in_text(plan)} --query cluster.endpoints"
    )
    yield "EndpointsCommand", ("Shows the addresses of the scheduler", cfn.sub(command))


def _scripts(plan: Plan) -> list[NodeScript]:
    nodes = [lifecycle.group_actions(plan, group) for group in plan.node_groups]
    if plan.login:
        nodes.append(lifecycle.login_actions(plan))
    found = {a.script for actions in nodes for a in actions if isinstance(a.script, NodeScript)}
    # Without login nodes, users run it manually.
    if accounts := lifecycle.accounts_script(plan):
        found.add(accounts)
    return sorted(found, key=lambda script: script.name)


def values(plan: Plan) -> dict[str, Any]:
    """The values of ``templates/pcs/readme.md.j2``."""
    return {
        **readme.values(plan),
        "size": cluster.size(plan),
        "log_groups": logs.NAMES,
        "newest_image": bool(images.newest(plan)),
        "measured_by_login": bool(plan.login and reservations(plan) and collecting.wanted(plan)),
        "public_login": subnets.login_is_public(plan),
        "users_with_key": any(user.ssh_key for user in plan.users),
        # Login nodes follow the table of accounts.
        "accounts_by_hand": not plan.login and lifecycle.accounts_script(plan) is not None,
    }
