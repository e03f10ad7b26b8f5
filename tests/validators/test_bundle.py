"""A whole bundle, validated in one call: what is right passes, and each validator is heard."""

import json

import pytest
import yaml

from tests.support.checking import Fragments
from tests.validators.bundle import bundle_violations
from tests.validators.good import CLUSTER, FOUNDATION, PCS
from tests.validators.parallelcluster import ParallelCluster

BUNDLE = {
    "parallelcluster/cluster.yaml": yaml.safe_dump(CLUSTER, sort_keys=False),
    "pcs/cluster.template.json": json.dumps(PCS),
    "foundation.template.json": json.dumps(FOUNDATION),
    "pcs/scripts/mount.sh": "#!/bin/bash\nset -euo pipefail\nmkdir -p /fsx\n",
    "pcs/bundle.json": Fragments("pcs").files()["bundle.json"],
}

FAULTS = [
    # File, text, another text in its place, how the violation begins.
    ("parallelcluster/cluster.yaml", "ubuntu2404", "alinux2", "parallelcluster/cluster.yaml: E"),
    ("pcs/cluster.template.json", '"SMALL"', '"TINY"', "pcs/cluster.template.json: Cluster: pcs:"),
    ("pcs/cluster.template.json", '"TemplateId"', '"Id"', "pcs/cluster.template.json: E3002"),
    ("pcs/cluster.template.json", "mkdir -p /fsx", "ls $1", "pcs/cluster.template.json: Template"),
    ("foundation.template.json", "PERSISTENT_2", "P2", "foundation.template.json: Lustre: fsx:"),
    ("pcs/scripts/mount.sh", "mkdir -p /fsx", "ls $1", "pcs/scripts/mount.sh:3:4: SC2086"),
    ("pcs/bundle.json", '"described"', '"describes"', "pcs/bundle.json: $.stacks.foundation: "),
]  # fmt: skip


def test_a_valid_bundle_passes(parallelcluster: ParallelCluster) -> None:
    assert bundle_violations(BUNDLE, parallelcluster, "us-east-1") == []


@pytest.mark.parametrize(("file", "text", "other", "words"), FAULTS)
def test_every_validator_reports_its_fault(
    parallelcluster: ParallelCluster, file: str, text: str, other: str, words: str
) -> None:
    faulty = {**BUNDLE, file: BUNDLE[file].replace(text, other)}
    violations = bundle_violations(faulty, parallelcluster, "us-east-1")
    assert any(violation.startswith(words) for violation in violations), violations
