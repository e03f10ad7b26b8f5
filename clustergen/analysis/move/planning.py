"""The steps of a move, from the plans for both ends."""

from collections.abc import Iterable, Iterator

from clustergen.analysis.diff import Spec, compare
from clustergen.analysis.diff.view import QUIET
from clustergen.analysis.move import beside, copying, leaving, losses
from clustergen.analysis.move.blocked import is_upgrade, reasons
from clustergen.analysis.move.model import End, Ends, Move, Phase, Step
from clustergen.plan.features.rules.support import unsupported
from clustergen.plan.model import Ebs, Plan
from clustergen.services import foundation


def plan(old: End, new: End) -> Move:
    """The move of a cluster to another service, or to a new cluster beside it.

    Both ends have one spec, where :attr:`End.checked` of ``new`` has the target of ``old`` as well;
    or each has its own, with names of their own and one foundation.
    """
    blocked = tuple(reasons(old, new))
    move = Move(old.name, old.target, new.name, new.target, blocked)
    running, coming = old.plan, new.plan
    if blocked or running is None or coming is None:
        return move
    ends = Ends(old, new, running, coming)
    title = "remove the old cluster, when you are sure"
    remove = Phase(title, (*_steps_to_remove(ends),), (_return_later(ends),))
    return move._replace(
        lost=tuple(losses.losses(*ends)), phases=(_prepare(ends), *_exchange(ends), remove)
    )


def _prepare(ends: Ends) -> Phase:
    old, new, running, coming = ends
    steps = [*(_two_specs(ends) if is_upgrade(old, new) else _one_spec(ends))]
    if not _one_at_a_time(running, coming):
        steps += [
            Step(
                f"quotas for both at once: {beside.needed(running, coming)}. If they are too "
                "small, drain and pause the old cluster before you create the new one: from then "
                "until users cut over, nobody can run jobs"
            ),
            Step(f"both together cost {beside.price(running, coming)}"),
        ]
    check = f"clustergen preflight {new.spec} --target {new.target}"
    steps.append(Step("check what the account and the network lack for the new cluster", check))
    back = "nothing has changed in the account"
    if not is_upgrade(old, new):
        back += f": take {new.target} out of targets again, and render"
    return Phase("prepare", tuple(steps), (Step(back),))


def _two_specs(ends: Ends) -> Iterator[Step]:
    for end in (ends.old, ends.new):
        yield Step(f"write {end.folder}", _rendering(end, f" --target {end.target}"))


def _one_spec(ends: Ends) -> Iterator[Step]:
    old, new = ends.old, ends.new
    what = f"name both under targets, {old.target} and {new.target}"
    yield Step(what, _rendering(new))
    sides = (Spec("now", None, old.checked), Spec("with both", None, new.checked))
    found = compare(*sides, old.target)
    for caused in found.effects if found else ():
        if caused.effect.kind not in QUIET:
            yield Step(f"note: this {caused.effect.text} ({caused.effect.kind})")


def _rendering(end: End, option: str = "") -> str:
    """The command that renders the spec, also where that uses what a target lacks."""
    lacking = any(each.code == unsupported.code for each in end.checked.findings)
    return f"{end.render}{option}{' --allow-unsupported' if lacking else ''}"


def _exchange(ends: Ends) -> Iterator[Phase]:
    """The new cluster beside the old one; or after it, where only one can run.

    Beside it, users go to the new one before the old one is drained, which takes as long as its
    longest job.
    """
    why = _one_at_a_time(ends.running, ends.coming)
    if not why:
        yield _create(ends)
        yield leaving.cut_over(ends, drained=False)
        yield leaving.drain(ends, left=True)
        return
    drain = leaving.drain(ends)
    gap = Step(
        "tell users: from here until the new cluster is tested, no cluster runs jobs. That is as "
        "long as the jobs that run now, and some hours more"
    )
    yield drain._replace(title=f"drain the old cluster, as {why}", steps=(gap, *drain.steps))
    yield _create(ends, drain.back)
    yield leaving.cut_over(ends, drained=True)


def _one_at_a_time(running: Plan, coming: Plan) -> str:
    """Why the clusters cannot run jobs at the same time; empty if they can."""
    if held := [group.name for group in beside.held(running, coming)]:
        return f"only one cluster can use the reserved capacity of {', '.join(held)}"
    if database := losses.shared_database(running, coming):
        return f"only one slurmdbd may use the database at {database.endpoint}"
    return ""


def _create(ends: Ends, resume: Iterable[Step] = ()) -> Phase:
    """``resume`` the old cluster to go back, if it was drained before."""
    back = (*_undo_creation(ends, resume),)
    return Phase("create the new cluster", (*_steps_to_create(ends),), back)


def _steps_to_create(ends: Ends) -> Iterator[Step]:
    folder, coming = ends.new.folder, ends.coming
    shared = foundation.emit(coming) is not None
    what = "update the foundation, and create the cluster in it" if shared else "create the cluster"
    yield Step(what, f"{folder}/deploy.sh")
    if coming.target == "eks":
        from clustergen.targets.eks import requests

        for group in requests.undated_blocks(coming):
            command = requests.command(coming, group, f"desiredSize={group.max}")
            yield Step(f"request the nodes of {group.name}, which has none yet", command)
    if coming.monitoring.alerts.emails:
        yield Step("confirm the subscriptions to alerts that AWS sends by e-mail")
    made = [each.mount for each in coming.storage if isinstance(each, Ebs) and not each.existing]
    if found := ", ".join(each.mount for each in coming.storage if each.mount not in made):
        yield Step(f"check that the data is there: {found}")
    yield from copying.there(ends)
    tests = {
        "slurm": f"smoke/run.sh and verify.sh in {folder}",
        "batch": f"{folder}/verify.sh",
        "kubernetes": f"the manifests in {folder}/smoke, one at a time",
    }
    yield Step(f"test it: {tests[coming.scheduler]}; README.md there says how")


def _undo_creation(ends: Ends, resume: Iterable[Step]) -> Iterator[Step]:
    old, new = ends.old, ends.new
    what = "delete the new cluster; the old one and the data stay"
    yield Step(what, f"{new.folder}/deploy.sh --destroy")
    yield from resume
    if not is_upgrade(old, new):
        yield from _take_out(new, old)


def _take_out(leaving: End, staying: End) -> Iterator[Step]:
    """Roles and other parts of the foundation go that only one service needs."""
    yield Step(f"take {leaving.target} out of targets", _rendering(staying))
    yield Step(
        f"update the foundation, with your consent to delete what only {leaving.target} used",
        f"{staying.folder}/deploy.sh --allow-replacement",
    )


def _steps_to_remove(ends: Ends) -> Iterator[Step]:
    old, new = ends.old, ends.new
    joined = ends.running.existing.cluster
    yield Step(
        f"delete the nodes and queues; {joined} stays"
        if joined
        else "delete the cluster; the foundation stays, with the data",
        f"{old.folder}/deploy.sh --destroy",
    )
    if not is_upgrade(old, new):
        yield from _take_out(old, new)
        what = "remove the old bundle, whose foundation lacks the new service"
        yield Step(what, f"rm -r {old.folder}")
        return
    yield Step(
        f"delete the spec of {old.name}, and keep `foundation: {ends.coming.foundation}` in "
        f"that of {new.name}: the stack with the data keeps this name",
        f"rm -r {old.folder}",
    )
    if old.target != new.target:
        yield from _take_out(old, new)


def _return_later(ends: Ends) -> Step:
    """A new cluster on the same file systems."""
    old, new = ends.old, ends.new
    back = old.spec if is_upgrade(old, new) else f"--from {new.target} --to {old.target}"
    way = "move in the other direction, with the same file systems"
    return Step(way, f"clustergen move {new.spec} {back}")
