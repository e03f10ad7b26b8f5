"""A render evaluates no template twice with the same values: what is needed twice is handed on."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Template

from clustergen import targets
from clustergen.bundle import renderer
from clustergen.checking import compiler
from tests.support.paths import SPECS

EXAMPLES = sorted(SPECS.glob("*.yaml"), key=lambda spec: spec.stat().st_size)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("spec", EXAMPLES, ids=lambda spec: spec.stem)
def test_no_template_is_evaluated_twice(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluated: defaultdict[str, list[Any]] = defaultdict(list)
    render = Template.render

    def record(self: Template, *args: Any, **values: Any) -> str:
        evaluated[str(self.name)].append((args, values))
        return render(self, *args, **values)

    monkeypatch.setattr(Template, "render", record)
    rendered = 0
    for target in targets.NAMES:
        checked = compiler.check([spec], targets=[target], allow_unsupported=True)
        if checked.plans and not checked.blocking(target):
            evaluated.clear()
            renderer.render(checked, target)
            rendered += 1
            assert {name: len(v) for name, v in evaluated.items() if _repeats(v)} == {}, target
    assert rendered


def _repeats(values: list[Any]) -> bool:
    return any(value in values[:index] for index, value in enumerate(values))
