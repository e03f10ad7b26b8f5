"""Specs and bundles for the tests of HyperPod with Slurm, of what matters to them."""

from __future__ import annotations

import functools
import json
from typing import Any

from clustergen import renderer
from clustergen.compiler import Checked
from clustergen.findings import EXAMPLE_BASE, Finding, errors
from clustergen.plan.model import Plan
from tests.checking import check

TARGET = "hyperpod-slurm"


@functools.cache
def judged(text: str = "") -> Checked:
    """All that is said of `text`, laid over the smallest spec."""
    return check(EXAMPLE_BASE, text or "{}", target=TARGET)


def found(text: str, code: str) -> list[Finding]:
    """The findings of `text` with `code`."""
    return [finding for finding in judged(text).findings if finding.code == code]


def plan_of(text: str = "") -> Plan:
    """The plan of a spec that no error stands against."""
    checked = judged(text)
    assert [f"{f.code} {f.message}" for f in errors(checked.findings)] == []
    return checked.plans[TARGET]


@functools.cache
def files_of(text: str = "") -> dict[str, str]:
    """Path and text of every file for `text`, its foundation included."""
    plan_of(text)
    return {artifact.path: artifact.text for artifact in renderer.render(judged(text), TARGET)}


def request_of(text: str = "") -> dict[str, Any]:
    """The CreateCluster request of `text`."""
    request: dict[str, Any] = json.loads(files_of(text)["create-cluster.json"])
    return request


def groups_of(text: str = "") -> dict[str, dict[str, Any]]:
    """The instance groups of the request, by name."""
    return {group["InstanceGroupName"]: group for group in request_of(text)["InstanceGroups"]}


def properties_of(text: str = "") -> dict[str, Any]:
    """The properties of the cluster in the CloudFormation template."""
    template = json.loads(files_of(text)["cluster.template.json"])
    properties: dict[str, Any] = template["Resources"]["Cluster"]["Properties"]
    return properties
