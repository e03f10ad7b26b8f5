"""Specs and bundles for the tests of HyperPod with EKS, of what matters to them."""

import functools
from typing import Any

from clustergen.base.findings import EXAMPLE_BASE
from tests.support.checking import Fragments

CLUSTER = "arn:aws:eks:us-east-1:111122223333:cluster/training"
HYPERPOD = Fragments(
    "hyperpod-eks", f"{EXAMPLE_BASE}targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}'}}}}\n"
)
validated, plan_of, files_of = HYPERPOD.checked, HYPERPOD.plan, HYPERPOD.files
request_of = functools.partial(HYPERPOD.document, "create-cluster.json")
"""The CreateCluster request of a text."""


def codes(text: str = "") -> set[str]:
    """The codes of all findings."""
    return set(HYPERPOD.codes(text))


def group_of(text: str = "", name: str = "h200") -> dict[str, Any]:
    """One instance group of the request."""
    groups = {group["InstanceGroupName"]: group for group in request_of(text)["InstanceGroups"]}
    found: dict[str, Any] = groups[name]
    return found
