"""The Kubernetes version, its support period, and the administrators of the cluster.

Dates are compared with the date of the table, never with a clock, so that a spec has the same
findings every day.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta

from clustergen.eks import versions
from clustergen.eks.versions import VERSIONS, Version
from clustergen.findings import Fix, Path, Problem, Severity, put, unsafe
from clustergen.plan.model import Plan
from clustergen.targets.eks import limits
from clustergen.targets.eks.rules import rule

_VERSION: Path = ("kubernetes", "version")
_SOON = timedelta(days=60)
"""Time before the end of extended support at which EKS begins to send notices."""


@rule(
    "K8S500",
    "Kubernetes version that EKS does not have",
    fixes="unsafe",
    why="EKS creates clusters only with the versions in its release calendar.",
    source=versions.SOURCE,
    bad="kubernetes: {version: '1.99'}",
    good="kubernetes: {version: '1.35'}",
)
def unknown_version(plan: Plan) -> Iterator[Problem]:
    name = plan.kubernetes.version
    if name not in VERSIONS and not _is_older(name):
        yield Problem(
            _VERSION,
            f"EKS had no Kubernetes {name} on {versions.DATE}; the newest was {versions.NEWEST}",
            help=_newer(),
            fix=_fix(),
        )


@rule(
    "K8S501",
    "Kubernetes version that EKS no longer has",
    fixes="unsafe",
    why="After the end of extended support EKS upgrades clusters automatically and creates none.",
    source=versions.SOURCE,
    bad="kubernetes: {version: '1.29'}",
    good="kubernetes: {version: '1.35'}",
)
def retired_version(plan: Plan) -> Iterator[Problem]:
    name = plan.kubernetes.version
    version = VERSIONS.get(name)
    if version and _is_over(version):
        ended = f"extended support of Kubernetes {name} ended on {version.extended_until}"
        yield Problem(_VERSION, ended, help=_newer(), fix=_fix())
    elif not version and _is_older(name):
        message = f"EKS no longer had Kubernetes {name} on {versions.DATE}"
        yield Problem(_VERSION, message, help=_newer(), fix=_fix())


@rule(
    "K8S502",
    "Kubernetes version in extended support",
    fixes="unsafe",
    why="A cluster in extended support costs six times as much an hour, until EKS upgrades it.",
    source=versions.SOURCE,
    severity=Severity.WARNING,
    bad="kubernetes: {version: '1.33', support: extended}",
    good="kubernetes: {version: '1.35', support: extended}",
)
def extended_support(plan: Plan) -> Iterator[Problem]:
    version = _in_extended_support(plan)
    if version and versions.support(plan.kubernetes) != "standard":
        yield Problem(
            _VERSION,
            f"{_standard_ended(version)}, extended support ends on {version.extended_until}",
            help=_newer(),
            fix=_fix(),
        )


@rule(
    "K8S503",
    "Standard support for a version whose standard support has ended",
    fixes="unsafe",
    why="Extended support cannot be turned off for a version that is already in it.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/disable-extended-support.html",
    bad="kubernetes: {version: '1.33', support: standard}",
    good="kubernetes: {version: '1.33', support: extended}",
)
def no_standard_support(plan: Plan) -> Iterator[Problem]:
    version = _in_extended_support(plan)
    if version and versions.support(plan.kubernetes) == "standard":
        help = f"{_newer()}, or support: extended"
        yield Problem(_VERSION, _standard_ended(version), help=help, fix=_fix())


@rule(
    "K8S504",
    "Kubernetes version whose standard support ends soon",
    fixes="unsafe",
    why="On that day EKS upgrades the cluster automatically, or begins to charge for extended "
    "support.",
    source=versions.SOURCE,
    severity=Severity.WARNING,
    bad="kubernetes: {version: '1.34'}",
    good="kubernetes: {version: '1.35'}",
)
def ending_support(plan: Plan) -> Iterator[Problem]:
    version = _own_version(plan)
    if not version or not version.standard or not version.standard_until:
        return
    if _days_left(version.standard_until) > _SOON:
        return
    upgraded = versions.support(plan.kubernetes) == "standard"
    then = "EKS upgrades the cluster" if upgraded else "extended support, which costs more, begins"
    yield Problem(
        _VERSION,
        f"standard support of Kubernetes {version.name} ends on {version.standard_until}: {then}",
        help=_newer(),
        fix=_fix(),
    )


def _is_older(name: str) -> bool:
    """Whether a version is older than all in the table."""
    return limits.minor(name) < limits.minor(next(iter(VERSIONS)))


def _is_over(version: Version) -> bool:
    return version.extended_until is not None and version.extended_until < versions.DATE


def _in_extended_support(plan: Plan) -> Version | None:
    """The version of the cluster, if it is only in extended support."""
    version = _own_version(plan)
    return version if version and not version.standard and not _is_over(version) else None


def _own_version(plan: Plan) -> Version | None:
    """The version of a new cluster: the owner of an existing one chooses its support."""
    return VERSIONS.get(plan.kubernetes.version) if plan.creates_cluster else None


def _standard_ended(version: Version) -> str:
    return f"standard support of Kubernetes {version.name} ended on {version.standard_until}"


def _newer() -> str:
    return f"write version: '{_lasting()}'"


def _fix() -> Fix:
    return unsafe(put(_VERSION, _lasting()))


def _lasting() -> str:
    """The version with the longest announced support, which charts support."""
    announced = [v for v in VERSIONS.values() if v.standard_until is not None]
    return announced[-1].name


def _days_left(day: str) -> timedelta:
    return date.fromisoformat(day) - date.fromisoformat(versions.DATE)
