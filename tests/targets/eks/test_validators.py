"""What others' tools say of templates of what no example spec has."""

import json

import pytest

from tests.targets.eks.planned import template_of
from tests.targets.eks.test_emit import (
    ARN,
    BLOCK,
    EVERYTHING,
    IMAGE,
    KARPENTER,
    PUBLIC,
    ROLE,
    SCRIPTS,
    cpu,
    group,
)
from tests.validators.cloudformation import check
from tests.validators.cloudformation.second import diagnose

FRAGMENTS = [
    "",
    BLOCK,
    EVERYTHING,
    IMAGE,
    KARPENTER,
    PUBLIC,
    SCRIPTS,
    f"kubernetes: {{admins: ['{ROLE}'], support: extended, version: '1.36'}}",
    "monitoring: {metrics: managed-prometheus}",
    "targets: {eks: {deletion_protection: true}}",
    "name: ex-ample\ntags: {owner: 'Zoë + Žiga: a/b=c', Name: x}",
    "network: {zone: use1-dfw2-az1}",
    cpu("capacity: spot"),
    cpu(f"capacity: {{reservation_group: '{ARN}'}}"),
    group("threads_per_core: 1, placement: {group: held-together}, taints: [{key: a}]"),
    "targets: {eks: {overlay: {Resources: {Cluster: {DeletionPolicy: Retain}}}}}",
]


def violations(template: dict[str, object], region: str) -> list[str]:
    text = json.dumps(template)
    return [*check(json.loads(text), region), *map(str, diagnose(text))]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_cases_without_an_example(fragment: str) -> None:
    assert violations(template_of(fragment), "us-east-1") == []
