"""Specs with one or several places broken: everything ends in findings, never in a traceback."""

import copy
import functools
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from clustergen import output, targets
from clustergen.base.findings import Path
from clustergen.checking import registry
from tests.support.checking import EXAMPLES, check
from tests.support.tiers import share

WRONG: list[Any] = [
    None, True, False, 0, -1, 1, 1.5, 2**70, "", " ", "x", "é\u202e", "a\nb", "${Name}", "default",
    "/", "new", "auto", "16", "5GiB", "-1s", "10.0.0.0/33", "p5en.48xlarge", "use1-az6",
    [], {}, [[]], [None], ["x"], [1], [{}], {"x": 1}, {"name": 1}, {"id": "x"}, [{"name": "h200"}],
]  # fmt: skip


@functools.cache
def loaded(name: str) -> Any:
    """An example spec; do not change it."""
    return yaml.load(EXAMPLES[name].read_text(encoding="utf-8"), yaml.CSafeLoader)


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
@settings(max_examples=share(700), deadline=None)
def test_invalid_specs_end_in_findings(data: st.DataObject) -> None:
    spec = copy.deepcopy(loaded(data.draw(st.sampled_from([*EXAMPLES]))))
    places = paths(spec)
    for _ in range(data.draw(st.integers(1, 3))):
        mutated(
            spec,
            data.draw(st.sampled_from(places)),
            data.draw(st.sampled_from(["delete", "twice", "rename", "value", "value", "value"])),
            data.draw(st.sampled_from(WRONG)),
        )
    target = data.draw(st.sampled_from(["", *targets.NAMES]))
    checked = check(yaml.dump(spec, Dumper=yaml.CSafeDumper, allow_unicode=True), target=target)
    for name in output.FORMATS:
        output.render(name, checked.findings, registry.by_code())
    assert all(finding.span for finding in checked.findings)
