"""The runbook of a HyperPod cluster with Slurm."""

from __future__ import annotations

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
        pause=f"{hyperpod.pause(plan, _rest(plan))}. {_first_drain(plan)}",
        waits=hyperpod.waits(plan),
    )


def _retry(plan: Plan) -> str:
    """What HyperPod does with nodes whose scripts fail."""
    if not plan.creates_cluster:
        tried = (
            "HyperPod tries again, and bills the instances meanwhile; a group whose instance type "
            "has to change must be deleted first, with `./deploy.sh --destroy`"
            if modes.continuous(plan)
            else "HyperPod has removed a group that it could not add"
        )
        return f"Fix the spec and deploy again: {tried}"
    return (
        "HyperPod retries a worker; a controller whose scripts fail makes the whole cluster "
        "`Failed`: run `./deploy.sh --destroy`, fix the spec and deploy again"
    )


def _rest(plan: Plan) -> str:
    """What runs on during a pause."""
    own = [*(["the controller"] if plan.head else []), *(["login nodes"] if plan.login else [])]
    names = ", ".join(own)
    return names[0].upper() + names[1:] if own else "The bucket of scripts"


def _first_drain(plan: Plan) -> str:
    """How jobs end first: HyperPod does not ask Slurm."""
    if not plan.creates_cluster:
        return _first_drain_own(plan)
    queues = ",".join(queue.name for queue in plan.queues)
    nodes = f'"$(sinfo --noheader --partition={queues} --format=%N | paste -sd,)"'
    return (
        f"To let jobs finish first, run `{SCONTROL} update nodename={nodes} state=drain "
        f"reason=pause` on a node of the cluster, and wait until `squeue --nodelist={nodes}` shows "
        "none. The same holds for `./deploy.sh --destroy`"
    )


def _first_drain_own(plan: Plan) -> str:
    """Partitions of an existing cluster may have nodes of others."""
    groups = " || ".join(f"InstanceGroupName=='{group.name}'" for group in plan.node_groups)
    names = hyperpod.listed(plan, f'"ClusterNodeSummaries[?{groups}].PrivateDnsHostname"')
    return (
        f"To let jobs finish first, {names} lists the nodes of this bundle. With the parts before "
        f"the first dots as NODES, separated by commas, run `{SCONTROL} update nodename=NODES "
        "state=drain reason=pause` on a node of the cluster, and wait until `squeue "
        "--nodelist=NODES` shows none. Do not drain a whole partition: it may have nodes of "
        "others. The same holds for `./deploy.sh --destroy`"
    )


def _changes(plan: Plan) -> str:
    """Changes of the spec: scripts run when a node is created, so changes affect only new nodes."""
    config = lifecycle.config(plan)
    if config and not lifecycle.files(plan):
        return (
            f"have your lifecycle scripts in `{config['SourceS3Uri']}` create them: clustergen's "
            "scripts do not run. New nodes download the folder as it is then; running nodes keep "
            "what they have"
        )
    if not config and not plan.creates_cluster:
        return _by_the_owner(plan)
    if not config:
        return (
            "add them to `users` in the spec before the cluster is created: without lifecycle "
            "scripts, nodes have the users of the image only"
        )
    entry = config.get("OnInitComplete") or config["OnCreate"]
    if not plan.creates_cluster:
        return f"{_by_the_owner(plan)}. {_on_running_nodes(plan, entry)}"
    return (
        "add them to `users` in the spec and deploy again. New nodes get them. Running nodes, "
        "including the controller, keep their old scripts: copy "
        "`.filled/lifecycle/` there, which `deploy.sh` has filled in, and run its "
        f"`{entry}` as root, as often as you like. "
        "The same holds for new file systems, for changed Slurm settings, time limits and "
        "scripts, and for the first dates of capacity"
    )


def _by_the_owner(plan: Plan) -> str:
    """Users of an existing cluster: its controller has to know them, and their homes exist."""
    return (
        f"ask the owner of {plan.cluster_name}: the controller and login nodes need them first. "
        "Then write the same names and ids, as `id NAME` shows there, to `users` in the spec, and "
        "deploy again. New nodes of this bundle get them, with the homes that they have on its "
        "file systems"
    )


def _on_running_nodes(plan: Plan, entry: str) -> str:
    """How nodes that run get what is new in the scripts."""
    groups = ", ".join(group.name for group in plan.node_groups)
    return (
        f"Running nodes of this bundle ({groups}) keep their old scripts: copy "
        "`.filled/lifecycle/` there, which `deploy.sh` has filled in, and run its "
        f"`{entry}` as root, as often as you like. Never run it on "
        "the controller or other nodes: they have scripts of their owner"
    )
