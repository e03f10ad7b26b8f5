"""The steps that leave the old cluster: it is drained, and its users go to the new one."""

from collections.abc import Iterator

from clustergen.analysis.move import beside, copying, losses
from clustergen.analysis.move.model import Ends, Phase, Step
from clustergen.analysis.move.queues import queues
from clustergen.plan.model import Plan
from clustergen.services.foundation import deletion


def drain(ends: Ends, *, left: bool = False) -> Phase:
    """No new jobs, the records and data that would be lost, and then no nodes.

    ``left`` says that users have gone to the new cluster by then.
    """
    pause = f"{ends.old.folder}/deploy.sh --pause"
    steps = (*_empty("old", ends.running), *_save(ends), *_stop(ends, pause))
    undo = (*_undo_drain(ends),)
    whole = (*_close_new(ends), *undo, _SENT_BACK) if left else undo
    return Phase("drain the old cluster", steps, whole)


def _empty(which: str, plan: Plan) -> Iterator[Step]:
    """No new jobs, until none is left."""
    found = queues(plan)
    yield from _point_at(which, plan)
    yield Step(_at(which, plan, "stop new jobs"), found.close)
    yield Step(f"wait until this lists no job; {found.waiting}", found.busy)


def _stop(ends: Ends, pause: str) -> Iterator[Step]:
    """The nodes go; the new cluster needs what they held."""
    held = beside.held(ends.running, ends.coming)
    if not held:
        yield Step("stop the nodes, and with them most of the cost", pause)
        return
    yield Step("stop the nodes, which frees the reserved capacity; it costs the same", pause)
    for group in held:
        shows = beside.free(group, ends.running.region)
        printed = "; this prints how many there are and how many are free" if shows else ""
        yield Step(
            f"wait until all instances of {group.capacity.id} are available: EC2 takes minutes to "
            f"hand out capacity again, and a new cluster without nodes may fail{printed}",
            shows,
        )


def _save(ends: Ends) -> Iterator[Step]:
    """What has to be saved while the nodes run."""
    running, coming = ends.running, ends.coming
    yield from copying.there(ends)
    if scratch := losses.local(running):
        yield Step(f"copy what you need on local disks of nodes: {scratch}")
    if losses.has_records(running, coming):
        yield Step("export the records of jobs", f"{deletion.SACCT} > {ends.old.name}-jobs.txt")
    # ParallelCluster and HyperPod run a slurmdbd on each cluster: two would both roll up records.
    # https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-accounting-v3.html
    if database := losses.shared_database(running, coming):
        yield Step("wait until all records are in the database: DBD Agent queue size is 0", "sdiag")
        yield Step("on the head node", "sudo systemctl disable --now slurmdbd")
        yield Step(
            f"make a snapshot of the database at {database.endpoint}: a newer slurmdbd converts "
            "it, and an older one cannot use it after that"
        )


def _undo_drain(ends: Ends) -> Iterator[Step]:
    if losses.shared_database(ends.running, ends.coming):
        yield Step(
            "on the head node, and with the snapshot if a newer slurmdbd has run since",
            "sudo systemctl enable --now slurmdbd",
        )
    yield Step("start the nodes", f"{ends.old.folder}/deploy.sh --resume")
    yield from _point_at("old", ends.running)
    yield Step(_at("old", ends.running, "let jobs in"), queues(ends.running).open)


def cut_over(ends: Ends, *, drained: bool) -> Phase:
    """What users have to know and do; ``drained`` says that the old cluster is empty by then."""
    undo = (*_undo_drain(ends),) if drained else ()
    back = (*_close_new(ends), *undo, _SENT_BACK)
    return Phase("cut over", (*_hand_over(ends),), back)


def _close_new(ends: Ends) -> Iterator[Step]:
    yield from _empty("new", ends.coming)
    yield from copying.back(ends)
    yield Step("stop the nodes of the new cluster", f"{ends.new.folder}/deploy.sh --pause")
    if losses.shared_database(ends.running, ends.coming):
        yield Step("on the head node of the new cluster", "sudo systemctl disable --now slurmdbd")


def _hand_over(ends: Ends) -> Iterator[Step]:
    kinds = [_KINDS[plan.scheduler] for plan in (ends.running, ends.coming)]
    if kinds[0] != kinds[1]:
        yield Step(f"rewrite the jobs for {kinds[1]}: jobs/ in {ends.new.folder} has templates")
    if kinds[1] == "Slurm":
        yield Step(
            "give users the new address (README.md, Next steps). If its name is the old one, "
            "they remove the old host key",
            "ssh-keygen -R NAME",
        )
    elif kinds[1] == "Kubernetes":
        yield Step(
            "give users access: their roles in `kubernetes.access` or `kubernetes.admins`, and "
            "the new kubeconfig",
            _kubeconfig(ends.coming),
        )
    else:
        yield Step("give users the names of the new job queues, and the right to submit to them")
    yield Step("resubmit pending jobs: queues are not copied")


def _at(which: str, plan: Plan, what: str) -> str:
    """Commands of Slurm work on nodes of its cluster; others work anywhere."""
    return f"on a node of the {which} cluster, {what}" if plan.scheduler == "slurm" else what


def _point_at(which: str, plan: Plan) -> Iterator[Step]:
    """Both clusters may be in the kubeconfig, with queues of one name."""
    if plan.scheduler == "kubernetes":
        yield Step(f"point kubectl at the {which} cluster", _kubeconfig(plan))


def _kubeconfig(plan: Plan) -> str:
    """For the EKS cluster, an existing one or one of the bundle."""
    field = "eks_cluster" if plan.target == "hyperpod-eks" else "cluster"
    name = plan.existing.named.get(field, plan.name).rpartition("/")[2]  # of its ARN
    return f"aws eks update-kubeconfig --region {plan.region} --name {name}"


_SENT_BACK = Step("send users back to the old cluster; what they wrote to file systems is there")
_KINDS = {"slurm": "Slurm", "kubernetes": "Kubernetes", "batch": "AWS Batch"}
