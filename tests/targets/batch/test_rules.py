"""Findings of AWS Batch: cases beyond the examples of the rules."""

import pytest

from tests.targets.batch.planned import found


def group(fields: str) -> str:
    return f"node_groups: [{{name: h200, {fields}}}]"


CASES: list[tuple[str, str, bool]] = [
    # Code, spec, whether there is such a finding.
    ("CAP600", group("capacity: spot, count: 1"), False),
    ("CAP600", group("instance_type: p6e-gb200.36xlarge, capacity: spot, count: 9"), False),
    ("CAP600", group("capacity: spot, efa: false, count: 2"), False),
    ("CAP601", group("count: {min: 1, max: 2}, efa: false"), False),
    ("CAP603", "slurm: {idle_timeout: 8d}", True),
    ("CAP603", "slurm: {idle_timeout: 7d}", False),
    # The default of Slurm is no wish.
    ("CAP603", "", False),
    ("NIC600", group("instance_type: hpc6id.32xlarge, count: 1"), False),
    # Two interfaces on the first card fill it where it holds two.
    ("NIC600", group("instance_type: p5.48xlarge, efa_layout: efa-only"), True),
    ("NIC600", group("efa_layout: efa-only"), False),
    ("IMG001", "software: {os: ubuntu2404}", True),
    ("IMG001", "software: {os: alinux2023}", False),
    ("IMG001", "", False),
    ("SLM600", "queues: [{name: train, node_groups: [h200], priority: 0}]", False),
    ("SLM606", f"{group('instance_type: m7i.4xlarge')}\nqueues: [{{name: train, node_groups: "
     "[h200], exclusive: true}]", False),
    ("SLM607", "slurm: {qos: [{name: high}]}", True),
    ("SLM607", "slurm: {accounts: [{name: vision}]}", False),
    ("LIM600", "", False),
]  # fmt: skip


@pytest.mark.parametrize(("code", "text", "expected"), CASES)
def test_findings(code: str, text: str, expected: bool) -> None:
    assert (code in {finding.code for finding in found(text)}) is expected


def test_a_full_card_has_a_way_out() -> None:
    [full] = [f for f in found(group("instance_type: hpc6id.32xlarge")) if f.code == "NIC600"]
    assert "efa: false" in full.help
