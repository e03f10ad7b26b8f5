"""Specs and bundles for the tests of AWS Batch."""

import json
from typing import Any

from tests.support.checking import Fragments

BATCH = Fragments("batch")
validated, found, plan_of, files_of = BATCH.checked, BATCH.findings, BATCH.plan, BATCH.files
template_of, properties_of = BATCH.template, BATCH.properties


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
