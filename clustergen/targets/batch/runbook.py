"""Next steps and runbook of AWS Batch."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.foundation import deletion
from clustergen.plan.model import NodeGroup, Plan
from clustergen.runbook import WAIT, Runbook, session
from clustergen.targets.batch import (
    compute_environments,
    images,
    jobs,
    limits,
    names,
    nodes,
    queues,
)


def steps(plan: Plan) -> list[str]:
    """The next steps, in order."""
    return list(_steps(plan))


def _steps(plan: Plan) -> Iterator[str]:
    first = jobs.every(plan)[0].name
    share = next((f" --share {each}" for each in queues.share_identifiers(plan).values()), "")
    yield "`./deploy.sh --dry-run` prints every command, `./deploy.sh` runs them"
    yield (
        "`./verify.sh` checks one node of each group, with the jobs of `jobs/` that end in "
        "`-verify`" + (f"; give it `{share.strip()}`" if share else "")
    )
    yield (
        f"`./submit.sh --wait{share} {first}` registers and submits "
        "one job, and `./submit.sh --help` lists the others: copy a file of `jobs/`, and replace "
        "its image, command and name by yours"
    )
    if any(nodes.runs_multi_node(group) for group in plan.node_groups):
        yield (
            "nodes with EFA run multi-node jobs, whose number of nodes is `--nodes`; to run jobs "
            "of one node there, write `efa: false`"
        )
    yield from _updates(plan)
    yield from _shares(plan)
    undated = (group for group in plan.node_groups if not group.capacity.dated)
    yield from (_block(group) for group in undated if group.reserved)
    if images.newest(plan):
        yield (
            "nodes keep the image of the first deployment: `./deploy.sh --new-image` takes the "
            "newest one; `image:` in the spec pins one"
        )
    yield f"`./deploy.sh --destroy` deletes the cluster with its jobs{deletion.besides(plan)}"


def _updates(plan: Plan) -> Iterator[str]:
    minutes = {compute_environments.update_minutes(plan, group) for group in plan.node_groups}
    yield (
        "a change of types, storage, scripts or tags replaces nodes: jobs on them go on for up to "
        f"{' or '.join(f'{found:,}' for found in sorted(minutes))} minutes, and are then ended"
    )


def _shares(plan: Plan) -> Iterator[str]:
    if plan.slurm.accounts:
        yield "accounts are shares: every job names one with `./submit.sh --share`"
    else:
        yield (
            "queues are first in, first out: Batch gives an existing queue no fair shares, so "
            "rename queues when you add `slurm.accounts`"
        )


def _block(group: NodeGroup) -> str:
    ends = "; EC2 ends its instances 30 minutes before the block does"
    return (
        f"jobs of {group.name} wait until its {group.capacity.kind} has begun"
        f"{ends if group.capacity.kind == 'capacity-block' else ''}"
    )


def runbook(plan: Plan) -> Runbook:
    """The runbook for a plan without errors."""
    region = plan.region
    shortest = limits.IDLE_MINUTES[0]
    left_out = plan.options.leaves_out("session-manager")
    return Runbook(
        logs=f"CloudWatch has `{names.log_group(plan)}`, a stream for each job and node; on a "
        "node, `/var/log/cloud-init-output.log` (what it ran at boot) and "
        "`/var/log/ecs/ecs-agent.log`",
        access=f"{session(region, left_out=left_out)}. `aws batch describe-jobs --jobs ID` has the "
        "container instance of a job, and `aws ecs describe-container-instances` the id of its "
        "instance",
        failed_boot="a node whose script fails does not join the cluster: it prints the reason on "
        f"its console (`aws ec2 get-console-output --region {region} --latest --instance-id ID`) "
        "and stops after 15 minutes, while its job stays RUNNABLE. `./deploy.sh --pause` ends the "
        "loop while you fix the spec",
        drain=f"`aws ecs update-container-instances-state --region {region} --cluster CLUSTER "
        "--container-instances ID --status DRAINING`, with the ECS cluster that `aws batch "
        "describe-compute-environments` shows",
        replace=f"`aws ec2 terminate-instances --region {region} --instance-ids ID`: Batch "
        "launches another when a job needs it. It also replaces a node that EC2 reports as "
        "impaired",
        users="allow them `batch:SubmitJob`, `batch:RegisterJobDefinition`, `batch:TagResource` "
        f"and `batch:Describe*` in IAM, and `logs:FilterLogEvents` of `{names.log_group(plan)}`: "
        "no node knows them",
        pause="`./deploy.sh --pause` disables the compute environments, and `--resume` enables "
        "them again. Running jobs go on; nodes stop when they are idle, without "
        f"`slurm.idle_timeout` within minutes, else after {shortest} minutes or more. Storage "
        "continues to cost money, and so does a Capacity Block or a reservation",
        waits="the foundation takes up to 40 minutes with file systems, the cluster about 5. Nodes "
        f"start with the first job, within 5 to 15 minutes. {WAIT}",
        remains="finished jobs, which Batch forgets after seven days",
    )
