"""Specs with one or several places broken: everything ends in findings, never in a traceback."""

from __future__ import annotations

import copy
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from clustergen import registry, report, targets
from clustergen.findings import Path
from tests.checking import EXAMPLES, check
from tests.examples import share

SPECS: list[Any] = [yaml.safe_load(path.read_text(encoding="utf-8")) for path in EXAMPLES.values()]
WRONG: list[Any] = [
    None, True, False, 0, -1, 1, 1.5, 2**70, "", " ", "x", "é\u202e", "a\nb", "${Name}", "default",
    "/", "new", "auto", "16", "5GiB", "-1s", "10.0.0.0/33", "p5en.48xlarge", "use1-az6",
    [], {}, [[]], [None], ["x"], [1], [{}], {"x": 1}, {"name": 1}, {"id": "x"}, [{"name": "h200"}],
]  # fmt: skip


def paths(value: Any, at: Path = ()) -> list[Path]:
    """Every place of a spec."""
    entries: Any = value.items() if isinstance(value, dict) else ()
    entries = enumerate(value) if isinstance(value, list) else entries
    inner = [path for step, item in entries for path in paths(item, (*at, step))]
    return [*([at] if at else []), *inner]


def has(value: Any, step: Any) -> bool:
    """Whether there is something at ``step`` of ``value``."""
    if isinstance(value, dict):
        return step in value
    return isinstance(value, list) and isinstance(step, int) and step < len(value)


def mutated(spec: Any, path: Path, kind: str, value: Any) -> None:
    """Break one place of ``spec``."""
    parent: Any = spec
    step: Any = None
    for step in path:
        if not has(parent, step):
            return  # an earlier mutation took it away
        parent, above = parent[step], parent
    parent = above
    if kind == "delete":
        del parent[step]
    elif kind == "twice" and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[step]))
    elif kind == "rename" and isinstance(parent, dict):
        parent[f"{step}x"] = parent.pop(step)
    else:
        parent[step] = value


@given(st.data())
@settings(max_examples=share(1500), deadline=None)
def test_invalid_specs_end_in_findings(data: st.DataObject) -> None:
    spec = copy.deepcopy(data.draw(st.sampled_from(SPECS)))
    places = paths(spec)
    for _ in range(data.draw(st.integers(1, 3))):
        mutated(
            spec,
            data.draw(st.sampled_from(places)),
            data.draw(st.sampled_from(["delete", "twice", "rename", "value", "value", "value"])),
            data.draw(st.sampled_from(WRONG)),
        )
    target = data.draw(st.sampled_from(["", *targets.NAMES]))
    checked = check(yaml.safe_dump(spec, allow_unicode=True), target=target)
    for name in report.FORMATS:
        report.render(name, checked.findings, registry.by_code())
    assert all(finding.span for finding in checked.findings)
