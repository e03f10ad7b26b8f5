"""Each two features that a target takes together: rendered, validated, and true to each other."""

import itertools
from collections.abc import Iterator

import pytest

from clustergen import targets
from clustergen.base.findings import Change, Path
from clustergen.checking.compiler import Checked
from tests.support.checking import check, faults, files_of
from tests.targets.pairs import build
from tests.targets.pairs.features import FEATURES, text
from tests.targets.pairs.invariants import INVARIANTS
from tests.validators.bundle import bundle_violations
from tests.validators.parallelcluster import ParallelCluster

ROWS, APART = build.read(build.ROWS), build.read(build.APART)
CASES = [(target, build.shown(tuple(row.items()))) for target, rows in ROWS.items() for row in rows]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("target", targets.NAMES)
def test_every_pair_is_in_a_row(target: str) -> None:
    """A new feature, or one that no longer stands with another, needs ``build`` again."""
    known = build.levels(target)
    first = {name: next(iter(FEATURES[name])) for name in known}
    filled = [{**first, **row} for row in ROWS[target]]
    there = {frozenset(p) for row in filled for p in itertools.combinations(row.items(), 2)}
    apart = {frozenset({**row}.items()) for row in APART.get(target, ())}
    missing = {frozenset(pair) for pair in build.pairs(target)} - there - apart
    assert missing == set()
    assert [row for row in APART.get(target, ()) if not build.codes(target, row)] == []


@pytest.mark.sampled(len(CASES))
@pytest.mark.parametrize(("target", "row"), CASES)
def test_a_row_keeps_its_promises(target: str, row: str, parallelcluster: ParallelCluster) -> None:
    levels = dict(word.split(": ") for word in row.split("; ") if word)
    checked = check(text(levels, target), target=target)
    assert faults(checked) == []
    files = files_of(checked, target)
    plan = checked.plans[target]
    assert [broken for invariant in INVARIANTS for broken in invariant(plan, files)] == []
    assert list(_contradictions(checked)) == []
    found = bundle_violations(files, parallelcluster, plan.region, plan.name)
    assert [each for each in found if not _is_chosen(each, row)] == []


def _contradictions(checked: Checked) -> Iterator[str]:
    """Findings of one run that fix one place in two ways."""
    fixes: dict[Path, tuple[str, Change]] = {}
    for finding in checked.findings:
        for change in finding.fix.changes if finding.fix else ():
            code, other = fixes.setdefault(change.path, (finding.code, change))
            if change != other:
                yield f"{code} and {finding.code} at {change.path}"


def _is_chosen(violation: str, row: str) -> bool:
    """Whether ParallelCluster warns of what the row asks for."""
    return any(name in violation and level in row for name, level in _WARNINGS.items())


_WARNINGS = {"WARNING EfaValidator": "efa: off", "WARNING InstancesNetworking": "type: two"}
