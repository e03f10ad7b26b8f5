"""Every rule of PCS, by its own examples."""

from __future__ import annotations

import pytest

from clustergen import discovery
from clustergen.findings import Rule, errors
from tests.targets.pcs.planned import judged

RULES = discovery.rules("clustergen.targets.pcs.rules")
each_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


@each_rule
def test_bad_example_has_the_finding(rule: Rule) -> None:
    _, findings = judged(rule.bad)
    assert rule.code in {finding.code for finding in findings}


@each_rule
def test_good_example_has_no_error_and_not_the_finding(rule: Rule) -> None:
    _, findings = judged(rule.good)
    assert errors(findings) == []
    assert rule.code not in {finding.code for finding in findings}


@each_rule
def test_finding_of_the_bad_example_says_what_to_write(rule: Rule) -> None:
    _, findings = judged(rule.bad)
    assert all(finding.help for finding in findings if finding.code == rule.code)


def test_codes_are_of_pcs_and_used_once() -> None:
    codes = [rule.code for rule in RULES]
    assert len(set(codes)) == len(codes)
    assert {code[3] for code in codes} == {"2"}
    assert {rule.target for rule in RULES} == {"pcs"}
