"""The validator of AWS Batch accepts what is rendered for every type with EFA."""

import json

import pytest

from clustergen.base.findings import errors
from clustergen.facts import catalog
from clustergen.targets.batch import jobs
from tests.targets.batch.planned import plan_of, template_of, validated
from tests.validators.batch import batch_violations

WITH_EFA = [type.name for type in catalog.every() if type.efa]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", WITH_EFA)
def test_a_type_with_efa(name: str) -> None:
    """Interfaces, devices, memory and vCPUs of each; those rejected have no room for a task."""
    text = f"node_groups: [{{name: h200, instance_type: {name}, count: 2}}]"
    if refused := {finding.code for finding in errors(validated(text).findings)}:
        # CAP and PLC: sold only in blocks, or not in this zone.
        assert {code for code in refused if code[:3] not in ("CAP", "PLC")} <= {"NIC600", "SUP001"}
        return
    requests = {job.name: json.loads(job.artifact.text) for job in jobs.every(plan_of(text))}
    assert batch_violations(template_of(text), requests) == []
