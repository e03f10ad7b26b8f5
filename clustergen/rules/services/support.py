"""The end of support of the Kubernetes version of a new EKS cluster.

Dates are compared with the date of the table, never with a clock, so that a spec has the same
findings every day.
"""

from collections.abc import Iterator
from datetime import date, timedelta

from clustergen.base.findings import Path, Problem, put, unsafe
from clustergen.plan.model import Plan
from clustergen.rules.services import rule, warning
from clustergen.services.eks import versions
from clustergen.services.eks.versions import VERSIONS, Version

_VERSION: Path = ("kubernetes", "version")
_SOON = timedelta(days=60)
"""Time before the end of extended support at which EKS begins to send notices."""


@warning(
    "K8S502",
    "Kubernetes version in extended support",
    target="eks",
    why="A cluster in extended support costs six times as much an hour, until EKS upgrades it.",
    source=versions.SOURCE,
    bad="kubernetes: {version: '1.33', support: extended}",
)
def extended_support(plan: Plan) -> Iterator[Problem]:
    version = _in_extended_support(plan)
    if version and versions.support(plan.kubernetes) != "standard":
        yield _outdated(
            f"{_standard_ended(version)}, extended support ends on {version.extended_until}"
        )


@rule(
    "K8S503",
    "Standard support for a version whose standard support has ended",
    target="eks",
    why="Extended support cannot be turned off for a version that is already in it.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/disable-extended-support.html",
    bad="kubernetes: {version: '1.33', support: standard}",
    good="kubernetes: {version: '1.33', support: extended}",
)
def no_standard_support(plan: Plan) -> Iterator[Problem]:
    version = _in_extended_support(plan)
    if version and versions.support(plan.kubernetes) == "standard":
        yield _outdated(_standard_ended(version), or_else=", or support: extended")


@warning(
    "K8S504",
    "Kubernetes version whose standard support ends soon",
    target="eks",
    why="On that day EKS upgrades the cluster automatically, or begins to charge for extended "
    "support.",
    source=versions.SOURCE,
    bad="kubernetes: {version: '1.34'}",
)
def ending_support(plan: Plan) -> Iterator[Problem]:
    version = _own_version(plan)
    if not version or not version.standard or not version.standard_until:
        return
    if date.fromisoformat(version.standard_until) - date.fromisoformat(versions.DATE) > _SOON:
        return
    upgraded = versions.support(plan.kubernetes) == "standard"
    then = "EKS upgrades the cluster" if upgraded else "extended support, which costs more, begins"
    yield _outdated(
        f"standard support of Kubernetes {version.name} ends on {version.standard_until}: {then}"
    )


def _in_extended_support(plan: Plan) -> Version | None:
    """The version of the cluster, if it is only in extended support."""
    version = _own_version(plan)
    return version if version and not version.standard and not versions.is_over(version) else None


def _own_version(plan: Plan) -> Version | None:
    """The version of a new cluster: the owner of an existing one chooses its support."""
    return VERSIONS.get(plan.kubernetes.version) if plan.options.creates_eks else None


def _standard_ended(version: Version) -> str:
    return f"standard support of Kubernetes {version.name} ended on {version.standard_until}"


def _outdated(message: str, *, or_else: str = "") -> Problem:
    help = f"write version: '{versions.LASTING}'{or_else}"
    return Problem(_VERSION, message, help=help, fix=unsafe(put(_VERSION, versions.LASTING)))
