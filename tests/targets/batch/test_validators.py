"""The validator of AWS Batch accepts what is rendered for every type with EFA."""

from __future__ import annotations

import json

from clustergen.facts import catalog
from clustergen.targets.batch import jobs
from tests.targets.batch.planned import plan_of, template_of, validated
from tests.validators.batch import batch_violations

WITH_EFA = [type.name for type in catalog.every() if type.efa]


def test_every_type_with_efa() -> None:
    """Interfaces, devices, memory and vCPUs of each; those rejected have no room for a task."""
    violations: dict[str, list[str]] = {}
    refused = set()
    for name in WITH_EFA:
        text = f"node_groups: [{{name: h200, instance_type: {name}, count: 2}}]"
        checked = validated(text)
        if codes := {finding.code for finding in checked.findings if finding.severity == "error"}:
            refused |= codes
            continue
        plan = plan_of(text)
        template = template_of(text)
        requests = {job.name: json.loads(job.artifact.text) for job in jobs.every(plan)}
        if found := batch_violations(template, requests):
            violations[name] = found
    assert violations == {}
    # CAP and PLC: sold only in blocks, or not in this zone.
    assert {code for code in refused if code[:3] not in ("CAP", "PLC")} <= {"NIC600", "SUP001"}
