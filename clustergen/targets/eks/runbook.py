"""The runbook of an EKS cluster."""

from __future__ import annotations

from clustergen.eks import addons, control_plane
from clustergen.kubernetes import kueue
from clustergen.kubernetes import runbook as kubernetes
from clustergen.plan.model import Plan
from clustergen.runbook import WAIT, Runbook, session
from clustergen.targets.eks import drivers
from clustergen.targets.eks.options import Options


def _control_plane_logs(plan: Plan) -> str:
    if plan.options.leaves_out("control-plane-logs") or not plan.creates_cluster:
        return ""
    group = control_plane.log_group_name(plan.cluster_name)
    return f"CloudWatch has `{group}`, the logs of the control plane. "


def _agent(plan: Plan) -> str:
    if plan.creates_cluster:
        return ""
    return (
        f" and {plan.cluster_name} has the add-on `{addons.NODE_MONITORING.name}`: without "
        "it, repair sees only nodes that are not ready"
    )


def runbook(plan: Plan) -> Runbook:
    """The runbook for a plan without errors."""
    where = f"--region {plan.region} --cluster-name {plan.cluster_name}"
    left_out = plan.options.leaves_out("session-manager")
    return Runbook(
        logs=f"{kubernetes.LOGS}. {_control_plane_logs(plan)}On a node, "
        "`journalctl -u nodeadm-run -u kubelet`",
        access=f"{session(plan.region, left_out=left_out)}. `kubectl get node NODE --output "
        "jsonpath={.spec.providerID}` ends with the id",
        failed_boot="a node group in `CREATE_FAILED` or `DEGRADED` gives the reason: `aws eks "
        f"describe-nodegroup {where} --nodegroup-name GROUP --query nodegroup.health`. "
        "`NodeCreationFailure` means that instances ran and did not join: read the boot log of "
        f"one, `aws ec2 get-console-output --region {plan.region} --latest "
        "--instance-id ID`",
        drain=kubernetes.DRAIN,
        replace=f"drain the node, then `aws ec2 terminate-instances --region {plan.region} "
        "--instance-ids ID`: its group launches another. "
        f"`aws ec2 reboot-instances --region {plan.region} --instance-ids ID` reboots it. "
        "Node repair replaces nodes that the monitoring agent finds faulty automatically, where "
        f"the group has it enabled{_agent(plan)}",
        users=kubernetes.USERS if plan.creates_cluster else kubernetes.USERS_OF_OTHERS,
        pause=_pause(plan, where),
        waits="the foundation takes up to 40 minutes with file systems, "
        f"{_control_plane(plan)}node groups 5 to 10 more, {_last_step(plan)}",
        remains=_remains(plan),
        **_ids(plan),
    )


def _control_plane(plan: Plan) -> str:
    return "the control plane some 10, " if plan.creates_cluster else ""


def _remains(plan: Plan) -> str:
    if plan.creates_cluster:
        return kubernetes.remains(plan)
    added = [driver.addon.name for driver in drivers.drivers(plan)]
    ours = (
        f", and the add-ons {' and '.join(added)} with their roles, if this stack installed them: "
        "others may use them by then"
    )
    return (
        f"in {plan.cluster_name} the namespaces of queues, with all that users keep there, "
        f"charts that others use, which `deploy.sh --destroy` names{ours if added else ''}"
    )


def _last_step(plan: Plan) -> str:
    if plan.options_as(Options).by_stack:
        return "charts and manifests a few minutes. After an interruption, run it again"
    if plan.options_as(Options).by_hand:
        return f"and `install.sh`, if you run it, a few minutes. {WAIT}"
    return f"`install.sh` a few minutes. {WAIT}"


def _ids(plan: Plan) -> dict[str, str]:
    """Where no deploy.sh prints them."""
    if not plan.options_as(Options).by_stack:
        return {}
    stack = plan.stack("foundation")
    return {
        "ids": "before you delete the foundation, list the ids with `aws cloudformation "
        f"describe-stack-resources --region {plan.region} --stack-name {stack}`"
    }


def _pause(plan: Plan, where: str) -> str:
    if plan.options_as(Options).by_stack:
        return (
            f"`aws eks update-nodegroup-config {where} --nodegroup-name GROUP --scaling-config "
            "minSize=0,desiredSize=0` for each node group. The control plane, system nodes, "
            "storage and network continue to cost money"
        )
    waiting = (
        ". Kueue suspends jobs that run, and starts them again after it"
        if kueue.held_in_pause(plan)
        else ""
    )
    return (
        "`./deploy.sh --pause` sets the node groups to zero nodes, and `--resume` restores "
        f"them{waiting}. {_lasting(plan)} to cost money, and so does a "
        "Capacity Block or a reservation"
    )


def _lasting(plan: Plan) -> str:
    """What continues during a pause."""
    if plan.creates_cluster:
        return "The control plane, system nodes, storage and network continue"
    return "Storage and network continue" if plan.network.new else "Storage continues"
