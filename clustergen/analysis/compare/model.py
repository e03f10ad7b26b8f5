"""Comparison of targets for a spec, as values."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from clustergen import targets
from clustergen.base import discovery
from clustergen.base.findings import Finding, Path, Severity, Span, errors
from clustergen.checking.compiler import Checked
from clustergen.output import ordered
from clustergen.plan import features
from clustergen.plan.features import FEATURES, Feature, Level, Support
from clustergen.plan.model import Plan
from clustergen.services import cost
from clustergen.services.cost import Bill
from clustergen.targets import Target


@dataclass(frozen=True, slots=True)
class Change:
    """A change to the spec that a target needs before it can render it, and where."""

    code: str
    message: str
    way_out: str
    feature: str
    """The id of the feature that the target lacks; empty if something else is wrong."""
    places: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """How well one target fits the spec."""

    target: Target
    used: Mapping[str, tuple[Path, ...]] | None
    """Feature id -> places in the spec that use it; None if the spec cannot be planned."""
    findings: tuple[Finding, ...]
    """All findings for this target, in source order."""
    plan: Plan | None = None
    bill: Bill | None = None
    """What the cluster costs there; None if it does not render."""
    place: int = 0
    """The rank: 1 for the best fit; ties share a rank."""

    @property
    def renders(self) -> bool:
        """Whether the spec renders for the target."""
        return self.used is not None and not errors(self.findings)

    def answer(self, feature: Feature) -> Support | None:
        """The support level of a feature; None if the plan does not use it."""
        if self.plan is None or feature.id not in (self.used or ()):
            return None
        return self.target.support[feature.id].of(self.plan)

    def answers(self, level: Level) -> Iterator[tuple[Feature, Support]]:
        """The used features that the target supports at ``level``, and how."""
        for feature in FEATURES:
            support = self.answer(feature)
            if support and support.level == level:
                yield feature, support

    def of(self, severity: Severity) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity is severity]

    @property
    def loss(self) -> tuple[bool, bool, int, int, int]:
        """The sort key, best first; see :mod:`clustergen.analysis.compare`."""
        lacks = len(list(self.answers("none")))
        differs = len(list(self.answers("partial")))
        warned = len(self.of(Severity.WARNING))
        # Without a plan, a target's counts are unknown; zeros must not improve its rank.
        return self.used is None, not self.renders, lacks, differs, warned

    @property
    def changes(self) -> tuple[Change, ...]:
        """The necessary changes, each listed once even if it occurs in several places."""
        # The target is known here, so the name of an unsupported feature is enough.
        short = {feature.id: feature.title for feature, _ in self.answers("none")}
        found: dict[tuple[str, str, str, str], list[Span]] = {}
        for finding in errors(self.findings):
            message = short.get(finding.feature, finding.message)
            what = finding.code, message, finding.help, finding.feature
            places = found.setdefault(what, [])
            places += [finding.span] if finding.span else []
        return tuple(Change(*what, tuple(places)) for what, places in found.items())


@dataclass(frozen=True, slots=True)
class Comparison:
    """One spec and the compared targets, in the requested order."""

    source: str
    name: str
    """The cluster's name; empty if nothing could be planned."""
    standings: tuple[Standing, ...]
    """Empty if nothing could be compared; the findings explain the reason."""
    findings: tuple[Finding, ...]

    @property
    def features(self) -> list[Feature]:
        """The features that the spec uses for any of the targets."""
        used = {id for standing in self.standings for id in standing.used or ()}
        return [feature for feature in FEATURES if feature.id in used]

    @property
    def least_lost(self) -> list[Standing]:
        """The best-ranked targets that render the spec: one, several if tied, or none."""
        return [s for s in self.standings if s.place == 1 and s.renders]


def compare(title: str, checked: Checked, names: Iterable[str]) -> Comparison:
    """The comparison of the targets ``names`` for a checked spec with this ``title``."""
    name = next((plan.name for plan in checked.plans.values()), "")
    if not is_clear(checked):
        return Comparison(title, name, (), checked.findings)
    standings = [_standing(targets.load(target), checked) for target in names]
    return Comparison(title, name, tuple(_placed(standings)), checked.findings)


def is_clear(checked: Checked) -> bool:
    """Whether a spec says what is intended, whatever keeps targets from rendering it."""
    return bool(checked.plans) and not any(f.code in _FORM for f in errors(checked.findings))


_FORM = frozenset(rule.code for rule in discovery.rules("clustergen.spec.source.rules"))
"""Problems of files and arguments: the intended spec is unknown, so it is not compared."""


def _standing(target: Target, checked: Checked) -> Standing:
    plan = checked.plans.get(target.name)
    used = {f.id: paths for f, paths in features.used(plan)} if plan else None
    mine = (f for f in checked.findings if f.target in ("", target.name))
    rendered = plan and not checked.blocking(target.name)
    bill = cost.bill(plan, target.fees) if plan and rendered else None
    return Standing(target, used, tuple(ordered(mine)), plan, bill)


def _placed(standings: Sequence[Standing]) -> Iterator[Standing]:
    losses = [standing.loss for standing in standings]
    for standing, loss in zip(standings, losses, strict=True):
        yield replace(standing, place=1 + sum(other < loss for other in losses))
