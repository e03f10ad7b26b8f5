"""Every spec's objects and scripts before validators that we did not write."""

import pytest

from tests.services.kubernetes.planned import files_of, objects_of, plan_of
from tests.services.kubernetes.specs import SPECS
from tests.validators.kubernetes import kubernetes_violations, pod_templates
from tests.validators.shell import script_violations


@pytest.mark.parametrize("name", SPECS)
def test_objects(name: str) -> None:
    plan = plan_of(SPECS[name])
    files = files_of(SPECS[name])
    assert kubernetes_violations(files, plan.kubernetes.version, plan.region) == []


def test_scripts_of_pods() -> None:
    """What stands in a pod's command as text, for every spec."""
    scripts = {
        f"{name}: {path}": f"#!/bin/bash\n{word}"
        for name, text in SPECS.items()
        for path in files_of(text)
        if path.startswith(("smoke/", "jobs/"))
        for job in objects_of(text, path)
        for template in pod_templates(job)
        for container in template["spec"]["containers"]
        for word in container.get("command", ())
        if "\n" in word
    }
    assert len(scripts) > 20
    # What is counted are devices, whose names hold no blanks.
    accepted = ("SC2012 ", "SC2010 ")
    assert [b for b in script_violations(scripts) if not any(word in b for word in accepted)] == []
