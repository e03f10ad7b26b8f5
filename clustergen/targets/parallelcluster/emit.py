"""The bundle: ``cluster.yaml``, ``deploy.sh`` and scripts of nodes."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from clustergen import foundation
from clustergen.artifacts import Artifact, Bundle
from clustergen.aws.members import filled
from clustergen.foundation import deletion
from clustergen.plan.model import Plan, Ref
from clustergen.shell import render
from clustergen.slurm import next_steps, timetable
from clustergen.targets.parallelcluster import actions, jobs, nodes, scheduling
from clustergen.targets.parallelcluster.directory import directory_service
from clustergen.targets.parallelcluster.head_node import head_node, login_nodes
from clustergen.targets.parallelcluster.limits import DEFAULT_USERS, VERSION, retention_days
from clustergen.targets.parallelcluster.options import DefaultUser, Options, Timeouts
from clustergen.targets.parallelcluster.runbook import runbook
from clustergen.targets.parallelcluster.storage import shared_storage
from clustergen.yaml_text import yaml_text

__all__ = ["document", "emit", "runbook", "steps"]

CONFIGURATION = "cluster.yaml"


def document(plan: Plan) -> dict[str, Any]:
    """The cluster configuration, with sections in the order of ParallelCluster's documentation."""
    options = plan.options_as(Options)
    return filled(
        Region=plan.region,
        Image=filled(Os=plan.software.os, CustomAmi=nodes.common_image(plan)),
        HeadNode=head_node(plan, plan.head) if plan.head else None,
        LoginNodes=login_nodes(plan),
        Scheduling=scheduling.scheduling(plan),
        SharedStorage=shared_storage(plan),
        CustomS3Bucket=options.bucket,
        DirectoryService=directory_service(options.directory) if options.directory else None,
        Monitoring=_monitoring(plan),
        Tags=[{"Key": key, "Value": value} for key, value in plan.tags.items()],
        Imds={"ImdsSupport": options.imds},
        Iam=filled(
            PermissionsBoundary=options.permissions_boundary,
            ResourcePrefix=options.resource_prefix,
        ),
        DeploymentSettings=_default_user(options.default_user),
        DevSettings=_timeouts(options.timeouts),
    )


def _default_user(user: DefaultUser) -> dict[str, Any]:
    return filled(
        DisableSudoAccessForDefaultUser=None if user.sudo else True,
        DefaultUserHome=None if user.home == "shared" else "Local",
    )


def _timeouts(timeouts: Timeouts) -> dict[str, Any]:
    given = filled(
        HeadNodeBootstrapTimeout=timeouts.head_node, ComputeNodeBootstrapTimeout=timeouts.nodes
    )
    return {"Timeouts": given} if given else {}


def _monitoring(plan: Plan) -> dict[str, Any]:
    days = retention_days(plan.monitoring.log_retention_days)
    return {
        **filled(DetailedMonitoring=plan.options_as(Options).detailed_monitoring or None),
        "Logs": {"CloudWatch": {"RetentionInDays": days, "DeletionPolicy": "Retain"}},
        "Dashboards": {"CloudWatch": {"Enabled": plan.monitoring.dashboards == "cloudwatch"}},
    }


def emit(plan: Plan, document: dict[str, Any]) -> Bundle:
    """All files except those of the foundation and README.md; ``document`` includes the overlay."""
    scripts = actions.own_scripts(plan)
    table = timetable.table(
        plan,
        functools.partial(scheduling.node_names, plan),
        functools.partial(scheduling.last_partitions, plan),
    )
    return (
        Artifact(CONFIGURATION, yaml_text(document)),
        Artifact("deploy.sh", _deploy(plan, scripts), executable=True),
        *(script.artifact for script in scripts),
        *([table] if table else []),
        *jobs.files(plan),
    )


def _deploy(plan: Plan, scripts: tuple[actions.OwnScript, ...]) -> str:
    return render(
        "parallelcluster/deploy.sh.j2",
        **foundation.frame(plan),
        version=VERSION,
        subnets=[subnet.id for subnet in (*plan.network.private, *plan.network.public)],
        uploads=[script.key for script in scripts],
        hook=actions.hook(plan).current_key(plan) if actions.has_hook(plan) else "",
        workspace_key=_workspace_key(plan),
        **timetable.values(plan),
    )


def _workspace_key(plan: Plan) -> str:
    """Empty where the head node does not need it."""
    return actions.workspace_key(plan) if isinstance(plan.monitoring.workspace, Ref) else ""


def steps(plan: Plan) -> list[str]:
    """The next steps for the README of the bundle."""
    return [
        *(f"{step}." for step in next_steps.database(plan)),
        "Install the `pcluster` command, version 3.16.1, and Node.js, which it needs: "
        "`pipx install aws-parallelcluster==3.16.1`.",
        f"`./deploy.sh --dry-run` prints what would happen, `./deploy.sh` creates or updates the "
        f"cluster `{plan.name}`. It asks ParallelCluster to validate `{CONFIGURATION}` first.",
        f"`pcluster describe-cluster -n {plan.name} -r {plan.region}` shows the state, and the "
        f"instance id of the head node.{_session(plan)}",
        *_ssh(plan),
        f"{next_steps.TESTS}.",
        "A lower `count`, or a node group or queue that you remove, needs a stopped fleet: "
        f"`pcluster update-compute-fleet -n {plan.name} -r {plan.region} --status STOP_REQUESTED` "
        "before `./deploy.sh`, `START_REQUESTED` after it.",
        f"`./deploy.sh --destroy` deletes the cluster{deletion.besides(plan)}.",
    ]


def _session(plan: Plan) -> str:
    """How to get a shell without SSH."""
    if plan.options_as(Options).leaves_out("session-manager"):
        return ""
    return (
        " Session Manager opens a shell there: `aws ssm start-session "
        f"--region {plan.region} --target INSTANCE-ID`, then `sudo su - "
        f"{DEFAULT_USERS[plan.software.os]}`."
    )


def _ssh(plan: Plan) -> Iterator[str]:
    """Whether `pcluster ssh` works: it connects to the head node, with a key and an open port."""
    if not plan.network.ssh_from:
        return
    if nodes.entry_subnet(plan.network) in plan.network.public:
        dcv = plan.options_as(Options).dcv
        desktops = f"only port {dcv.port} of its desktops" if dcv else "nothing"
        opens = f"{desktops} is open on it" if plan.login else "port 22 is open to `ssh_from`"
        yield f"With `ssh_from`, the head node has a public address, an Elastic IP; {opens}."
    if plan.login:
        yield (
            f"`pcluster describe-cluster -n {plan.name} -r {plan.region} --query loginNodes` shows "
            "the address of the login nodes, for `ssh USER@ADDRESS` with a key of `users`."
        )
    else:
        yield f"`pcluster ssh -n {plan.name} -r {plan.region}` opens a shell with your key."
