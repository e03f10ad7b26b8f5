"""Every rendered file against validators that this project did not write."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import pytest

from tests.oracles.cloudformation import check, lint
from tests.oracles.shell import script_violations
from tests.targets.pcs.planned import files_of, plan_of
from tests.targets.pcs.specs import SPECS

each_spec = pytest.mark.parametrize("text", SPECS.values(), ids=SPECS)


def _templates(files: Mapping[str, str]) -> dict[str, str]:
    return {path: text for path, text in files.items() if path.endswith(".template.json")}


@each_spec
def test_requests_of_the_templates_are_accepted(text: str) -> None:
    templates = _templates(files_of(text))
    region = plan_of(text).region
    assert [b for template in templates.values() for b in check(json.loads(template), region)] == []


@each_spec
def test_cfn_lint_reports_nothing(text: str) -> None:
    cluster = {"cluster.template.json": _templates(files_of(text))["cluster.template.json"]}
    assert lint(cluster, [plan_of(text).region]) == []


def test_scripts_are_clean() -> None:
    scripts = {
        f"{name}: {path}": script
        for name, text in SPECS.items()
        for path, script in _scripts(files_of(text))
    }
    assert script_violations(scripts) == []


def _scripts(files: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((path, text) for path, text in files.items() if path.endswith(".sh"))
