"""Specs and bundles of HyperPod with an EKS cluster of its own."""

from __future__ import annotations

import functools
import json
from typing import Any

from clustergen import renderer
from clustergen.compiler import Checked
from clustergen.findings import EXAMPLE_BASE, errors
from clustergen.plan.model import Plan
from tests.checking import check

TARGET = "hyperpod-eks"
_BASE = f"{EXAMPLE_BASE}targets: {{hyperpod-eks: {{eks_cluster: new}}}}\n"
NEW = """
queues:
  - {name: train, node_groups: [h200], priority: 90}
  - {name: tune, node_groups: [h200]}
tags: {team: research}
"""
"""Two queues that share the two nodes of the smallest spec."""


@functools.cache
def judged(text: str = "") -> Checked:
    """All that is said of `text`, laid over the smallest spec with a new EKS cluster."""
    return check(_BASE, text or "{}", target=TARGET)


def codes(text: str = "") -> set[str]:
    """The codes of all findings."""
    return {finding.code for finding in judged(text).findings}


def plan_of_new(text: str = "") -> Plan:
    """The plan of a spec that nothing is to be said against."""
    checked = judged(text)
    assert [f"{f.code} {f.message}" for f in errors(checked.findings)] == []
    return checked.plans[TARGET]


@functools.cache
def files_of_new(text: str = "") -> dict[str, str]:
    """Path and text of every file."""
    plan_of_new(text)
    return {file.path: file.text for file in renderer.render(judged(text), TARGET)}


def document_of(name: str, text: str = "") -> Any:
    """One JSON file of the bundle."""
    return json.loads(files_of_new(text)[name])


def resources_of(name: str, text: str = "") -> dict[str, Any]:
    """The resources of a template by logical id."""
    found: dict[str, Any] = document_of(name, text)["Resources"]
    return found
