"""The version of Kubernetes, and how long EKS runs it.

Days are compared with the day on which the table was read, never with a clock: the same spec has
the same findings on every day.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from clustergen.eks import versions
from clustergen.eks.versions import Version
from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import Plan
from clustergen.targets.eks import limits

_PATH: Path = ("kubernetes", "version")
_SOON = timedelta(days=60)
"""As long before the end of extended support EKS begins to send notices."""

UNKNOWN = Rule(
    code="K8S500",
    title="Kubernetes version that EKS does not have",
    why="EKS runs the versions of its calendar, and makes no cluster of any other.",
    source=versions.SOURCE,
    target="eks",
    bad="kubernetes: {version: '1.99'}",
    good="kubernetes: {version: '1.35'}",
)
GONE = Rule(
    code="K8S501",
    title="Kubernetes version that EKS no longer has",
    why="After the end of extended support EKS upgrades clusters by itself, and makes none.",
    source=versions.SOURCE,
    target="eks",
    bad="kubernetes: {version: '1.29'}",
    good="kubernetes: {version: '1.35'}",
)
EXTENDED = Rule(
    code="K8S502",
    title="Kubernetes version in extended support",
    why="A cluster in extended support costs six times as much an hour, until EKS upgrades it.",
    source=versions.SOURCE,
    severity=Severity.WARNING,
    target="eks",
    bad="kubernetes: {version: '1.33', support: extended}",
    good="kubernetes: {version: '1.35', support: extended}",
)
CONTRADICTION = Rule(
    code="K8S503",
    title="Standard support of a version that has none left",
    why="EKS cannot leave extended support out of a version that is in it already.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/disable-extended-support.html",
    target="eks",
    bad="kubernetes: {version: '1.33', support: standard}",
    good="kubernetes: {version: '1.33', support: extended}",
)
ENDING = Rule(
    code="K8S504",
    title="Kubernetes version whose standard support ends soon",
    why="On that day EKS upgrades the cluster by itself, or begins to charge for extended support.",
    source=versions.SOURCE,
    severity=Severity.WARNING,
    target="eks",
    bad="kubernetes: {version: '1.34'}",
    good="kubernetes: {version: '1.35'}",
)
RULES = (UNKNOWN, GONE, EXTENDED, CONTRADICTION, ENDING)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    name = plan.kubernetes.version
    found = versions.VERSIONS.get(name)
    if found is None:
        yield _missing(name)
    elif _before(found.extended_until):
        yield GONE.at(
            _PATH,
            f"extended support of Kubernetes {name} ended on {found.extended_until}",
            help=_newer(),
        )
    elif not found.standard:
        yield _extended(plan, found)
    elif found.standard_until and _days_left(found.standard_until) <= _SOON:
        yield _ending(plan, found)


def _missing(name: str) -> Finding:
    oldest = next(iter(versions.VERSIONS))
    if limits.minor(name) < limits.minor(oldest):
        return GONE.at(
            _PATH, f"EKS had no Kubernetes {name} any more on {versions.DATE}", help=_newer()
        )
    return UNKNOWN.at(
        _PATH,
        f"EKS had no Kubernetes {name} on {versions.DATE}, the newest was {versions.NEWEST}",
        help=_newer(),
    )


def _extended(plan: Plan, version: Version) -> Finding:
    since = f"standard support of Kubernetes {version.name} ended on {version.standard_until}"
    if plan.kubernetes.support == "standard":
        return CONTRADICTION.at(_PATH, since, help=f"{_newer()}, or support: extended")
    return EXTENDED.at(
        _PATH, f"{since}, extended support ends on {version.extended_until}", help=_newer()
    )


def _ending(plan: Plan, version: Version) -> Finding:
    automatic = plan.kubernetes.support == "standard"
    then = "EKS upgrades the cluster" if automatic else "extended support, which costs more, begins"
    return ENDING.at(
        _PATH,
        f"standard support of Kubernetes {version.name} ends on {version.standard_until}: {then}",
        help=_newer(),
    )


def _newer() -> str:
    """The version with the longest announced support, which charts have caught up to."""
    announced = [v for v in versions.VERSIONS.values() if v.standard_until is not None]
    return f"write version: '{announced[-1].name}'"


def _before(day: str | None) -> bool:
    return day is not None and day < versions.DATE


def _days_left(day: str) -> timedelta:
    return date.fromisoformat(day) - date.fromisoformat(versions.DATE)
