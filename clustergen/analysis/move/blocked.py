"""What keeps one end of a move from being rendered, or the data from staying."""

import json
from collections.abc import Iterator

from clustergen.analysis import compare
from clustergen.analysis.diff.view import QUIET
from clustergen.analysis.move.model import End
from clustergen.bundle.effects import effects
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.foundation import PATH as FOUNDATION

_ON_EKS = frozenset({"eks", "hyperpod-eks"})
_ON_HYPERPOD = frozenset({"hyperpod-slurm", "hyperpod-eks"})


def is_upgrade(old: End, new: End) -> bool:
    """Whether the new cluster has a spec of its own."""
    return old.name != new.name


def reasons(old: End, new: End) -> Iterator[str]:
    """Why this move is impossible."""
    yield from _of_the_cluster(old, new)
    if is_upgrade(old, new):
        yield from (*_changes(old), *_changes(new), *_apart(old, new))
        return
    here = old._replace(checked=new.checked)
    changes = [*_changes(here), *_changes(new)]
    yield from changes
    named = [*_one_name(old, new)]
    if changes and not named and not any(_changes(old)):
        yield f"write a second spec for what {old.target} does not support: {_second(old, new)}"
    yield from named


def _changes(end: End) -> Iterator[str]:
    for standing in compare.compare("", end.checked, [end.target]).standings:
        ways = {feature.id: support.how for feature, support in standing.answers("none")}
        for change in standing.changes:
            if change.feature == "storage.by-cluster":
                continue  # an empty file system of the foundation is no way out of a move
            # Another target, which the finding names, is none either.
            way_out = ways.get(change.feature, change.way_out)
            text = f"{change.message}: {way_out}" if way_out else change.message
            without = "; or go without it, with --allow-unsupported" if change.feature else ""
            yield f"{end.target}: {text}{without}"


def _of_the_cluster(old: End, new: End) -> Iterator[str]:
    """File systems that go with the old cluster, or that the new one would create again, empty."""
    running, coming = old.plan, new.plan
    known = {each.mount: each for each in coming.storage} if coming else {}
    for storage in running.storage if running else ():
        if not storage.new_in_cluster:
            continue
        if not storage.retain:
            yield (
                f"{storage.mount} is deleted with the old cluster: write `on_delete: retain`, and "
                "deploy that first"
            )
        again = known.get(storage.mount)
        if not is_upgrade(old, new) or not again or not again.existing:
            second = "" if is_upgrade(old, new) else f"; for that, {_second(old, new)}"
            yield (
                f"{storage.mount} belongs to the old cluster, and the new one would get an empty "
                f"one: name it in the new spec by its id, `existing: {{id: fs-...}}`{second}"
            )


def _second(old: End, new: End) -> str:
    plan = old.plan
    stack = plan.foundation if plan else old.name
    return (
        f"copy this spec, give the copy another name and `foundation: {stack}`, write "
        f"`targets: {{{old.target}: {{}}, {new.target}: {{}}}}` in both, and run `clustergen move "
        f"OLD NEW --from {old.target} --to {new.target}`"
    )


def _one_name(old: End, new: End) -> Iterator[str]:
    """Services that would see one cluster where there are two."""
    both = {old.target, new.target}
    if both == _ON_EKS and {*_eks_clusters(old, new)} & {old.name}:
        yield (
            f"{old.target} and {new.target} would both own the EKS cluster {old.name}, which "
            f"is deleted with whichever you destroy first: {_second(old, new)}"
        )
    clusters = {end.plan.cluster_name if end.plan else end.name for end in (old, new)}
    if both == _ON_HYPERPOD and len(clusters) == 1:
        yield (
            f"{old.target} and {new.target} would both be the HyperPod cluster {old.name}, as "
            f"HyperPod cluster names are unique: {_second(old, new)}"
        )


def _eks_clusters(old: End, new: End) -> Iterator[str]:
    """The EKS cluster of the HyperPod end, which is called like the spec unless it exists."""
    for end in (old, new):
        if end.plan and end.target == "hyperpod-eks":
            yield end.plan.existing.named.get("eks_cluster", end.name)


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
        if effect.kind not in QUIET and effect.subject not in gone:
            yield f"the foundation: {effect.subject} {effect.text}"


def _resources(template: str) -> list[str]:
    return list(json.loads(template)["Resources"])
