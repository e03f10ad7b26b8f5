"""The runbook of a PCS cluster."""

from __future__ import annotations

from typing import Final

from clustergen.plan.model import Plan
from clustergen.runbook import WAIT, Runbook
from clustergen.slurm import runbook as slurm

_FOUNDATION: Final = "the foundation takes up to 40 minutes with file systems"
_OF_THE_OWNER: Final = (
    "the login nodes of the cluster need them too, with the same ids, so ask its owner. For the "
    "nodes of this bundle, "
)
_WAITS: Final = (
    f"{_FOUNDATION}, the cluster about 15, the nodes 5 to 15 more. CloudFormation stops waiting "
    "for a PCS cluster after 130 minutes"
)
_WAITS_FOR_NODES: Final = f"{_FOUNDATION}, the nodes 5 to 15 more"


def runbook(plan: Plan) -> Runbook:
    """The runbook for a plan without errors."""
    creates = plan.creates_cluster
    return Runbook(
        logs="CloudWatch has `/aws/pcs/CLUSTER-ID/lifecycle` (what nodes ran at boot, one stream "
        "for each instance), `/aws/vendedlogs/pcs/cluster/PCS_SCHEDULER_LOGS/CLUSTER-ID` "
        "(slurmctld) and `.../PCS_JOBCOMP_LOGS/CLUSTER-ID` (finished jobs); on a node, "
        "`/var/log/amazon/pcs/bootstrap.log` and `/var/log/slurmd.log`",
        access=slurm.access(plan),
        failed_boot="PCS terminates a node whose required action fails and launches another, which "
        "costs money each time: the last lines of its stream in the lifecycle log group name the "
        "action. `./deploy.sh --pause` ends the loop of compute nodes while you fix the spec",
        drain=slurm.DRAIN,
        replace=f"`aws ec2 terminate-instances --region {plan.region} --instance-ids ID` on a "
        "drained node: PCS launches another for a static node at once, for a dynamic one when a "
        "job needs it. PCS also replaces a node that EC2 reports as impaired",
        users=f"{'' if creates else _OF_THE_OWNER}add them to `users` in the spec and deploy "
        "again: PCS replaces the nodes of each node group when they are idle, and login nodes at "
        "once",
        pause="`./deploy.sh --pause` sets all node groups to zero nodes, and `--resume` restores "
        f"them. {'The controller, login' if creates else 'Login'} nodes and storage continue to "
        "cost money, and so does a Capacity Block or a reservation",
        waits=f"{_WAITS if creates else _WAITS_FOR_NODES}. {WAIT}",
    )
