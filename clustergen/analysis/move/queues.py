"""How jobs are kept out of a cluster, and let in again, in the words of what schedules them."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from clustergen.plan.model import Plan
from clustergen.services.kubernetes import kueue, namespaces

# sudo has a PATH of its own, which lacks the folder of Slurm's commands.
_SCONTROL: Final = 'sudo "$(which scontrol)"'


class Queues(NamedTuple):
    """Commands about the queues of a cluster."""

    close: str
    """From now on, nothing new; what is there goes on."""
    open: str
    busy: str
    """Shows what still runs or waits."""
    waiting: str
    """What to do with what waits."""


def queues(plan: Plan) -> Queues:
    """Those of a cluster that runs."""
    if plan.scheduler == "slurm":
        return _slurm(plan)
    return _batch(plan) if plan.scheduler == "batch" else _kubernetes(plan)


# https://slurm.schedmd.com/scontrol.html: jobs that a partition in the state DRAIN has still start.
def _slurm(plan: Plan) -> Queues:
    names = [queue.name for queue in plan.queues]
    update = f"{_SCONTROL} update partitionname={{}} state={{}}"
    return Queues(
        _each(names, update.format("{}", "drain")),
        _each(names, update.format("{}", "up")),
        f"squeue --partition={','.join(names)}",
        "scontrol write batch_script NUMBER keeps the script of a job that stays pending too long, "
        "and scancel NUMBER removes it",
    )


# https://docs.aws.amazon.com/batch/latest/APIReference/API_UpdateJobQueue.html: all jobs of a
# queue that is disabled can finish.
def _batch(plan: Plan) -> Queues:
    from clustergen.targets.batch import names

    queues = [names.queue(plan, queue) for queue in plan.queues]
    batch = f"aws batch --region {plan.region}"
    update = f"{batch} update-job-queue --job-queue {{}} --state"
    # Prints nothing without jobs; those of a disabled queue that wait still start.
    listed = (
        "for status in SUBMITTED PENDING RUNNABLE STARTING RUNNING; do "
        f"{batch} list-jobs --job-queue {{}} --job-status $status "
        "--query 'jobSummaryList[].[jobId,jobName,status]' --output text; done"
    )
    return Queues(
        _each(queues, f"{update} DISABLED"),
        _each(queues, f"{update} ENABLED"),
        _each(queues, listed),
        "aws batch cancel-job removes one that does not start",
    )


def _kubernetes(plan: Plan) -> Queues:
    if plan.target == "hyperpod-eks":
        from clustergen.targets.hyperpod_eks import governance

        # Its controller sets the cluster queues again.
        return _by_quota(governance.namespaces(plan))
    spaces = namespaces.all_namespaces(plan)
    if not kueue.is_on(plan):
        return _by_quota(spaces)
    names = [queue.name for queue in plan.queues]
    # https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#stoppolicy
    patch = "kubectl patch clusterqueue {} --type merge --patch "
    return Queues(
        _each(names, patch + _policy("Hold")),
        _each(names, patch + _policy("None")),
        _each(spaces, _PODS),
        _APPLY_AGAIN,
    )


def _policy(name: str) -> str:
    return f"""'{{"spec": {{"stopPolicy": "{name}"}}}}'"""


_PODS = (
    "kubectl get pods --namespace {} "
    "--field-selector 'status.phase!=Succeeded,status.phase!=Failed'"
)
"""Those that start, too."""
_APPLY_AGAIN = (
    "pending workloads do not come along: apply their manifests to the new cluster, and delete "
    "them here"
)


def _by_quota(spaces: Sequence[str]) -> Queues:
    """Without queues that can be held: pods that exist go on, and no new ones are created."""
    return Queues(
        _each(spaces, "kubectl create quota closed --hard pods=0 --namespace {}"),
        _each(spaces, "kubectl delete quota closed --namespace {}"),
        _each(spaces, _PODS),
        _APPLY_AGAIN,
    )


def _each(names: Sequence[str], command: str) -> str:
    if len(names) == 1:
        return command.replace("{}", names[0])
    of_name = command.replace("{}", '"$name"')
    return f"for name in {' '.join(names)}; do {of_name}; done"
