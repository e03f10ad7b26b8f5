"""Unusual specs that are right: rare features and values at their limits, without a warning."""

from pathlib import Path

import pytest

from clustergen.base.findings import Severity
from tests.support.checking import check

SPECS = sorted((Path(__file__).parent / "unusual").glob("*.yaml"))


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.stem)
def test_no_error_and_no_warning(spec: Path) -> None:
    findings = check(spec.read_text(encoding="utf-8")).findings
    loud = [f for f in findings if f.severity is not Severity.NOTE]
    assert [f"{f.code} {f.message}" for f in loud] == []


def test_a_cluster_at_the_limits_of_names_and_queues() -> None:
    numbers = range(40)
    groups = [f"  - {{name: g{n}, instance_type: m7i.large, count: {{max: 10}}}}" for n in numbers]
    queues = [f"  - {{name: q{n}, node_groups: [g{n}]}}" for n in numbers]
    text = "\n".join(
        [
            f"version: 1\nname: {'a' * 40}\nregion: us-east-1\nnetwork: {{zone: use1-az6}}",
            "head_node:",
            "  instance_type: r7i.2xlarge",
            "  root_volume: {size: 16TiB, type: io1, iops: 50000}",
            "node_groups:",
            *groups,
            "queues:",
            *queues,
            "slurm: {settings: {PreemptType: preempt/partition_prio, "
            "PreemptMode: 'SUSPEND,GANG', SelectTypeParameters: CR_Core_Memory}}",
        ]
    )
    findings = check(text, target="parallelcluster").findings
    assert [f.code for f in findings if f.severity is not Severity.NOTE] == []
