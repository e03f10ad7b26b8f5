"""The runbook of a ParallelCluster cluster."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen import foundation
from clustergen.plan.model import Ebs, Efs, Lustre, Plan
from clustergen.runbook import SCONTROL, WAIT, Runbook
from clustergen.slurm import runbook as slurm
from clustergen.targets.parallelcluster.options import Options


# Names of log files and streams:
# https://docs.aws.amazon.com/parallelcluster/latest/ug/cloudwatch-logs-v3.html
# https://docs.aws.amazon.com/parallelcluster/latest/ug/troubleshooting-v3-cluster-deployment.html
def runbook(plan: Plan) -> Runbook:
    """The runbook for a plan without errors."""
    name, region = plan.name, plan.region
    return Runbook(
        logs=f"CloudWatch has `/aws/parallelcluster/{name}-TIMESTAMP`, with a stream for each file "
        f"and node; `pcluster list-cluster-log-streams -n {name} -r {region}` lists them. On the "
        "head node: `/var/log/slurmctld.log`, `/var/log/chef-client.log`, "
        "`/var/log/parallelcluster/clustermgtd` (nodes that start and stop) and "
        "`slurm_resume.log` (launches that EC2 rejects); on nodes "
        "`/var/log/cloud-init-output.log`, `/var/log/slurmd.log`",
        access=_access(plan),
        failed_boot="`pcluster describe-cluster` shows `failures` when the head node's boot "
        "failed: `cfn-init.log` and `chef-client.log` of the head node give the reason. A "
        "compute node "
        "whose script fails is terminated and launched again; after 10 such failures "
        "ParallelCluster puts its group into protected mode (`PROTECTED`), which `pcluster "
        f"update-compute-fleet -n {name} -r {region} --status START_REQUESTED` ends",
        drain=slurm.DRAIN,
        replace=f"`{SCONTROL} update nodename=NODE state=power_down_asap` terminates a node once "
        "it is idle; ParallelCluster launches a static one again, a dynamic one when a job needs "
        "it. It replaces nodes that fail EC2's checks automatically",
        users=_users(plan),
        pause="`./deploy.sh --pause` stops the compute fleet, and `--resume` starts it. The head "
        "node, login nodes and storage continue to cost money, and so does a Capacity Block or a "
        "reservation",
        waits=f"{_foundation(plan)}the head node takes about 10 minutes, "
        f"static nodes 5 to 15 more; `deploy.sh` waits up to two hours for the cluster. {WAIT}",
        remains=_remains(plan),
    )


def _users(plan: Plan) -> str:
    if plan.options_as(Options).directory:
        return "add them to the directory: every node finds them there"
    return (
        "add them to `users` in the spec and deploy again: the head node and login nodes "
        "create them at once, compute nodes when they are next launched"
    )


def _foundation(plan: Plan) -> str:
    """Empty where there is none, as for an adopted cluster."""
    waits = "the foundation takes up to 40 minutes with file systems, "
    return waits if foundation.build(plan).resources else ""


def _access(plan: Plan) -> str:
    if plan.options_as(Options).leaves_out("session-manager"):
        return "from the head node, the user of the image reaches every node with `ssh NODE`"
    return slurm.access(plan)


def _remains(plan: Plan) -> str:
    """Resources that remain: the log group, and what the spec retains of what the cluster made."""
    logs = f"the log group `/aws/parallelcluster/{plan.name}-TIMESTAMP`, whose events expire"
    kept = [f"{what}: `{command}` deletes it" for what, command in _kept(plan)]
    return ", and ".join([logs, *kept])


def _kept(plan: Plan) -> Iterator[tuple[str, str]]:
    """Volumes and file systems that stay, and what deletes them."""
    delete_volume = f"aws ec2 delete-volume --region {plan.region} --volume-id ID"
    if plan.head and plan.head.volume.retain:
        yield "the root volume of the head node", delete_volume
    for item in plan.storage:
        match item:
            case Ebs(existing=False, retain=True):
                yield f"the EBS volume of {item.mount}", delete_volume
            case Efs(by_cluster=True, existing=False, retain=True):
                command = f"aws efs delete-file-system --region {plan.region} --file-system-id ID"
                yield f"the EFS file system of {item.mount}", command
            case Lustre(by_cluster=True, existing=False, retain=True):
                command = f"aws fsx delete-file-system --region {plan.region} --file-system-id ID"
                yield f"the Lustre file system of {item.mount}", command
