"""Versions of Kubernetes, retention of logs, addresses of services."""

import datetime

import pytest

from clustergen.services.aws import logs
from clustergen.services.eks import control_plane, versions
from tests.targets.eks.planned import plan_of

DAYS = [(1, 1), (2, 3), (30, 30), (31, 60), (366, 400), (4000, 3653)]


@pytest.mark.parametrize(("wanted", "kept"), DAYS)
def test_log_groups_have_the_requested_retention(wanted: int, kept: int) -> None:
    assert logs.retention(wanted) == kept


def test_versions_are_in_order_and_end_in_order() -> None:
    names = list(versions.VERSIONS)
    assert names == sorted(names)
    assert names[-1] == versions.NEWEST
    ends = [v.standard_until for v in versions.VERSIONS.values() if v.standard_until]
    assert ends == sorted(ends)
    for version in versions.VERSIONS.values():
        if version.standard_until and version.extended_until:
            first, last = map(
                datetime.date.fromisoformat, (version.standard_until, version.extended_until)
            )
            assert 360 <= (last - first).days <= 370


STANDARD = [("1.32", False), ("1.33", False), ("1.34", True), ("1.35", True), ("1.36", True)]


@pytest.mark.parametrize(("name", "standard"), STANDARD)
def test_standard_support(name: str, standard: bool) -> None:
    assert versions.VERSIONS[name].standard is standard


SERVICES = [
    ("", "172.20.0.0/16"),
    ("network: {cidr: 172.20.8.0/21}", "10.100.0.0/16"),
    ("network: {cidr: 10.100.0.0/16}", "172.20.0.0/16"),
]


@pytest.mark.parametrize(("fragment", "block"), SERVICES)
def test_services_are_not_in_the_vpc(fragment: str, block: str) -> None:
    assert control_plane.service_cidr(plan_of(fragment)) == block
