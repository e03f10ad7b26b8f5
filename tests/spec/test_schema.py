"""The JSON Schema for editors takes what the parser takes."""

import json
from pathlib import Path

import jsonschema
import pytest

import clustergen
from clustergen.base import resources
from clustergen.spec import source
from clustergen.spec.schema import schema
from clustergen.targets import NAMES

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


@pytest.mark.parametrize("name", ["p5en.48xlarge", "p99.48xlarge"])
@pytest.mark.parametrize(
    "extra",
    [
        {"node_groups": [{"name": "a", "instance_type": "X", "count": 1}]},
        {"node_groups": [{"name": "a", "instance_types": ["X"], "count": 1}]},
        {"kubernetes": {"system_nodes": {"instance_type": "X"}}},
        {"head_node": {"instance_type": "X"}},
        {"login": {"instance_type": "X"}},
    ],
    ids=["group", "groups", "system", "head", "login"],
)
def test_instance_types_are_those_of_the_catalog(name: str, extra: object) -> None:
    """Editors list them. A name is rejected only where check rejects it for every target."""
    data = BASE | json.loads(json.dumps(extra).replace("X", name))
    findings = [clustergen.check_text(json.dumps(data), targets=[t]).findings for t in NAMES]
    unknown = all(any(f.code == "CAP001" for f in found) for found in findings)
    assert (violations(data) != []) is unknown
    assert unknown is (name == "p99.48xlarge" and not {"head_node", "login"} & set(data))
