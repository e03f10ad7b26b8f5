"""The support matrix of each target: a row for every feature, with source and help."""

from __future__ import annotations

from typing import get_args

import pytest

from clustergen import targets
from clustergen.base.findings import EXAMPLE_BASE
from clustergen.plan.features import FEATURES, Level
from tests.support.checking import Fragments

PC, PCS, HP, HPE, EKS = "parallelcluster", "pcs", "hyperpod-slurm", "hyperpod-eks", "eks"
EXISTING = "targets: {hyperpod-eks: {eks_cluster: 'arn:aws:eks:us-east-1:111122223333:cluster/c'}}"
SPECS = {name: Fragments(name) for name in (PC, PCS, HP, EKS)} | {
    HPE: Fragments(HPE, f"{EXAMPLE_BASE}{EXISTING}\n")
}
ANSWERS = [(target, feature.id) for target in targets.NAMES for feature in FEATURES]


@pytest.mark.parametrize("target", targets.NAMES)
def test_every_target_has_a_row_for_each_feature_and_no_other(target: str) -> None:
    assert set(targets.load(target).support) == {feature.id for feature in FEATURES}


@pytest.mark.parametrize(("target", "feature"), ANSWERS)
def test_a_support_row_has_an_explanation_and_a_source(target: str, feature: str) -> None:
    answer = targets.load(target).support[feature]
    assert answer.level in get_args(Level)
    assert answer.how
    # What only ParallelCluster's code shows is cited by its module.
    assert answer.source.startswith(("https://", "pcluster.") if target == PC else "https://")


# Words that introduce help.
WAYS = ("take ", "leave ", "write ", "use ", "remove ")


@pytest.mark.parametrize("feature", targets.load(EKS).support)
def test_a_rejection_shows_help(feature: str) -> None:
    answer = targets.load(EKS).support[feature]
    assert answer.level != "none" or any(way in answer.how for way in WAYS)


BLOCK = "node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]"
RESERVED = "node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]"
HELD = "node_groups: [{name: h200, placement: {group: held}}]"
EBS = "storage: [{mount: /apps, type: ebs, size: 100GiB}]"
USERS = "users: [{name: alice, uid: 2001}]"
VERSION = "slurm: {version: '25.11'}"
PYXIS = "software: {containers: pyxis}"
KUBERNETES = "kubernetes: {version: '1.35'}"
RESUME = "resilience: {auto_resume: true}"
HOSTED = "monitoring: {metrics: self-hosted}"
PLAIN = "node_groups: [{name: h200, instance_type: m7i.4xlarge}]\n"
SPOT = PLAIN.replace("}]", ", capacity: spot}]")
THREADS = "node_groups: [{name: h200, threads_per_core: 2}]"
CHECKED = "node_groups: [{name: h200, health_checks: [%s]}]"
PLACED = "node_groups: [{name: h200, placement: cluster}]"
INTERRUPTIBLE = RESERVED.replace("{reservation", "{interruptible_reservation")

# Target and severity of the one finding (none: it is done): what specs ask for.
EXPECTED: dict[tuple[str, str | None], tuple[str, ...]] = {
    (PCS, "error"): (THREADS, CHECKED % "instance-stress", EBS, HOSTED),
    (PCS, "note"): (CHECKED % "gpu", KUBERNETES, "head_node: {instance_type: m7i.xlarge}", RESUME),
    (HPE, "error"): (BLOCK, RESERVED, HELD, PLAIN + EBS),
    (HPE, "note"): (PLACED, *(PLAIN + part for part in ("login: {}", USERS, VERSION, PYXIS))),
    (HPE, None): (SPOT, PLAIN + RESUME, PLAIN + KUBERNETES),
    (EKS, "error"): (INTERRUPTIBLE, CHECKED % "multi-node", EBS),
    (EKS, "note"): ("login: {}", USERS, VERSION, PYXIS),
    (EKS, None): (BLOCK, RESERVED, HELD, KUBERNETES),
}


@pytest.mark.parametrize(
    ("target", "text", "severity"),
    [(target, text, severity) for (target, severity), texts in EXPECTED.items() for text in texts],
)
def test_unsupported_settings_are_findings(target: str, text: str, severity: str | None) -> None:
    found = [f.severity for f in SPECS[target].findings(text) if f.code.startswith("SUP")]
    assert found == ([severity] if severity else [])


# What the help names: the capacity that HyperPod has, or who can do it.
WAYS_OUT: list[tuple[str, str, str]] = [
    (HP, "node_groups: [{name: h200, capacity: spot}]", "hyperpod-eks"),
    (HP, RESERVED, "training_plan"),
    (HP, BLOCK, "training_plan"),
    (HP, HELD, "parallelcluster"),
    (HP, "node_groups: [{name: h200, count: {min: 0, max: 4}}]", "count: N"),
    (HP, "node_groups: [{name: h200, mig: {1g.18gb: 7}}]", "pcs"),
    (HP, "node_groups: [{name: h200, instance_type: inf2.48xlarge}]", "Trainium"),
    (HP, "node_groups: [{name: h200, instance_type: hpc7a.96xlarge}]", "parallelcluster"),
    (HP, EBS, "fsx-openzfs"),
    (HP, VERSION, "remove slurm.version"),
    (HP, HOSTED, "managed-prometheus"),
    (HP, "queues: [{name: a, node_groups: [h200]}, {name: b, node_groups: [h200]}]", "separate"),
]


@pytest.mark.parametrize(("target", "text", "way_out"), WAYS_OUT)
def test_a_rejection_has_help(target: str, text: str, way_out: str) -> None:
    helps = [f.help for f in SPECS[target].findings(text) if f.code == "SUP001"]
    assert helps
    assert all(way_out in help for help in helps), helps
