"""SageMaker's names of types, and what to take instead."""

import pytest

from clustergen.facts import catalog
from clustergen.facts.catalog import InstanceType
from clustergen.services.hyperpod.names import alternatives


def type_of(name: str) -> InstanceType:
    found = catalog.find(name)
    assert found is not None
    return found


@pytest.mark.parametrize("name", ["p5en.48xlarge", "trn2.48xlarge"])
def test_ml_name(name: str) -> None:
    assert type_of(name).ml_name == f"ml.{name}"


SIMILAR = [
    *(("trn1.2xlarge", "trn1.32xlarge"), ("m7a.4xlarge", "m7i.4xlarge")),
    *(("c7i.8xlarge", "c6i.8xlarge"), ("c5n.xlarge", "c5n.large")),
    *(("m8g.metal-24xl", "m8g.medium"), ("p3dn.24xlarge", "p4d.24xlarge")),
]


@pytest.mark.parametrize(("name", "expected"), SIMILAR)
def test_alternatives(name: str, expected: str) -> None:
    text = alternatives(type_of(name))
    assert expected in text
    named = text.partition(": ")[2].split(", ")
    assert all(found and found.hyperpod for found in map(catalog.find, named)), text


@pytest.mark.parametrize("name", ["g5g.16xlarge", "u7i-12tb.224xlarge", "mac2.metal"])
def test_no_similar_type(name: str) -> None:
    text = "use another service: HyperPod offers fewer types than EC2"
    assert alternatives(type_of(name)) == text
