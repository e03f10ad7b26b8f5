"""One mistake is one finding: nothing else follows from a misspelt setting."""

import pytest

from tests.support.checking import Fragments

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


def test_a_user_of_the_system_is_one_finding_for_all_targets() -> None:
    """Images list some of them, too."""
    spec = "users: [{name: root, uid: 2001}]"
    for target in ("parallelcluster", "pcs", "hyperpod-slurm"):
        found = [f.message for f in Fragments(target).findings(spec) if f.code == "IMG002"]
        assert found == ["'root' is a user of the system"]


def test_a_finding_about_a_default_names_it() -> None:
    spec = "node_groups: [{name: h200, instance_type: c7g.16xlarge, count: 2}]"
    found = {f.message for f in Fragments("parallelcluster").findings(spec) if f.code == "IMG104"}
    assert any(", the default of head_node, is x86_64" in message for message in found), found
