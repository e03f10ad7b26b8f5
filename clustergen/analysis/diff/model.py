"""The comparison of two sides for one target."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from clustergen import targets
from clustergen.analysis.diff import order, users
from clustergen.analysis.diff.causes import causes, key
from clustergen.analysis.diff.changes import SpecChange
from clustergen.analysis.diff.drift import Drift
from clustergen.analysis.diff.live import Live
from clustergen.analysis.diff.running import Facts
from clustergen.analysis.diff.sides import Folders, Spec
from clustergen.bundle import effects
from clustergen.bundle.effects import KINDS, Effect, Kind, worst
from clustergen.facts.catalog.prices import MONTH_HOURS
from clustergen.plan.model import Plan
from clustergen.services import cost
from clustergen.services.cost import Bill, Change, Line
from clustergen.targets.parallelcluster.storage import storage_name

Side = Spec | Folders | Live
"""One side of a comparison."""


class Caused(NamedTuple):
    """An effect, and the changed fields of the spec that cause it, where they are known."""

    effect: Effect
    causes: tuple[SpecChange, ...] = ()


class Cost(NamedTuple):
    """The bills of both sides."""

    old: Bill
    new: Bill
    staying: tuple[Line, ...] = ()
    """The lines of the old bill for what stays behind."""

    @property
    def kept(self) -> tuple[float, float]:
        """What that costs in a month, at the minimum and the maximum of node groups."""
        found = [line.usd(MONTH_HOURS) for line in self.staying]
        return sum(low for low, _ in found), sum(high for _, high in found)

    @property
    def changes(self) -> list[Change]:
        """The lines that differ, the largest difference of a month first."""
        return sorted(cost.compare(self.old, self.new), key=lambda c: -abs(c.usd(MONTH_HOURS)[1]))


class Diff(NamedTuple):
    """What deploying the new side over the old one does, for one target."""

    old: str
    new: str
    target: str
    effects: tuple[Caused, ...]
    """The most dangerous first."""
    steps: tuple[str, ...]
    """What to do, in this order."""
    cost: Cost | None = None
    """None unless both sides are specs: bundles do not hold prices."""
    drift: Drift | None = None
    """What was changed outside the stacks; None unless the old side is a cluster that runs."""

    @property
    def kind(self) -> Kind:
        return worst(each.effect for each in self.effects)

    @property
    def stays(self) -> list[str]:
        """What stays behind, and continues to cost money."""
        names = (each.effect.stays for each in self.effects)
        return list(dict.fromkeys(name for name in names if name))

    def of(self, kind: Kind) -> list[Caused]:
        return [each for each in self.effects if each.effect.kind == kind]


def compare(old: Side, new: Side, target: str) -> Diff | None:
    """The difference for ``target``; None if a side cannot be rendered for it."""
    before, after = old.files(target), new.files(target)
    if before is None or after is None:
        broken = isinstance(old, Spec) and before is None and target in old.targets
        if broken or (after is None and target in new.targets):
            return None
        found = [_lone(target, added=before is None)]
        return Diff(old.title, new.title, target, tuple(map(Caused, found)), ())
    found = [*effects.effects(before, after), *users.effects(old.plan(target), new.plan(target))]
    found.sort(key=lambda effect: -KINDS.index(effect.kind))
    known = (
        causes(old.document, new.document, target, before, found)
        if old.document and new.document and found
        else {}
    )
    caused = tuple(Caused(effect, tuple(known.get(key(effect), ()))) for effect in found)
    steps = tuple(order.steps(target, found, Facts(before)))
    whole = Diff(old.title, new.title, target, caused, steps, drift=old.drift(target))
    return whole._replace(cost=_cost(old.plan(target), new.plan(target), whole.stays))


def _cost(old: Plan | None, new: Plan | None, stays: Sequence[str]) -> Cost | None:
    if old is None or new is None:
        return None
    before, after = (cost.bill(plan, targets.load(plan.target).fees) for plan in (old, new))
    kept = {name for each in stays for name in (each, _mounts(old).get(each))}
    whole = old.name in stays
    return Cost(before, after, tuple(line for line in before.lines if whole or line.name in kept))


def _mounts(plan: Plan) -> Mapping[str, str]:
    """The mounts of file systems, by what they are called in templates and in cluster.yaml."""
    named = {each.output: each.mount for each in plan.storage}
    shared = ((each.name or storage_name(each.mount), each.mount) for each in plan.storage)
    return named | {f"SharedStorage[{name}]": mount for name, mount in shared}


def _lone(target: str, *, added: bool) -> Effect:
    if added:
        return Effect("in-place", target, "", "creates a cluster: there is none to compare with")
    text = (
        "deploys nothing: the cluster of the old side stays, and continues to cost money until "
        "`./deploy.sh --destroy` in its bundle; do that first, as the foundation loses what only "
        f"{target} uses"
    )
    return Effect("leftover", target, "", text, stays=target)
