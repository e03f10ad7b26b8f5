"""Every rule with a fix, by its bad example: fixed, the rule finds nothing."""

import pytest

from clustergen.base.findings import EXAMPLE_BASE, Finding, Rule, errors
from clustergen.checking import registry
from clustergen.checking.compiler import Checked
from clustergen.spec.source.editing import apply
from tests.support.checking import check, is_whole, name_of

EXAMPLED = [rule for rule in registry.every() if rule.bad]
FIXABLE = [rule for rule in EXAMPLED if rule.fixes]
KEPT = "  # kept"


def _texts(rule: Rule) -> list[str]:
    """The bad example, with a comment behind every line that can have one."""
    texts = [rule.bad] if is_whole(rule.bad) else [EXAMPLE_BASE, rule.bad]
    return ["".join(map(_with_comment, text.splitlines())) for text in texts]


def _with_comment(line: str) -> str:
    return f"{line}\n" if "# clustergen:" in line else f"{line}{KEPT}\n"


def _mine(checked: Checked, rule: Rule) -> list[Finding]:
    return [finding for finding in checked.findings if finding.code == rule.code]


def _fixed(texts: list[str], finding: Finding) -> list[str]:
    names = ("-base.yaml", "-over.yaml")
    return [
        apply(text, [edit for edit in finding.edits if edit.file.endswith(names[index])])
        for index, text in enumerate(texts)
    ]


def test_at_least_a_third_of_the_rules_have_fixes() -> None:
    assert len(FIXABLE) > len(EXAMPLED) / 3


@pytest.mark.parametrize("rule", FIXABLE, ids=name_of)
def test_the_fix_of_the_bad_example(rule: Rule) -> None:
    texts = _texts(rule)
    comments = "".join(texts).count(KEPT)
    before = after = check(*texts, target=rule.target)
    for _ in _mine(before, rule):  # two findings may need two fixes
        finding = next(finding for finding in _mine(after, rule) if finding.edits)
        assert finding.fix
        assert rule.fixes in ("safe or unsafe", "safe" if finding.fix.is_safe else "unsafe")
        texts = _fixed(texts, finding)
        after = check(*texts, target=rule.target)
        if not _mine(after, rule):
            break
    assert _mine(after, rule) == []
    assert {f.code for f in errors(after.findings)} <= {f.code for f in errors(before.findings)}
    assert "".join(texts).count(KEPT) == comments
