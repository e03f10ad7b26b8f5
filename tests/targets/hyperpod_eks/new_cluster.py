"""Specs and bundles of HyperPod with an EKS cluster of its own."""

from typing import Any

from clustergen.base.findings import EXAMPLE_BASE
from tests.support.checking import Fragments

HYPERPOD = Fragments(
    "hyperpod-eks", f"{EXAMPLE_BASE}targets: {{hyperpod-eks: {{eks_cluster: new}}}}\n"
)
validated, plan_of_new, files_of_new = HYPERPOD.checked, HYPERPOD.plan, HYPERPOD.files

NEW = """
queues: [{name: train, node_groups: [h200], priority: 90}, {name: tune, node_groups: [h200]}]
tags: {team: research}
"""
"""Two queues that share the two nodes of the smallest spec."""


def codes(text: str = "") -> set[str]:
    """The codes of all findings."""
    return set(HYPERPOD.codes(text))


def document_of(name: str, text: str = "") -> Any:
    """One JSON file of the bundle."""
    return HYPERPOD.document(name, text)


def resources_of(name: str, text: str = "") -> dict[str, Any]:
    """The resources of a template by logical id."""
    found: dict[str, Any] = document_of(name, text)["Resources"]
    return found
