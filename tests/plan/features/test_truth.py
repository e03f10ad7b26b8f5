"""The support matrix against what targets write: a row that lies fails here."""

import functools
import re
from collections.abc import Mapping

import pytest

from clustergen import targets
from clustergen.base.findings import Finding, errors
from clustergen.bundle import renderer
from clustergen.checking.compiler import Checked
from clustergen.plan import features
from clustergen.plan.features import FEATURES, Support
from tests.plan.features.evidence import HPE
from tests.plan.features.table import BASE, TABLE
from tests.support.checking import check, found

PAIRS = [(feature.id, target) for feature in FEATURES for target in targets.NAMES]


def test_the_table_has_every_feature() -> None:
    assert set(TABLE) == {feature.id for feature in FEATURES}


@pytest.mark.parametrize("feature", TABLE)
def test_evidence_covers_the_targets_with_full_support(feature: str) -> None:
    levels = {name: targets.load(name).support[feature].level for name in targets.NAMES}
    full = {name for name, level in levels.items() if level == "full"}
    assert set(TABLE[feature].evidence) == full


@functools.cache
def checked(feature: str, target: str) -> tuple[Checked, Checked]:
    """The compiler's answer to the spec without a feature, and with it."""
    return TABLE[feature].use.checked(target)


def used(spec: Checked, target: str) -> set[str]:
    return {feature.id for feature, _ in features.used(spec.plans[target])}


def lies(feature: str, target: str, answer: Support) -> list[str]:
    """How a row of the support matrix contradicts what the target does."""
    without, uses = checked(feature, target)
    rejected = [f"{f.code} {f.message}" for f in errors(uses.findings)]
    unsupported = reported(uses, "SUP001", feature)
    if answer.level == "none":
        once = rejected and len(unsupported) == 1
        return [] if once else [f"it is rendered, or {len(unsupported)} findings reject it"]
    if rejected:
        return rejected
    if not answer.how:
        return ["nobody says how"]
    row = answer.of(uses.plans[target])
    differently = reported(uses, "SUP002", feature)
    if row.level != "partial":
        noted = ["it is noted as done differently"] if differently else []
        always = len(reported(uses, "SUP004", feature))
        if always != (row.level == "managed" and row.always):
            noted += [f"{always} findings say that the service does it"]
        return noted + (hidden(feature, target) if answer.level == "full" else [])
    if len(differently) != 1:
        return [f"nothing notes it, or {len(differently)} findings do"]
    left_out = cluster(without, target) == cluster(uses, target)
    return ["it is not ignored"] if answer.ignored and not left_out else []


def reported(spec: Checked, code: str, feature: str) -> list[Finding]:
    """The findings that name the feature."""
    return [f for f in spec.findings if f.code == code and f"[{feature}]" in f.message]


def hidden(feature: str, target: str) -> list[str]:
    """Why the output does not show a feature that is supported in full."""
    without, uses = checked(feature, target)
    if rejected := errors(without.findings):
        return [f"without it: {f.code} {f.message}" for f in rejected]
    evidence = TABLE[feature].evidence.get(target)
    if evidence is None:
        return ["no evidence is known"]
    shows = evidence.shows(files(without, target), files(uses, target))
    return [] if shows else [f"{evidence} is not in the output"]


def files(spec: Checked, target: str) -> Mapping[str, str]:
    """What is rendered but README.md, which names whatever the spec has."""
    bundle = renderer.render(spec, target)
    return {file.path: file.text for file in bundle if file.path != "README.md"}


def cluster(spec: Checked, target: str) -> Mapping[str, str] | None:
    """The files of the target's own: the foundation and its mounts are the same for all of them.

    None where the spec cannot be rendered.
    """
    if errors(spec.findings):
        return None
    common = "foundation", "bundle.json"
    return {p: text for p, text in files(spec, target).items() if not p.startswith(common)}


@pytest.mark.sampled(7)  # there are six targets
@pytest.mark.parametrize(("feature", "target"), PAIRS)
def test_a_row_describes_what_the_target_does(feature: str, target: str) -> None:
    without, uses = checked(feature, target)
    assert used(uses, target) - used(without, target) == {feature}
    assert lies(feature, target, targets.load(target).support[feature]) == []


DRIVERS = {
    "storage.lustre": "aws-fsx-csi-driver",
    "storage.file-cache": "aws-fsx-csi-driver",
    "storage.efs": "aws-efs-csi-driver",
    "storage.bucket": "aws-mountpoint-s3-csi-driver",
}


@pytest.mark.parametrize(("feature", "driver"), DRIVERS.items())
def test_a_new_hyperpod_cluster_has_the_driver_in_its_row(feature: str, driver: str) -> None:
    new = check(
        BASE, TABLE[feature].use.uses, "targets: {hyperpod-eks: {eks_cluster: new}}", target=HPE
    )
    assert "a new EKS cluster gets the CSI driver" in targets.load(HPE).support[feature].how
    written = files(new, HPE)
    assert f'"{driver}"' in written["eks.template.json"]
    assert "kind: PersistentVolume\n" in written["manifests/volumes.yaml"]


_NAMED = re.compile("(?<![a-z-])(" + "|".join(sorted(targets.NAMES, reverse=True)) + ") target")


@pytest.mark.parametrize("target", targets.NAMES)
def test_no_row_lists_other_targets(target: str) -> None:
    """Which targets have a feature is computed from the rows."""
    rows = targets.load(target).support
    assert [feature for feature, row in rows.items() if _NAMED.search(row.how)] == []


def test_help_names_targets_that_support_the_feature() -> None:
    spot = "node_groups: [{name: h200, instance_type: g6e.4xlarge, capacity: spot}]"
    [help] = [f.help for f in found(spot, "hyperpod-slurm") if f.code == "SUP001"]
    assert "; or use parallelcluster, pcs, hyperpod-eks" in help


# Rows that would lie, and the words that catch them.
SEEDED: list[tuple[str, str, str, str]] = [
    ("capacity.spot", "pcs", "none", "it is rendered"),
    ("capacity.spot", "hyperpod-slurm", "full", "SUP001"),
    ("nodes.mig", "parallelcluster", "managed", "SUP001"),
    ("storage.ebs", "pcs", "partial", "SUP001"),
    ("nodes.labels", "pcs", "partial", "nothing notes it"),
    ("health.gpu", "pcs", "full", "it is noted as done differently"),
    ("head.node", "pcs", "full", "no evidence is known"),
]


@pytest.mark.parametrize(("feature", "target", "level", "words"), SEEDED)
def test_a_wrong_support_row_is_detected(
    feature: str, target: str, level: features.Level, words: str
) -> None:
    row = targets.load(target).support[feature]
    assert any(words in lie for lie in lies(feature, target, row._replace(level=level)))


def test_the_findings_follow_a_changed_row() -> None:
    """The rows are all there is: flip one, and the compiler says something else."""
    _, uses = checked("capacity.spot", "pcs")
    pcs = targets.load("pcs")
    flipped = {**pcs.support, "capacity.spot": pcs.support["capacity.spot"]._replace(level="none")}
    plan = uses.plans["pcs"]
    before = [finding.code for finding in features.check(plan, pcs.support, pcs.title)]
    after = [finding.code for finding in features.check(plan, flipped, pcs.title)]
    assert (before, after) == ([], ["SUP001"])
