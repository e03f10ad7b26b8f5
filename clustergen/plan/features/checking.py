"""``SUP`` findings: how a target supports the features that a plan uses."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from clustergen.base import discovery
from clustergen.base.findings import Finding, Path, Problem, found
from clustergen.plan.features.model import Feature, Level, Support
from clustergen.plan.features.table import used
from clustergen.plan.model import Plan


class Use(NamedTuple):
    """A feature that a plan uses, and how well a target supports it."""

    feature: Feature
    paths: tuple[Path, ...]
    support: Support
    target: str
    """The title of the target."""
    written: frozenset[Path]
    """All paths that the user wrote."""

    def problems(self, *, written: bool = False) -> Iterator[Problem]:
        """One problem for each place in the spec that uses the feature.

        With ``written``, only where the user wrote it, not for defaults.
        """
        how = self.support
        text = message(self.feature, how.level, self.target)
        lacking = self.feature.id if how.level == "none" else ""
        unused = how.ignored or how.level == "managed"
        return (
            Problem(path, text, help=how.how, feature=lacking, unused=unused)
            for path in self.paths
            if not written or path in self.written
        )


def check(plan: Plan, support: Mapping[str, Support], title: str) -> Iterator[Finding]:
    """Findings about the features that ``plan`` uses, for the target ``title``."""
    uses: list[Use] = []
    for feature, paths in used(plan):
        row = support[feature.id].of(plan)
        uses.append(Use(feature, _effective(plan, paths, row), row, title, plan.written))
    yield from found(discovery.rules(f"{__package__}.rules"), uses)


def _effective(plan: Plan, paths: tuple[Path, ...], row: Support) -> tuple[Path, ...]:
    """The places without those that an existing cluster ignores: another rule reports them.

    What a target does not support, it rejects there, too.
    """
    if row.level == "none":
        return paths
    return tuple(path for path in paths if path not in plan.existing.owned)


def message(feature: Feature, level: Level, title: str) -> str:
    """The message about a feature that the target ``title`` does not fully support."""
    verb = _VERBS.get(level, "handles this differently")
    return f"{title} {verb}: {feature.title} [{feature.id}]"


_VERBS: Mapping[Level, str] = {"none": "does not support this", "managed": "does this itself"}
