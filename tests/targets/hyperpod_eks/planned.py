"""Specs and bundles for the tests of HyperPod with EKS, of what matters to them."""

from __future__ import annotations

import functools
import json
from typing import Any

from clustergen import foundation, renderer
from clustergen.artifacts import Bundle
from clustergen.compiler import Checked
from clustergen.findings import EXAMPLE_BASE, errors
from clustergen.plan.model import Plan
from tests.checking import check

TARGET = "hyperpod-eks"
CLUSTER = "arn:aws:eks:us-east-1:111122223333:cluster/training"
_BASE = f"{EXAMPLE_BASE}targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}'}}}}\n"


@functools.cache
def judged(text: str = "") -> Checked:
    """All that is said of `text`, laid over the smallest spec with an EKS cluster."""
    return check(_BASE, text or "{}", target=TARGET)


def codes(text: str = "") -> set[str]:
    """The codes of all findings."""
    return {finding.code for finding in judged(text).findings}


def plan_of(text: str = "") -> Plan:
    """The plan of a spec that nothing is to be said against."""
    checked = judged(text)
    assert [f"{f.code} {f.message}" for f in errors(checked.findings)] == []
    return checked.plans[TARGET]


@functools.cache
def files_of(text: str = "") -> dict[str, str]:
    """Path and text of every file for `text`, its foundation included."""
    plan_of(text)
    bundle: Bundle = renderer.render(judged(text), TARGET)
    assert (foundation.emit(plan_of(text)) is not None) == (foundation.PATH in dict(_pairs(bundle)))
    return dict(_pairs(bundle))


def _pairs(bundle: Bundle) -> list[tuple[str, str]]:
    return [(artifact.path, artifact.text) for artifact in bundle]


def request_of(text: str = "") -> dict[str, Any]:
    """The CreateCluster request of `text`."""
    request: dict[str, Any] = json.loads(files_of(text)["create-cluster.json"])
    return request


def group_of(text: str = "", name: str = "h200") -> dict[str, Any]:
    """One instance group of the request."""
    groups = {group["InstanceGroupName"]: group for group in request_of(text)["InstanceGroups"]}
    found: dict[str, Any] = groups[name]
    return found
