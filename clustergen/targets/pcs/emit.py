"""The bundle of a PCS cluster: a CloudFormation template, and scripts of nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import foundation
from clustergen.artifacts import Bundle, Json, json_artifact
from clustergen.aws import cfn
from clustergen.foundation import deletion
from clustergen.plan.model import Plan
from clustergen.slurm import next_steps, timetable
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
    subnets,
)
from clustergen.targets.pcs.runbook import runbook
from clustergen.targets.pcs.scripts import Script

__all__ = ["document", "emit", "runbook", "steps"]

TEMPLATE = "cluster.template.json"


def document(plan: Plan) -> Json:
    """The CloudFormation template of a plan without errors."""
    resources, outputs = dict(_resources(plan)), dict(_outputs(plan))
    parameters = cfn.parameters({**resources, **outputs}, foundation.outputs(plan))
    return {
        "AWSTemplateFormatVersion": cfn.FORMAT_VERSION,
        "Description": _description(plan),
        "Parameters": {**parameters, **images.parameters(plan)},
        "Resources": resources,
        "Outputs": outputs,
    }


def _description(plan: Plan) -> str:
    if plan.creates_cluster:
        return f"AWS PCS cluster {plan.name}"
    return f"Node groups {plan.name} of the AWS PCS cluster {pcs_cluster.id(plan)}"


def emit(plan: Plan, document: Json) -> Bundle:
    """All files of the cluster; ``document`` is its template with the user's overlay."""
    own = _scripts(plan)
    table = timetable.table(plan, lambda group: f"{group.name}-[1-{group.max}]")
    known = foundation.outputs(plan)
    return (
        json_artifact(TEMPLATE, document),
        *(script.artifact for script in own),
        *([table] if table else []),
        *schedule.files(plan),
        *jobs.files(plan),
        deploy.script(
            plan,
            scripts=own,
            parameters=[name for name in document.get("Parameters", {}) if name in known],
        ),
    )


def steps(plan: Plan) -> list[str]:
    """The next steps, in order."""
    return [
        "`./deploy.sh --dry-run` prints every command, `./deploy.sh` runs them",
        _reach(plan),
        next_steps.TESTS,
        *_images(plan),
        *_joined(plan),
        "to change the instance types of a node group, rename it too: PCS creates a new one, and "
        "names are unique in a cluster",
        *_tags(plan),
        _destroy(plan),
    ]


def _joined(plan: Plan) -> Iterator[str]:
    if not plan.creates_cluster:
        yield (
            f"the stack adds node groups and queues to {pcs_cluster.id(plan)}, and changes nothing "
            "else of it: Slurm settings, accounting, version and logs of the scheduler stay those "
            "of the cluster, and so does its default queue unless a queue has `default: true`"
        )


def _destroy(plan: Plan) -> str:
    if plan.creates_cluster:
        return f"`./deploy.sh --destroy` deletes the cluster{deletion.besides(plan)}"
    return (
        "`./deploy.sh --destroy` deletes the node groups and queues of this bundle; the cluster "
        "with its other groups, network and data stay"
    )


def _tags(plan: Plan) -> Iterator[str]:
    if plan.tags:
        yield (
            "a change of `tags` is a change of every launch template: PCS replaces the nodes, each "
            "once it is idle, and login nodes at once"
        )


def _reach(plan: Plan) -> str:
    if plan.login is None:
        return (
            "without login nodes, jobs are submitted from any node: add `login` to the spec"
            if plan.creates_cluster
            else "submit jobs from the login nodes of the cluster, or from any of these nodes"
        )
    return (
        "log in: `LoginCommand` of the stack's outputs lists the login nodes with their instance "
        f"ids and addresses. {_session(plan)}{_ssh(plan)} `sinfo` shows queues"
    )


def _session(plan: Plan) -> str:
    if plan.options.leaves_out("session-manager"):
        return ""
    return (
        f"`aws ssm start-session --region {plan.region} --target INSTANCE-ID` opens a shell there, "
        "also without a public address; `sudo su - USER` makes it that of a user of the cluster. "
    )


def _ssh(plan: Plan) -> str:
    """Whether users reach port 22 of login nodes."""
    if not any(user.ssh_key for user in plan.users):
        return "`users` with an `ssh_key` can also use SSH."
    if subnets.login_is_public(plan):
        return "Users with an `ssh_key` use `ssh USER@PUBLIC-ADDRESS` from where `ssh_from` allows."
    proxy = (
        f"aws ssm start-session --region {plan.region} --target %h --document-name "
        "AWS-StartSSHSession --parameters portNumber=%p"
    )
    return (
        "Users with an `ssh_key` use SSH through such a session: "
        f'`ssh -o ProxyCommand="{proxy}" USER@INSTANCE-ID`.'
    )


def _images(plan: Plan) -> Iterator[str]:
    if images.newest(plan):
        yield (
            "nodes keep the image of the first deployment: `./deploy.sh --new-image` takes the "
            "newest one, and PCS replaces nodes when they are idle; `image:` in the spec pins one"
        )


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


def _outputs(plan: Plan) -> Iterator[tuple[str, Json]]:
    yield _output("ClusterId", "Id of the cluster", pcs_cluster.id(plan))
    if plan.creates_cluster:
        yield _output("ClusterArn", "ARN of the cluster", cfn.get_att(names.CLUSTER, "Arn"))
    yield _output(
        "EndpointsCommand",
        "Shows the addresses of the scheduler",
        cfn.sub(
            "aws pcs get-cluster --region ${AWS::Region} --cluster-identifier "
            f"{pcs_cluster.id_in_text(plan)}"
            " --query cluster.endpoints"
        ),
    )
    if plan.login:
        connect = f"aws ssm start-session --region {plan.region} --target INSTANCE-ID"
        how = f"Lists the login nodes; connect with: {connect}"
        yield _output("LoginCommand", how, _login_command())


def _login_command() -> Json:
    """PCS tags every instance with the id of its node group."""
    return cfn.sub(
        "aws ec2 describe-instances --region ${AWS::Region} --output text"
        " --filters Name=instance-state-name,Values=running"
        " Name=tag:aws:pcs:compute-node-group-id,Values=${NodeGroupLogin.Id}"
        " --query 'Reservations[].Instances[].[InstanceId, PublicIpAddress, PrivateIpAddress]'"
    )


def _output(name: str, description: str, value: object) -> tuple[str, Json]:
    return name, {"Description": description, "Value": value}


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
