"""The JSON Schema for editors takes what the parser takes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from clustergen import resources, source
from clustergen.spec.schema import schema

SPECS = sorted(
    [*resources.tree("specs").glob("*.yaml"), *resources.tree("templates").glob("presets/*.yaml")]
)
VALIDATOR = jsonschema.Draft202012Validator(schema())
BASE = {
    "version": 1,
    "name": "example",
    "region": "us-east-1",
    "node_groups": [{"name": "h200", "instance_type": "p5en.48xlarge", "count": 2}],
}


def violations(data: object) -> list[str]:
    return [f"{e.json_path}: {e.message}" for e in VALIDATOR.iter_errors(data)]


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_specs_satisfy_it(path: Path) -> None:
    document, _ = source.read([path], [])
    assert document is not None
    assert violations(json.loads(json.dumps(document.data))) == []


@pytest.mark.parametrize(
    ("extra", "accepted"),
    [
        ({}, True),
        ({"slurm": {"settings": {"JobRequeue": 1, "A": True, "B": "x"}}}, True),
        ({"kubernetes": {"version": 1.35}}, True),
        ({"tags": {"cost-center": 4711}}, True),
        ({"queues": [{"name": "q", "node_groups": ["h200"], "default": True}]}, True),
        ({"nodegroups": []}, False),
        ({"software": {"os": "ubuntu2004"}}, False),
        ({"storage": [{"mount": "/fsx", "type": "fsx-lustre", "size": 4800}]}, False),
        ({"slurm": {"idle_timeout": 600}}, False),
    ],
)
def test_forms(extra: dict[str, object], accepted: bool) -> None:
    assert (violations(BASE | extra) == []) is accepted


def test_defaults_equal_the_written_values() -> None:
    slurm = schema()["$defs"]["Slurm"]["properties"]
    group = schema()["$defs"]["NodeGroup"]["properties"]
    assert slurm["idle_timeout"]["default"] == "10m"
    assert group["capacity"]["default"] == "on-demand"
