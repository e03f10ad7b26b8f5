"""The steps of a move, from the plans for both ends."""

from __future__ import annotations

import json
from collections.abc import Iterator

from clustergen import comparison, foundation
from clustergen.difference import Spec, compare
from clustergen.effects import effects
from clustergen.foundation import PATH as FOUNDATION
from clustergen.moving.losses import SLURM, losses, shared_database
from clustergen.moving.model import End, Move, Phase
from clustergen.plan.model import Plan

_ON_EKS = frozenset({"eks", "hyperpod-eks"})
_QUIET = ("none", "in-place")


def plan(old: End, new: End) -> Move:
    """The move of a cluster to another service, or to a new cluster beside it.

    Both ends have one spec, where :attr:`End.checked` of ``new`` has the target of ``old`` as well;
    or each has its own, with names of their own and one foundation.
    """
    blocked = tuple(_blocked(old, new))
    move = Move(old.name, old.target, new.name, new.target, blocked)
    running, coming = old.plan, new.plan
    if blocked or running is None or coming is None:
        return move
    return move._replace(
        lost=tuple(losses(old, new, running, coming)),
        phases=(
            Phase("prepare", tuple(_prepare(old, new))),
            *_exchange(old, new, running, coming),
            Phase("remove the old cluster, when you are sure", tuple(_remove(old, new, coming))),
        ),
        back=tuple(_back(old, new)),
    )


def is_upgrade(old: End, new: End) -> bool:
    """Whether the new cluster has a spec of its own."""
    return old.name != new.name


def _blocked(old: End, new: End) -> Iterator[str]:
    """What keeps one of the ends from being rendered, or the data from staying."""
    ends = (old, new) if is_upgrade(old, new) else (old._replace(checked=new.checked), new)
    for end in ends:
        for standing in comparison.compare("", end.checked, [end.target]).standings:
            for change in standing.changes:
                text = f"{change.message}: {change.way_out}" if change.way_out else change.message
                yield f"{end.target}: {text}"
    if is_upgrade(old, new):
        yield from _apart(old, new)
    elif {old.target, new.target} == _ON_EKS:
        yield (
            f"{old.target} and {new.target} would both own the EKS cluster and its stack: name the "
            f"one of {old.target} in targets.hyperpod-eks.eks_cluster, or give the new cluster "
            "another name"
        )


def _apart(old: End, new: End) -> Iterator[str]:
    """Why the new cluster would not find the data, or would take something from the old one."""
    running, coming = old.plan, new.plan
    if running is None or coming is None:
        return
    if running.region != coming.region:
        yield f"{new.name} is in {coming.region}: file systems stay in {running.region}"
    elif running.foundation != coming.foundation:
        yield (
            f"write `foundation: {running.foundation}` in the spec of {new.name}: otherwise it has "
            "a network of its own, and empty file systems"
        )
    elif not any(end.checked.blocking(end.target) for end in (old, new)):
        for text in _on_foundation(running, coming):
            yield f"{text}; write the same network, storage and targets in both specs"


def _on_foundation(running: Plan, coming: Plan) -> Iterator[str]:
    """What deploying the new cluster takes from the foundation of the old one."""
    before, after = foundation.emit(running), foundation.emit(coming)
    if before is None or after is None:
        return
    gone = [name for name in _resources(before.text) if name not in _resources(after.text)]
    if gone:
        yield f"deploying {coming.name} would delete {', '.join(gone)} from the foundation"
    for effect in effects({FOUNDATION: before.text}, {FOUNDATION: after.text}):
        if effect.kind not in _QUIET and effect.subject not in gone:
            yield f"the foundation: {effect.subject} {effect.text}"


def _resources(template: str) -> list[str]:
    return list(json.loads(template)["Resources"])


def _prepare(old: End, new: End) -> Iterator[str]:
    if is_upgrade(old, new):
        yield f"check quotas, free addresses and the budget: {old.name} and {new.name} run together"
        yield f"clustergen render OLD NEW: {old.folder} and {new.folder}"
        return
    yield f"name both under targets: {old.target} and {new.target}; render"
    sides = (Spec("now", None, old.checked), Spec("with both", None, new.checked))
    found = compare(*sides, old.target)
    for caused in found.effects if found else ():
        if caused.effect.kind not in _QUIET:
            yield f"mind that this {caused.effect.text} ({caused.effect.kind})"


def _exchange(old: End, new: End, running: Plan, coming: Plan) -> Iterator[Phase]:
    """The new cluster beside the old one; or after it, where both need the same capacity."""
    create = Phase("create the new cluster", tuple(_create(new, coming)))
    drain = Phase("drain the old cluster", tuple(_drain(old)))
    database = tuple(_share_database(running, coming))
    held = [group.name for group in coming.node_groups if group.capacity.reserved]
    if held:
        why = f"only one cluster can have the reserved capacity of {', '.join(held)}"
        yield Phase(f"drain the old cluster, as {why}", drain.steps + database)
        yield create
    else:
        yield create._replace(steps=database + create.steps)
        yield drain
    yield Phase("cut over", tuple(_cut_over(old.target, new.target)))


def _share_database(running: Plan, coming: Plan) -> Iterator[str]:
    """ParallelCluster and HyperPod run a slurmdbd on each cluster: two would both roll up records.

    https://docs.aws.amazon.com/parallelcluster/latest/ug/slurm-accounting-v3.html
    """
    database = shared_database(running, coming)
    if database:
        yield (
            "on the head node of the old cluster: sudo systemctl disable --now slurmdbd. One "
            f"slurmdbd at a time may use the database at {database.endpoint}; jobs continue, and "
            "slurmctld keeps their records in a file"
        )


def _create(new: End, plan: Plan) -> Iterator[str]:
    yield f"{new.folder}/deploy.sh: it updates the foundation, and creates the cluster in it"
    mounts = ", ".join(each.mount for each in plan.storage)
    if mounts:
        yield f"see that the data is there: {mounts}"
    yield f"test it, with smoke/ and verify.sh in {new.folder}"


def _drain(old: End) -> Iterator[str]:
    if old.target in SLURM:
        yield "stop new jobs: scontrol update partitionname=NAME state=drain"
        yield "wait until squeue is empty, or cancel what is left"
    elif old.target == "batch":
        yield "stop new jobs: aws batch update-job-queue --state DISABLED --job-queue NAME"
        yield "wait until no job runs"
    else:
        yield "stop new workloads: hold the queues, or remove the rights to submit"
        yield "wait until no pod of a job runs"
    yield f"{old.folder}/deploy.sh --pause: nodes stop, and with them most of the cost"


def _cut_over(old: str, new: str) -> Iterator[str]:
    kinds = [_kind(target) for target in (old, new)]
    if kinds[0] != kinds[1]:
        yield f"rewrite the jobs for {kinds[1]}: jobs/ in the new bundle has templates"
        yield "give users access to the new cluster: with SSH keys to Slurm, with roles elsewhere"
    elif kinds[1] == "Slurm":
        yield "give users the new address; SSH warns of new host keys"
    elif kinds[1] == "Kubernetes":
        yield "give users the new kubeconfig"
    else:
        yield "give users the names of the new job queues"
    yield "submit the jobs that were pending: queues are not copied"


def _kind(target: str) -> str:
    """What users submit jobs to."""
    if target == "batch":
        return "AWS Batch"
    return "Slurm" if target in SLURM else "Kubernetes"


def _remove(old: End, new: End, coming: Plan) -> Iterator[str]:
    yield f"{old.folder}/deploy.sh --destroy: the foundation stays, with the data"
    if is_upgrade(old, new):
        yield (
            f"delete the spec of {old.name}, and keep `foundation: {coming.foundation}` in that of "
            f"{new.name}: the stack with the data keeps this name"
        )
    else:
        yield f"take {old.target} out of targets, render, and run {new.folder}/deploy.sh"


def _back(old: End, new: End) -> Iterator[str]:
    pause, resume = f"{new.folder}/deploy.sh --pause", f"{old.folder}/deploy.sh --resume"
    yield f"while the old cluster exists: {pause}, then {resume}"
    yield f"later: {old.folder}/deploy.sh creates it again, with the same file systems"
