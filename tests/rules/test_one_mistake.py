"""One mistake is one finding: nothing else follows from a misspelt setting."""

from __future__ import annotations

import pytest

from tests.checking import Fragments

PREEMPTION = [
    ("slurm: {settings: {PreemptMode: REQUEU}}", {"SLM005"}),
    ("slurm: {settings: {PreemptMode: REQUEUE, PreemptType: preempt/partition_pri}}", {"SLM005"}),
    ("slurm: {settings: {PreemptMode: REQUEUE, PreemptTyp: preempt/partition_prio}}", {"SLM004"}),
    ("slurm: {settings: {PreemptMod: REQUEUE, PreemptType: preempt/partition_prio}}", {"SLM004"}),
    ("queues: [{name: train, node_groups: [h200], slurm: {PreemptMode: REQUEU}}]", {"SLM005"}),
    # Two mistakes.
    ("queues: [{name: train, node_groups: [h200], slurm: {PreemptMode: REQUEUE}}]", {"SLM016"}),
    ("slurm: {settings: {PreemptMode: REQUEUE}}", {"SLM012"}),
]


@pytest.mark.parametrize("target", ["parallelcluster", "hyperpod-slurm"])
@pytest.mark.parametrize(("spec", "codes"), PREEMPTION)
def test_preemption(target: str, spec: str, codes: set[str]) -> None:
    found = Fragments(target).findings(spec)
    assert {finding.code for finding in found if finding.code.startswith("SLM")} == codes
