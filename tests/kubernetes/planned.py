"""Plans and files for the tests of what runs in a cluster."""

from __future__ import annotations

import functools

import yaml

from clustergen.artifacts import Json
from clustergen.compiler import Checked
from clustergen.findings import EXAMPLE_BASE, errors
from clustergen.kubernetes import bundle
from clustergen.plan.model import Plan
from tests.checking import check

TARGET = "eks"


@functools.cache
def judged(text: str = "") -> Checked:
    """All that is said of `text`, laid over the smallest spec."""
    return check(EXAMPLE_BASE, text or "{}", target=TARGET)


@functools.cache
def plan_of(text: str = "") -> Plan:
    """The plan of a spec that nothing is to be said against."""
    checked = judged(text)
    assert [f"{f.code} {f.message}" for f in errors(checked.findings)] == []
    return checked.plans[TARGET]


@functools.cache
def files_of(text: str = "") -> dict[str, str]:
    """Path and text of every file of what runs in the cluster."""
    return {file.path: file.text for file in bundle.files(plan_of(text))}


def objects_of(text: str, path: str) -> list[Json]:
    """The objects of one file; none where there is no such file."""
    return [item for item in yaml.safe_load_all(files_of(text).get(path, "")) if item]


def values_of(text: str, name: str) -> Json:
    """The values of a chart."""
    values: Json = yaml.safe_load(files_of(text)[f"values/{name}.yaml"])
    return values
