"""The steps of a move, from the plans for both services."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clustergen import comparison
from clustergen.compiler import Checked
from clustergen.difference import Spec, compare
from clustergen.moving.losses import SLURM, losses
from clustergen.moving.model import Move, Phase
from clustergen.plan.model import Plan

_ON_EKS = frozenset({"eks", "hyperpod-eks"})
_QUIET = ("none", "in-place")


def plan(before: Checked, after: Checked, old: str, new: str, out: str) -> Move:
    """The move of a cluster from the target ``old`` to ``new``.

    ``before`` is the spec checked for the targets that it names and ``old``, ``after`` for ``new``
    as well; ``out`` is the folder of bundles.
    """
    name = next((each.name for each in after.plans.values()), "")
    blocked = (*_blocked(after, old, new), *_collisions(old, new))
    if blocked:
        return Move(name, old, new, blocked, (), (), ())
    folders = tuple(f"{out}/{name}/{target}" for target in (old, new))
    phases = (
        Phase("prepare", tuple(_prepare(before, after, old, new))),
        *_exchange(after.plans[old], old, new, folders),
        Phase("remove the old cluster, when you are sure", tuple(_remove(old, folders))),
    )
    lost = tuple(losses(before, after, old, new))
    return Move(name, old, new, (), lost, phases, tuple(_back(folders)))


def _blocked(after: Checked, old: str, new: str) -> Iterator[str]:
    """What keeps one of the targets from being rendered."""
    for standing in comparison.compare("", after, [old, new]).standings:
        for change in standing.changes:
            text = f"{change.message}: {change.way_out}" if change.way_out else change.message
            yield f"{standing.target.name}: {text}"


def _collisions(old: str, new: str) -> Iterator[str]:
    if {old, new} == _ON_EKS:
        yield (
            f"{old} and {new} would both own the EKS cluster and its stack: name the one of {old} "
            "in targets.hyperpod-eks.eks_cluster, or give the new cluster another name"
        )


def _prepare(before: Checked, after: Checked, old: str, new: str) -> Iterator[str]:
    yield f"name both under targets: {old} and {new}; render"
    sides = (Spec("now", None, before), Spec("with both", None, after))
    found = compare(*sides, old)
    for caused in found.effects if found else ():
        if caused.effect.kind not in _QUIET:
            yield f"mind that this {caused.effect.text} ({caused.effect.kind})"


def _exchange(plan: Plan, old: str, new: str, folders: Sequence[str]) -> Iterator[Phase]:
    """The new cluster beside the old one; or after it, where both need the same capacity."""
    create = Phase("create the new cluster", tuple(_create(plan, folders[1])))
    drain = Phase("drain the old cluster", tuple(_drain(old, folders[0])))
    held = [group.name for group in plan.node_groups if group.capacity.reserved]
    if held:
        why = f"only one cluster can have the reserved capacity of {', '.join(held)}"
        yield drain._replace(title=f"drain the old cluster, as {why}")
        yield create
    else:
        yield create
        yield drain
    yield Phase("cut over", tuple(_cut_over(old, new)))


def _create(plan: Plan, folder: str) -> Iterator[str]:
    yield f"{folder}/deploy.sh: it updates the foundation, and creates the cluster in it"
    mounts = ", ".join(each.mount for each in plan.storage)
    if mounts:
        yield f"see that the data is there: {mounts}"
    yield f"test it, with smoke/ and verify.sh in {folder}"


def _drain(old: str, folder: str) -> Iterator[str]:
    if old in SLURM:
        yield "stop new jobs: scontrol update partitionname=NAME state=drain"
        yield "wait until squeue is empty, or cancel what is left"
    elif old == "batch":
        yield "stop new jobs: aws batch update-job-queue --state DISABLED --job-queue NAME"
        yield "wait until no job runs"
    else:
        yield "stop new workloads: hold the queues, or remove the rights to submit"
        yield "wait until no pod of a job runs"
    yield f"{folder}/deploy.sh --pause: nodes stop, and with them most of the cost"


def _cut_over(old: str, new: str) -> Iterator[str]:
    kinds = [_kind(target) for target in (old, new)]
    if kinds[0] != kinds[1]:
        yield f"rewrite the jobs for {kinds[1]}: jobs/ in the new bundle has templates"
        yield "give users access to the new cluster: with SSH keys to Slurm, with roles elsewhere"
    elif kinds[1] == "Slurm":
        yield "give users the new address; SSH warns of new host keys"
    else:
        yield "give users the new kubeconfig"
    yield "submit the jobs that were pending: queues are not copied"


def _kind(target: str) -> str:
    """What users submit jobs to."""
    if target == "batch":
        return "AWS Batch"
    return "Slurm" if target in SLURM else "Kubernetes"


def _remove(old: str, folders: Sequence[str]) -> Iterator[str]:
    yield f"{folders[0]}/deploy.sh --destroy: the foundation stays, with the data"
    yield f"take {old} out of targets, render, and run {folders[1]}/deploy.sh"


def _back(folders: Sequence[str]) -> Iterator[str]:
    pause, resume = f"{folders[1]}/deploy.sh --pause", f"{folders[0]}/deploy.sh --resume"
    yield f"while the old cluster exists: {pause}, then {resume}"
    yield f"later: {folders[0]}/deploy.sh creates it again, with the same file systems"
