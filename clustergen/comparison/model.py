"""The comparison as a value: where each target stands with a spec."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from clustergen import discovery, features, targets
from clustergen.compiler import Checked
from clustergen.features import FEATURES, Feature, Level, Support
from clustergen.findings import Finding, Path, Severity, Span, errors
from clustergen.report import ordered
from clustergen.targets import Target


@dataclass(frozen=True, slots=True)
class Change:
    """What has to change before a target takes the spec, and where it says so."""

    code: str
    message: str
    way_out: str
    places: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """What one target makes of the spec."""

    target: Target
    used: Mapping[str, tuple[Path, ...]] | None
    """Feature id -> places in the spec that ask for it; None where nothing could be planned."""
    findings: tuple[Finding, ...]
    """All that hold for this target, in the order of the source."""
    place: int = 0
    """1 for the target that loses least; targets that lose alike share a place."""

    @property
    def renders(self) -> bool:
        """Whether the target takes the spec as it is."""
        return self.used is not None and not errors(self.findings)

    def answer(self, feature: Feature) -> Support | None:
        """What the target makes of a feature; None where its plan does not use it."""
        return self.target.support[feature.id] if feature.id in (self.used or ()) else None

    def answers(self, level: Level) -> Iterator[tuple[Feature, Support]]:
        """The features used that the target answers with ``level``, and how."""
        for feature in FEATURES:
            support = self.answer(feature)
            if support and support.level == level:
                yield feature, support

    def of(self, severity: Severity) -> list[Finding]:
        return [finding for finding in self.findings if finding.severity is severity]

    @property
    def loss(self) -> tuple[bool, bool, int, int, int]:
        """What the order goes by, less first: see :mod:`clustergen.comparison`."""
        lacks = len(list(self.answers("none")))
        differs = len(list(self.answers("partial")))
        warned = len(self.of(Severity.WARNING))
        # Nothing is known of a target without a plan: no number of its own may flatter it.
        return self.used is None, not self.renders, lacks, differs, warned

    @property
    def changes(self) -> tuple[Change, ...]:
        """What has to change, each said once however often the spec has it."""
        # The target is known here: of an unsupported feature its name is enough.
        short = {
            features.message(feature, "none", self.target.title): feature.title
            for feature, _ in self.answers("none")
        }
        found: dict[tuple[str, str, str], list[Span]] = {}
        for finding in errors(self.findings):
            message = short.get(finding.message, finding.message)
            places = found.setdefault((finding.code, message, finding.help), [])
            places += [finding.span] if finding.span else []
        return tuple(Change(*what, tuple(places)) for what, places in found.items())


@dataclass(frozen=True, slots=True)
class Comparison:
    """One spec, and the targets that were asked about in the order in which they were."""

    source: str
    """The spec's file, as the command line has it."""
    name: str
    """The cluster's name; empty where nothing could be planned."""
    standings: tuple[Standing, ...]
    """Empty where nothing could be compared: the findings say why."""
    findings: tuple[Finding, ...]
    """All of all targets."""

    @property
    def features(self) -> list[Feature]:
        """Those that the spec uses, with any of the targets."""
        used = {id for standing in self.standings for id in standing.used or ()}
        return [feature for feature in FEATURES if feature.id in used]

    @property
    def least_lost(self) -> list[Standing]:
        """The targets that take the spec and lose least; several that lose alike, or none."""
        return [s for s in self.standings if s.place == 1 and s.renders]

    @property
    def by_place(self) -> list[Standing]:
        return sorted(self.standings, key=lambda standing: standing.place)


def compare(title: str, checked: Checked, names: Iterable[str]) -> Comparison:
    """The comparison of a spec, called ``title``, checked for the targets called ``names``."""
    name = next((plan.name for plan in checked.plans.values()), "")
    if not checked.plans or any(f.code in _FORM for f in errors(checked.findings)):
        return Comparison(title, name, (), checked.findings)
    standings = [_standing(targets.load(target), checked) for target in names]
    return Comparison(title, name, tuple(_placed(standings)), checked.findings)


_FORM = frozenset(rule.code for rule in discovery.rules("clustergen.source.rules"))
"""What is wrong with files and arguments: what was meant is not known, and not compared."""


def _standing(target: Target, checked: Checked) -> Standing:
    plan = checked.plans.get(target.name)
    used = {f.id: paths for f, paths in features.used(plan)} if plan else None
    mine = (f for f in checked.findings if f.target in ("", target.name))
    return Standing(target, used, tuple(ordered(mine)))


def _placed(standings: Sequence[Standing]) -> Iterator[Standing]:
    losses = [standing.loss for standing in standings]
    for standing, loss in zip(standings, losses, strict=True):
        yield replace(standing, place=1 + sum(other < loss for other in losses))
