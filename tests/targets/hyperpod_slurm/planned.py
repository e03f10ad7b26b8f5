"""Specs and bundles for the tests of HyperPod with Slurm, of what matters to them."""

import functools
import json
from typing import Any

from clustergen.base.findings import Finding
from tests.support.checking import Fragments

HYPERPOD = Fragments("hyperpod-slurm")
validated, plan_of, files_of = HYPERPOD.checked, HYPERPOD.plan, HYPERPOD.files
request_of = functools.partial(HYPERPOD.document, "create-cluster.json")
"""The CreateCluster request of a text."""


def found(text: str, code: str) -> list[Finding]:
    """The findings of `text` with `code`."""
    return [finding for finding in HYPERPOD.findings(text) if finding.code == code]


def groups_of(text: str = "") -> dict[str, dict[str, Any]]:
    """The instance groups of the request, by name."""
    return {group["InstanceGroupName"]: group for group in request_of(text)["InstanceGroups"]}


def properties_of(text: str = "") -> dict[str, Any]:
    """The properties of the cluster in the CloudFormation template."""
    template = json.loads(files_of(text)["cluster.template.json"])
    properties: dict[str, Any] = template["Resources"]["Cluster"]["Properties"]
    return properties
