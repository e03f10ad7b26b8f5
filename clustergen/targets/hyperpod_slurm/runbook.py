"""The runbook of a HyperPod cluster with Slurm."""

from __future__ import annotations

from clustergen.hyperpod import cluster
from clustergen.hyperpod import runbook as hyperpod
from clustergen.plan.model import Plan
from clustergen.runbook import SCONTROL, Runbook
from clustergen.slurm import runbook as slurm
from clustergen.targets.hyperpod_slurm import lifecycle, modes


def runbook(plan: Plan) -> Runbook:
    """The runbook for a plan without errors."""
    return Runbook(
        logs=f"{hyperpod.logs(plan)}. On a node: `/var/log/slurm/` and, where scripts run, "
        "`/var/log/clustergen/lifecycle.log`",
        access=hyperpod.access(plan),
        failed_boot=f"{hyperpod.failures(plan, continuous=modes.continuous(plan))}, such as "
        "capacity that AWS lacks; the node's log stream ends with the step that failed. "
        f"{_retry(plan)}",
        drain=slurm.DRAIN,
        # Exact and case-sensitive:
        # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-resiliency-slurm-replace-faulty-instance.html
        replace=f'`{SCONTROL} update nodename=NODE state=fail reason="Action:Replace"` has '
        'HyperPod replace the node, `reason="Action:Reboot"` reboot it; write these exactly. A '
        f"replaced node has a new address and empty local disks. {hyperpod.repair(plan)}; not the "
        "controller",
        users=_changes(plan),
        pause=hyperpod.PAUSE.format(rest=_rest(plan)),
        waits=hyperpod.WAITS,
    )


def _retry(plan: Plan) -> str:
    """What HyperPod does with nodes whose scripts fail."""
    if not cluster.is_new(plan):
        return "Fix the spec and deploy again: HyperPod has removed a group that it could not add"
    return (
        "HyperPod retries a worker; a controller whose scripts fail makes the whole cluster "
        "`Failed`: run `./deploy.sh --destroy`, fix the spec and deploy again"
    )


def _rest(plan: Plan) -> str:
    """What runs on during a pause."""
    own = [*(["the controller"] if plan.head else []), *(["login nodes"] if plan.login else [])]
    names = ", ".join(own or ["the other groups of the cluster"])
    return names[0].upper() + names[1:]


def _changes(plan: Plan) -> str:
    """Changes of the spec: scripts run when a node is created, so changes affect only new nodes."""
    config = lifecycle.config(plan)
    if config and not lifecycle.files(plan):
        return (
            f"have your lifecycle scripts in `{config['SourceS3Uri']}` create them: clustergen's "
            "scripts do not run. New nodes download the folder as it is then; running nodes keep "
            "what they have"
        )
    if not config:
        return (
            "add them to `users` in the spec before the cluster is created: without lifecycle "
            "scripts, nodes have the users of the image only"
        )
    entry = config.get("OnInitComplete") or config["OnCreate"]
    return (
        "add them to `users` in the spec and deploy again. New nodes get them. Running nodes, "
        "including the controller, keep their old scripts: copy "
        "`.filled/lifecycle/`, which `deploy.sh` has filled with the values of the foundation, "
        f"there and run its `{entry}` as root, which may run any number of times. "
        "The same holds for new file systems, for changed Slurm settings, time limits and "
        "scripts, and for the first dates of capacity"
    )
