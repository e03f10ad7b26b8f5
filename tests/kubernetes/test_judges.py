"""Every spec's objects and scripts before judges that we did not write."""

from __future__ import annotations

import pytest

from tests.kubernetes.planned import files_of, plan_of
from tests.kubernetes.specs import SPECS
from tests.oracles.kubernetes import kubernetes_breaches
from tests.oracles.shell import script_breaches


@pytest.mark.parametrize("name", SPECS)
def test_objects(name: str) -> None:
    plan = plan_of(SPECS[name])
    files = files_of(SPECS[name])
    assert kubernetes_breaches(files, plan.kubernetes.version, plan.region) == []


def test_scripts() -> None:
    """The scripts of all specs at once: each tool is started one time."""
    scripts = {f"{name}: install.sh": files_of(text)["install.sh"] for name, text in SPECS.items()}
    assert script_breaches(scripts) == []
