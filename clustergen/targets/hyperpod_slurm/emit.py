"""The bundle of a HyperPod cluster with Slurm."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from clustergen import foundation
from clustergen.artifacts import Bundle
from clustergen.aws import mounts
from clustergen.hyperpod import cluster as hyperpod_cluster
from clustergen.hyperpod import deploy, limits
from clustergen.hyperpod import runbook as runbook_of_hyperpod
from clustergen.hyperpod import steps as hyperpod_steps
from clustergen.monitoring import stack
from clustergen.plan.model import Plan
from clustergen.slurm import jobs, next_steps, smoke, timetable
from clustergen.slurm.jobs import Cluster
from clustergen.targets.hyperpod_slurm import cluster, lifecycle, modes
from clustergen.targets.hyperpod_slurm.runbook import runbook

__all__ = ["document", "emit", "runbook", "steps"]


def document(plan: Plan) -> dict[str, Any]:
    """The CreateCluster request, with placeholders for outputs of the foundation."""
    return cluster.request(plan)


def emit(plan: Plan, document: dict[str, Any]) -> Bundle:
    """All files of the cluster; ``document`` is its request with the user's overlay."""
    scripts = lifecycle.files(plan)
    # The controller follows it; that of an existing cluster does not run scripts of the bundle.
    timed = hyperpod_cluster.is_new(plan)
    table = timetable.table(plan, lambda _: "") if timed else None
    slurm = Cluster(shared=[item.mount for item in mounts.writable(plan)])
    return (
        *deploy.requests(plan, document, foundation.outputs(plan)),
        *scripts,
        *([table] if table else []),
        *deploy.files(plan, document, scripts, **(timetable.values(plan) if timed else {})),
        *smoke.files(plan, slurm),
        *jobs.files(plan, slurm),
    )


def steps(plan: Plan) -> list[str]:
    """The next steps, in order."""
    options = modes.options(plan)
    reach = options.login_group if plan.login else options.controller_group
    if not plan.login and not plan.head:
        reach = plan.node_groups[0].name
    name = hyperpod_cluster.name(plan)
    return [
        *next_steps.database(plan),
        *_deployment(plan),
        f"`aws sagemaker list-cluster-nodes --cluster-name {name} --region {plan.region}` "
        f"shows the nodes; Session Manager opens a shell on one of the group {reach}: `aws ssm "
        f"start-session --region {plan.region} --target "
        "sagemaker-cluster:CLUSTER-ID_GROUP-INSTANCE-ID`",
        *_without_scripts(plan),
        next_steps.TESTS,
        *_controllers(plan),
        *_dates(plan),
        runbook_of_hyperpod.destroy(plan, "network and data stay"),
    ]


def _deployment(plan: Plan) -> Iterator[str]:
    if not hyperpod_cluster.is_new(plan):
        yield from runbook_of_hyperpod.joined(plan)
        yield (
            "Slurm settings, accounting, users and limits of queues on the controller stay those "
            "of its owner; file systems of this bundle are mounted on its own nodes only"
        )
        yield from _users(plan)
        yield (
            f"the added nodes are also in `{limits.UNIVERSAL_PARTITION}`, HyperPod's partition of "
            "all nodes: other users' jobs without `--partition` may run there. To keep them off, "
            f"ask the owner to limit `{limits.UNIVERSAL_PARTITION}` in slurm.conf, with "
            "`AllowGroups=root` for example"
        )
        return
    yield (
        "`./deploy.sh --dry-run` prints every command, `./deploy.sh` runs them: it creates or "
        "updates the cluster from `create-cluster.json` and waits until it is in service"
    )
    yield (
        "`cluster.template.json` is the same cluster for a deployment with CloudFormation"
        f"{_scripts_first(plan)}{stack.deployed_last(plan)}; use one of the two, not both"
    )


def _users(plan: Plan) -> Iterator[str]:
    """Whom added nodes know, unless scripts of the owner create the users there."""
    if not modes.options(plan).lifecycle:
        known = ", ".join(("those of the image", *(user.name for user in plan.users)))
        yield (
            f"the added nodes have these users: {known}. Jobs of other users run there without "
            "a user name: `whoami` fails, and so do programs that look it up. Write those users to "
            "`users`, with the ids that `id NAME` shows on the controller, and render again"
        )


def _scripts_first(plan: Plan) -> str:
    """The step to upload scripts first, because the template refers to them."""
    if not lifecycle.files(plan) or not (config := lifecycle.config(plan)):
        return ""
    return (
        "; for that, render with `--outputs` and first run `aws s3 cp --recursive lifecycle "
        f"{config['SourceS3Uri']}`"
    )


def _without_scripts(plan: Plan) -> Iterator[str]:
    """What differs from the spec where HyperPod alone sets up nodes."""
    if not lifecycle.config(plan) and plan.head:
        yield (
            f"jobs without `--partition` run in `{limits.UNIVERSAL_PARTITION}`, a partition of "
            f"HyperPod's own with the nodes of `{plan.queues[0].name}`"
        )


def _dates(plan: Plan) -> Iterator[str]:
    """How a controller that runs learns of dates: HyperPod runs scripts on new nodes only."""
    if timetable.wanted(plan) and lifecycle.files(plan) and plan.head:
        folder = "/opt/clustergen/lifecycle"
        yield (
            "if the controller was created before the spec had dates of capacity, run `sudo aws s3 "
            "cp --recursive --exclude '*' --include 'timetable.*' --include resource-config.sh "
            f"s3://BUCKET/lifecycle/PREFIX/ {folder}/ && sudo bash {folder}/timetable.sh install "
            "timetable.json` there, in a shell of Session Manager; `./deploy.sh` prints both "
            "commands with their values"
        )


def _controllers(plan: Plan) -> Iterator[str]:
    """What happens automatically if a controller fails, and what does not."""
    if not hyperpod_steps.shared_by_controllers(plan):
        return
    yield (
        "Slurm fails over to the next controller when the first does not respond for "
        "`SlurmctldTimeout` (120 s), and HyperPod replaces a failed one. Neither sends a "
        "notification: set `slurm.settings.SlurmctldPrimaryOnProg` to a program that does, such "
        "as one that publishes to SNS"
    )
    yield (
        "After a controller was replaced or added, run `bash "
        "/opt/clustergen/lifecycle/on_create.sh` as root on the other controllers, so that they "
        "know its name"
    )
