"""Specs and bundles for the tests of AWS Batch."""

from __future__ import annotations

import functools
import json
from typing import Any

from clustergen.targets.batch import TARGET
from tests.checking import Fragments

BATCH = Fragments("batch")
validated, found, plan_of, files_of = BATCH.checked, BATCH.findings, BATCH.plan, BATCH.files


@functools.cache
def template_of(text: str = "") -> dict[str, Any]:
    """The cluster template of `text`, as it is read back from its JSON."""
    document: dict[str, Any] = json.loads(json.dumps(TARGET.document(plan_of(text))))
    return document


def properties_of(text: str, logical_id: str) -> dict[str, Any]:
    """The properties of one resource."""
    found: dict[str, Any] = template_of(text)["Resources"][logical_id]["Properties"]
    return found


def compute_of(text: str, group: str = "H200") -> dict[str, Any]:
    """The compute resources of a node group's environment."""
    found: dict[str, Any] = properties_of(text, f"ComputeEnvironment{group}")["ComputeResources"]
    return found


def job_of(text: str, name: str) -> dict[str, Any]:
    """One job definition."""
    found: dict[str, Any] = json.loads(files_of(text)[f"jobs/{name}.json"])
    return found


def container_of(job: dict[str, Any]) -> dict[str, Any]:
    """The container of a job of one or of several nodes."""
    if "containerProperties" in job:
        found: dict[str, Any] = job["containerProperties"]
        return found
    [nodes] = job["nodeProperties"]["nodeRangeProperties"]
    several: dict[str, Any] = nodes["container"]
    return several
