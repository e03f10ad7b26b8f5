"""SageMaker's names of types, and what to take instead."""

from __future__ import annotations

import pytest

from clustergen import catalog
from clustergen.hyperpod.names import alternatives, ml_name


@pytest.mark.parametrize(
    ("name", "expected"),
    [("p5en.48xlarge", "ml.p5en.48xlarge"), ("trn2.48xlarge", "ml.trn2.48xlarge")],
)
def test_ml_name(name: str, expected: str) -> None:
    type = catalog.find(name)
    assert type is not None
    assert ml_name(type) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("trn1.2xlarge", "trn1.32xlarge"),
        ("m7a.4xlarge", "m7i.4xlarge"),
        ("c7i.8xlarge", "c6i.8xlarge"),
        ("c5n.xlarge", "c5n.large"),
        ("m8g.metal-24xl", "m8g.medium"),
        ("p3dn.24xlarge", "p4d.24xlarge"),
    ],
)
def test_alternatives(name: str, expected: str) -> None:
    type = catalog.find(name)
    assert type is not None
    text = alternatives(type)
    assert expected in text
    named = text.partition(": ")[2].split(", ")
    assert all(found and found.hyperpod for found in map(catalog.find, named)), text


@pytest.mark.parametrize("name", ["g5g.16xlarge", "u7i-12tb.224xlarge", "mac2.metal"])
def test_no_similar_type(name: str) -> None:
    type = catalog.find(name)
    assert type is not None
    assert alternatives(type) == "use another service: HyperPod offers fewer types than EC2"
