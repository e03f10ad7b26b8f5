"""MIG profiles of the GPUs."""

import pytest

from clustergen.facts import catalog
from clustergen.facts.catalog import mig
from clustergen.facts.catalog.instance import InstanceType
from tests.support.tables import by_outcome, flow


def found(name: str) -> InstanceType:
    instance = catalog.find(name)
    assert instance is not None
    return instance


# By type: profiles, and how many a GPU holds; null: not a profile of this GPU.
PROFILES = flow("""
p4d.24xlarge: {1g.5gb: 7, 1g.10gb: 4}
p4de.24xlarge: {1g.10gb: 7}
p5.4xlarge: {7g.80gb: 1}
p5en.48xlarge: {1g.18gb: 7, 1g.18gb+me: 1, 3g.71gb: 2, 1g.10gb: null}
p6-b200.48xlarge: {2g.45gb: 3}
p6-b300.48xlarge: {4g.135gb: 1}
p6e-gb200.36xlarge: {7g.186gb: 1}
g7e.48xlarge: {1g.24gb: null}
trn2.48xlarge: {1g.5gb: null}
m7i.4xlarge: {1g.5gb: null}
""")


@pytest.mark.parametrize(
    ("name", "profile", "most"),
    [(name, *row) for name, profiles in PROFILES.items() for row in profiles.items()],
)
def test_profile(name: str, profile: str, most: int | None) -> None:
    one = mig.profile(found(name), profile)
    assert (one.most if one else None) == most


# Partitions of one H200, by whether they fit.
@pytest.mark.parametrize(
    ("wanted", "fits"),
    by_outcome("""
true: [{1g.18gb: 7}, {3g.71gb: 2}, {3g.71gb: 1, 4g.71gb: 1}, {1g.35gb: 4}, {7g.141gb: 1}, {},
  {1g.18gb: 3, 4g.71gb: 1}]
false: [{1g.18gb: 8}, {3g.71gb: 2, 1g.18gb: 1}, {1g.35gb: 4, 1g.18gb: 1}]
"""),
)
def test_fits(wanted: dict[str, int], fits: bool) -> None:
    assert mig.use(found("p5en.48xlarge"), wanted).fits is fits


def test_each_profile_fits_its_maximum_count() -> None:
    for instance in catalog.every():
        for profile in mig.profiles(instance):
            assert mig.use(instance, {profile.name: profile.most}).fits, (instance.name, profile)


def test_unknown_profile() -> None:
    with pytest.raises(KeyError):
        mig.use(found("p5en.48xlarge"), {"1g.10gb": 1})
