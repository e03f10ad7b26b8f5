"""No bundle has more of anything than its service takes."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from clustergen import targets
from clustergen.base.artifacts import Bundle
from clustergen.bundle import limits, renderer
from tests.support.checking import check

SPEC = """\
version: 1
name: small
region: us-east-1
network: {zone: use1-az6}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]
storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]
"""


def rendered(target: str, spec: str = SPEC) -> tuple[dict[str, Any], Bundle]:
    checked = check(spec, target=target)
    return targets.load(target).document(checked.plans[target]), renderer.render(checked, target)


def refused(target: str, document: dict[str, Any], bundle: Bundle) -> list[str]:
    return [f.message for f in limits.refused(document, targets.load(target).schema, bundle)]


def _arguments(document: Any) -> Iterator[dict[str, Any]]:
    """The scripts of a document that have arguments."""
    for value in document.values() if isinstance(document, dict) else document:
        if isinstance(value, dict | list):
            yield from _arguments(value)
    if isinstance(document, dict) and "Arguments" in document:
        yield document


def _scripts(document: dict[str, Any]) -> None:
    next(_arguments(document))["Arguments"] = ["--mount"] * 21


def _long(document: dict[str, Any]) -> None:
    document["InstanceGroups"][0]["InstanceGroupName"] = "a" * 64


SEEDED: dict[str, tuple[str, Callable[[dict[str, Any]], None], str]] = {
    "arguments": ("pcs", _scripts, "21 items, where the service takes at most 20"),
    "name": ("hyperpod-slurm", _long, "64 characters, where the service takes at most 63"),
}


@pytest.mark.parametrize("target", targets.NAMES)
def test_a_usual_bundle_is_accepted(target: str) -> None:
    assert refused(target, *rendered(target)) == []


@pytest.mark.parametrize("fault", SEEDED)
def test_a_field_over_its_limit_is_found(fault: str) -> None:
    target, seed, message = SEEDED[fault]
    document, bundle = rendered(target)
    seed(document)
    assert [found for found in refused(target, document, bundle) if message in found]


def _beyond(value: Any, number: int) -> Any:
    """``value`` with sizes and numbers beyond every limit; what names a kind of object stays."""
    match value:
        case dict():
            kinds = {key: value[key] for key in ("Type", "StorageType") if key in value}
            return {key: _beyond(inner, number) for key, inner in value.items()} | kinds
        case list():
            return [*(_beyond(inner, number) for inner in value), *[None] * 300]
        case str():
            return "a" * 70_000
    return number if isinstance(value, int) else value


@pytest.mark.sampled(5)
@pytest.mark.parametrize("number", [10**9, -(10**9)])
@pytest.mark.parametrize("target", targets.NAMES)
def test_the_sizes_are_those_that_the_validator_finds(target: str, number: int) -> None:
    schema = targets.load(target).schema
    given = _beyond(rendered(target)[0], number)
    every = schema.violations(given)
    sizes = {(v.path, v.keyword, v.wanted) for v in every if v.keyword in limits._SIZES}
    assert {(e.path, e.keyword, e.wanted) for e in schema.exceeded(given)} == sizes
    assert sizes or number > 0


def _role(length: int) -> dict[str, Any]:
    statement = {"Effect": "Allow", "Action": "s3:*", "Resource": ["a" * length, {"Ref": "Bucket"}]}
    policy = {"PolicyName": "p", "PolicyDocument": {"Statement": [statement]}}
    return {"Type": "AWS::IAM::Role", "Properties": {"Policies": [policy, policy]}}


def _user_data(length: int) -> dict[str, Any]:
    data = {"UserData": {"Fn::Base64": {"Fn::Sub": "a" * length + "${Bucket}"}}}
    return {"Type": "AWS::EC2::LaunchTemplate", "Properties": {"LaunchTemplateData": data}}


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        ({"R": _role(5000)}, []),
        ({"R": _role(5100)}, ["a.template.json.Resources.R.Policies"]),
        ({"T": _user_data(16_384)}, []),
        ({"T": _user_data(16_385)}, ["a.template.json.Resources.T.UserData"]),
        ({f"R{n}": _role(1) for n in range(501)}, ["a.template.json.Resources"]),
        ({f"R{n}": _role(4900) for n in range(120)}, ["a.template.json"]),
    ],
)
def test_a_template_over_a_limit_is_found(resources: dict[str, Any], expected: list[str]) -> None:
    document, bundle = rendered("pcs")
    file = bundle[0].__class__("a.template.json", json.dumps({"Resources": resources}))
    found = refused("pcs", document, (file,))
    assert [message.partition(": ")[0] for message in found] == expected


@pytest.mark.parametrize("length", [0, 3, 700])
def test_the_length_of_a_document_is_that_of_its_text(length: int) -> None:
    document = {"a": ["b" * length, 1, True, None, {}], "c": [], "d": {"e": "f", "g": -1.5}}
    assert limits._length(document) == len(json.dumps(document, separators=(",", ":")))
