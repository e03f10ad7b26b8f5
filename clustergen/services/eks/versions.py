"""Kubernetes versions on EKS, and their end of support."""

from collections.abc import Mapping
from dataclasses import dataclass

from clustergen.plan.model import Kubernetes

SOURCE = "https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html"
DATE = "2026-11-20"
"""Date of :data:`VERSIONS`, with which ends of support are compared."""


@dataclass(frozen=True, slots=True)
class Version:
    """A minor version; ISO dates, None if not announced."""

    name: str
    standard_until: str | None
    """The end of standard support: 14 months after its release on EKS. After that, it costs six
    times as much.
    """
    extended_until: str | None
    """The end of extended support, a year later. Then EKS upgrades the cluster automatically."""

    @property
    def standard(self) -> bool:
        """Whether it was in standard support on :data:`DATE`."""
        return self.standard_until is None or self.standard_until >= DATE


# SOURCE, and for 1.36 the enum of aws-cdk-lib 2.275.0 and EKS's images of 2026-07.
VERSIONS: Mapping[str, Version] = {
    version.name: version
    for version in (
        Version("1.31", "2025-11-26", "2026-11-26"),
        Version("1.32", "2026-03-23", "2027-03-23"),
        Version("1.33", "2026-07-29", "2027-07-29"),
        Version("1.34", "2026-12-02", "2027-12-02"),
        Version("1.35", "2027-03-27", "2028-03-27"),
        Version("1.36", None, None),
    )
}
"""By name, oldest first."""

NEWEST = list(VERSIONS)[-1]
LASTING = [name for name, version in VERSIONS.items() if version.standard_until][-1]
"""The version with the longest announced support, which charts support."""

# https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions-standard.html; 2026-11-20.
BUILT_IN_EFA = "1.33"
"""From this version on, the cluster's security group allows EFA."""


def minor(name: str) -> int:
    """``1.35`` as 35, for comparison."""
    return int(name.partition(".")[2])


def at_least(name: str, least: str) -> bool:
    return minor(name) >= minor(least)


def is_over(version: Version) -> bool:
    """Whether its extended support had ended on :data:`DATE`."""
    return version.extended_until is not None and version.extended_until < DATE


def is_older(name: str) -> bool:
    return minor(name) < minor(next(iter(VERSIONS)))


def is_retired(name: str) -> bool:
    """Whether EKS no longer created clusters with it on :data:`DATE`."""
    return is_over(VERSIONS[name]) if name in VERSIONS else is_older(name)


def support(kubernetes: Kubernetes) -> str:
    """The upgrade policy at the end of standard support: ``standard`` (upgrade) or ``extended``.

    EKS's own default is ``extended``, the only one that versions in extended support allow.
    https://docs.aws.amazon.com/eks/latest/APIReference/API_UpgradePolicyRequest.html
    """
    return "extended" if kubernetes.support == "auto" else kubernetes.support


def ending(kubernetes: Kubernetes) -> Version | None:
    """The version, if the end of its standard support is to come and announced."""
    version = VERSIONS.get(kubernetes.version)
    return version if version and version.standard_until and version.standard else None
