"""The table of families: each row is of a real family, each fact has a source, and is found."""

import re

import pytest

from clustergen.facts import catalog
from clustergen.facts.catalog import families, ultraservers
from clustergen.facts.catalog.families import Family, Measurement
from clustergen.facts.catalog.lookup import DATA
from tests.support.tables import by_outcome, flow

ROWS = families.table()["families"]
SIZES: dict[str, set[str]] = {}
for one in catalog.every():
    SIZES.setdefault(one.family, set()).add(one.size)


def test_each_fact_has_a_description_and_a_source() -> None:
    facts = families.table()["facts"]
    assert list(facts) == list(Family._fields)
    for fact in facts.values():
        assert fact["what"]
        assert fact["source"].startswith(("https://", "aws-parallelcluster 3."))
        assert re.fullmatch(r"2026-\d\d(-\d\d)?", fact["date"])


def test_a_family_is_one_line() -> None:
    lines = (DATA / "families.json").read_text(encoding="ascii").splitlines()
    rows = [match[1] for line in lines if (match := re.match(r' {4}"(.*?)": \{.*\},?$', line))]
    assert rows == [*families.table()["facts"], *sorted(ROWS)]


def _is_gone(family: str) -> bool:
    """Whether EC2 no longer offers a family, according to the catalog."""
    missing = catalog.explain_missing(f"{family}.2xlarge")
    return "retired" in missing.reason or "any more" in missing.reason


@pytest.mark.parametrize("family", ROWS)
def test_every_row_has_a_known_family_and_its_sizes(family: str) -> None:
    assert family in SIZES or _is_gone(family)
    row = families.find(family)
    assert row != Family()
    named = set() if row.topology == "all" else set(row.topology.split())
    measured = {row.nccl.size} if row.nccl else set()
    assert named | measured <= SIZES.get(family, set())


def test_families_with_efa_or_an_accelerator_have_a_row() -> None:
    needed = {one.family for one in catalog.every() if one.efa or one.accelerator}
    assert needed - set(ROWS) == set()


FACTS = [
    *(
        (family, fact, expected)
        for fact, families in flow("""
nitro: {p5: 4, m5: null}
neuron_cores: {inf1: 4, trn2: 4, p5: 0}
device_claims: {inf1: false, inf2: true}
lustre_efa: {p5en: 8, p6-b300: 2, trn2u: 0}
nccl: {p5en: null}
eks_driver: {g6f: true, vt1: false, g7: true}
eks_image: {a1: false, m6g: true}
open_driver: {p3dn: false, g4dn: true}
""").items()
        for family, expected in families.items()
    ),
    ("p6-b200", "nccl", Measurement("48xlarge", 4, 377, 16)),
    ("p6e-gb200", "parallelcluster_without", ("rhel8", "rocky8", "rhel9")),
    ("p5", "parallelcluster_without", ()),
]


@pytest.mark.parametrize(("family", "fact", "expected"), FACTS)
def test_fact(family: str, fact: str, expected: object) -> None:
    assert getattr(families.find(family), fact) == expected


# How many layers of the network EC2 reports for instances, by family and size.
@pytest.mark.parametrize(
    ("name", "expected"),
    by_outcome("""
3: [p5.48xlarge, p5en.48xlarge, g6e.xlarge]
4: [p6-b200.48xlarge, p6-b300.48xlarge]
0: [p5.4xlarge, trn2.3xlarge, g6.48xlarge, m7i.large]
"""),
)
def test_topology(name: str, expected: int) -> None:
    family, _, size = name.partition(".")
    assert families.find(family).layers_of(size) == expected


# Of GPUs, not of Trainium, which is sold singly too.
DOMAINS = [("p6e-gb200.36xlarge", True), ("trn2u.48xlarge", False), ("p6-b200.48xlarge", False)]


@pytest.mark.parametrize(("name", "expected"), DOMAINS)
def test_nvlink_domain(name: str, expected: bool) -> None:
    found = catalog.find(name)
    assert found is not None
    assert found.nvlink_domain is expected


def test_each_nvlink_domain_is_a_known_ultraserver() -> None:
    """Its instances are counted, and the larger UltraServers are multiples of the smallest."""
    for one in catalog.every():
        if one.nvlink_domain:
            smallest, *larger = (s.instances for s in ultraservers.containing(one.name))
            assert [count % smallest for count in larger] == [0] * len(larger)
