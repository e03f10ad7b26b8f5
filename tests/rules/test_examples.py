"""Every rule, by its own examples: the bad one triggers it, the good one does not."""

import re

import pytest

from clustergen.base.findings import Rule, errors
from clustergen.checking import examples, registry
from clustergen.checking.examples import is_whole
from tests.support.checking import check_fragment, name_of

RULES = list(registry.every())

# What no text of a spec can show.
NO_EXAMPLE = {
    "SPC001": "a file that cannot be read",
    "SPC006": "a file of more than a mebibyte",
    "SPC012": "an argument of the command line",
    "SPC057": "a file that cannot be written",
    **dict.fromkeys(
        ("SPC040", "SPC041", "SPC042", "SPC043"), "the outputs of stacks, not the spec"
    ),
    **dict.fromkeys((f"PRJ{number:03}" for number in range(1, 12)), "the project, not the spec"),
    **dict.fromkeys(
        (f"IMP{number:03}" for number in (*range(1, 8), *range(10, 13), *range(20, 24))),
        "a configuration of another tool, not the spec",
    ),
    **dict.fromkeys((f"PRE{number:03}" for number in range(1, 7)), "the account, not the spec"),
    "CAP032": "a type that clustergen.toml describes",
    "OVL541": "user data of more than 16 KiB",
    **dict.fromkeys(
        (f"BND{number:03}" for number in (*range(1, 21), 30, 31)), "the folder, not the spec"
    ),
}


def _exampled() -> list[Rule]:
    """Those about specs: tests/checking/preflight/test_rules.py has the answers of accounts."""
    return [rule for rule in RULES if rule.bad and not rule.calls]


def test_every_rule_has_title_reason_and_source() -> None:
    for rule in RULES:
        assert re.fullmatch(r"[A-Z0-9]{3}[0-9]{3}", rule.code)
        assert rule.title[0].isupper()
        assert not rule.title.endswith(".")
        assert rule.why.endswith((".", "!", "?"))
        assert rule.source, rule.code
        assert " " not in rule.source or not rule.source.startswith("https://")
        assert all(len(line) < 1_500 for text in rule.examples for line in text.splitlines())


def test_a_rule_without_example_cannot_have_one() -> None:
    assert {rule.code for rule in RULES if not rule.bad} <= NO_EXAMPLE.keys()


# Their messages say all there is: what is expected, or what an overlay did.
WITHOUT_HELP = {"SPC022", "OVL001"}
# Faults that break another rule, too.
ALSO: dict[str, set[str]] = {
    # Labels have a rule on their characters.
    "SPC038": {"K8S001"},
}


@pytest.mark.parametrize("rule", _exampled(), ids=name_of)
def test_the_bad_example_triggers_the_rule_and_the_good_one_none(rule: Rule) -> None:
    findings = check_fragment(rule.bad, rule.target).findings
    mine = [finding for finding in findings if finding.code == rule.code]
    assert mine, [f"{finding.code} {finding.message}" for finding in findings]
    for finding in mine:
        assert finding.message
        assert not finding.message.endswith(".")
        assert finding.span is not None
        assert finding.span.end > finding.span.column
        assert finding.help or rule.code in WITHOUT_HELP
    # A whole text is about YAML, and lacks most of what a spec must have.
    if not is_whole(rule.bad):
        assert {each.code for each in errors(findings)} - {rule.code} == ALSO.get(rule.code, set())
    good = rule.good or examples.complete(rule).good
    assert good
    findings = check_fragment(good, rule.target).findings
    assert rule.code not in {finding.code for finding in findings}
    if not is_whole(good):
        assert [f"{f.code} {f.message}" for f in errors(findings)] == []
