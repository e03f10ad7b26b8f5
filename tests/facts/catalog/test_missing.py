"""A name the catalog does not have is explained."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustergen.facts import catalog
from tests.support import service_models

# name, part of the reason, the name to use instead; `p4de` is old: it gets no further size
WRONG = [
    ("dl1.24xlarge", "retired", "trn1.32xlarge"),
    ("g3s.xlarge", "retired", "g6.xlarge"),
    ("p3.16xlarge", "none of the regions", "p4d.24xlarge"),
    ("trn3.48xlarge", "announced", "trn2.48xlarge"),
    ("p6e-gb300.36xlarge", "announced", "p6e-gb200.36xlarge"),
    ("p6e.48xlarge", "UltraServers", "p6e-gb200.36xlarge"),
    ("ml.p6e.48xlarge", "UltraServers", "p6e-gb200.36xlarge"),
    ("u-p6e-gb200x72", "is an UltraServer", "p6e-gb200.36xlarge"),
    ("ml.u-p6e-gb200x72", "is an UltraServer", "p6e-gb200.36xlarge"),
    ("p6.48xlarge", "p6-b200 or p6-b300", "p6-b200.48xlarge"),
    ("p6-b100.48xlarge", "no instance type", "p6-b300.48xlarge"),
    ("ml.p5.48xlarge", "without SageMaker's ml.", "p5.48xlarge"),
    ("ml.p5.48", "no size 48", "p5.48xlarge"),
    ("P5EN.48xlarge", "lower case", "p5en.48xlarge"),
    ("p5en.48xlarge ", "without spaces", "p5en.48xlarge"),
    ("p5.48", "no size 48", "p5.48xlarge"),
    ("p5.48xl", "no size 48xl", "p5.48xlarge"),
    ("p4de.12xlarge", "no size 12xlarge", "p4de.24xlarge"),
    ("p4de", "is a family", "p4de.24xlarge"),
    ("g5.7xlarge", "no size 7xlarge", "g5.8xlarge"),
    ("t3.9xlarge", "no size 9xlarge", "t3.2xlarge"),
    ("m7i.4xlrge", "no size 4xlrge", "m7i.4xlarge"),
    ("p5em.48xlarge", "no instance type", "p5e.48xlarge"),
    ("p7.48xlarge", "no instance type", None),
    ("c7i.massive", "no size massive", None),
    ("p5en48xlarge", "form", "p5en.48xlarge"),
    ("p5en-48xlarge", "form", "p5en.48xlarge"),
    ("p6_b200_48xlarge", "form", "p6-b200.48xlarge"),
    ("foo", "form", None),
    ("", "form", None),
]


@pytest.mark.parametrize(("name", "reason", "nearest"), WRONG)
def test_explained(name: str, reason: str, nearest: str | None) -> None:
    missing = catalog.explain_missing(name)
    assert reason in missing.reason
    assert missing.nearest == nearest
    assert nearest is None or catalog.find(nearest)
    assert missing.suggestion


def test_sizes_of_the_family_are_listed_small_first() -> None:
    meant, _, listed = catalog.explain_missing("g6.4").suggestion.partition(" The family has ")
    family = [one for one in catalog.every() if one.family == "g6"]
    assert meant == "did you mean g6.4xlarge?"
    assert listed.split(", ") == [one.name for one in sorted(family, key=lambda one: one.vcpus)]


def test_an_accelerator_leads_to_types_that_have_most_of_it() -> None:
    having = [one for one in catalog.every() if one.accelerator and one.accelerator.name == "H200"]
    missing = catalog.explain_missing("H200")
    best = max(one.gpus for one in having)
    assert missing.reason == "h200 is an accelerator, not an instance type"
    assert missing.nearest in [one.name for one in having if one.gpus == best]
    assert {*missing.suggestion.removeprefix("use ").split(", ")} <= {one.name for one in having}


def test_every_name_of_the_sdk_is_in_the_catalog_or_explained() -> None:
    enum = service_models.model("ec2").shape_for("InstanceType").enum
    unexplained = [
        name
        for name in enum
        if catalog.find(name) is None
        and catalog.explain_missing(name).reason.startswith("there is no instance type")
    ]
    assert unexplained == []


@given(st.one_of(st.text(), st.from_regex(r"[a-z0-9-]{0,9}\.?[a-z0-9-]{0,12}")))
def test_any_text_gives_an_explanation(name: str) -> None:
    missing = catalog.explain_missing(name)
    assert missing.reason
    assert missing.suggestion
    assert missing.nearest is None or catalog.find(missing.nearest)
