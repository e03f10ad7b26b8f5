"""The first deployments of adopted clusters change nothing that runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clustergen import renderer
from clustergen.compiler import check_text
from clustergen.effects import files_of
from tests.importing import test_adopt
from tests.support.cloud.commands import reaching
from tests.support.cloud.stacks import Stack

CASES = [case for case in test_adopt.CASES if case[0] != "pcs"]
"""The simulated CloudFormation knows no conditions within conditions."""


@pytest.mark.parametrize(("target", "template", "written"), CASES, ids=[c[0] for c in CASES])
def test_a_stack_stays_as_it_is(target: str, template: Any, written: Any, tmp_path: Path) -> None:
    """With the values that its owner gave its parameters, which are not their defaults."""
    checked = check_text(test_adopt.adopted(template).text, targets=(target,))
    files = files_of(renderer.render(checked, target))
    given = dict.fromkeys(written["Parameters"], "chosen")
    running = Stack(f"production-{target}", "CREATE_COMPLETE", json.loads(json.dumps(written)))
    running.ids, running.parameters = {name: name for name in written["Resources"]}, given
    with reaching(tmp_path, files) as made:
        made.account.cloudformation.stacks[running.name] = running
        for _ in range(2):
            done = made.deploy()
            assert f"{running.name} is up to date: nothing changes." in done.stderr
            assert running.resources == written["Resources"]
            assert running.parameters == given
