"""Every rule, by its bad example: with its fix, the rule finds nothing."""

import pytest

from clustergen.base.findings import Finding, Rule, errors
from clustergen.checking import examples, registry
from clustergen.checking.compiler import Checked
from clustergen.spec.source.editing import apply
from tests.support.checking import check, name_of

EXAMPLED = [rule for rule in registry.every() if rule.bad]
KEPT = "  # kept"


def _texts(rule: Rule) -> list[str]:
    """The bad example, with a comment behind every line that can have one."""
    return ["".join(map(_with_comment, text.splitlines())) for text in examples.texts(rule.bad)]


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


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("SPC054", ""),
        ("SPC055", "safe"),
        ("NET002", "unsafe"),
        ("CAP001", "safe or unsafe"),
        ("PRJ002", "safe"),
    ],
)
def test_the_kind_of_fixes(code: str, kind: str) -> None:
    assert examples.complete(registry.by_code()[code]).fixes == kind


@pytest.mark.parametrize("rule", EXAMPLED, ids=name_of)
def test_the_fix_of_the_bad_example(rule: Rule) -> None:
    texts = _texts(rule)
    comments = "".join(texts).count(KEPT)
    before = after = check(*texts, target=rule.target)
    if not any(finding.fix for finding in _mine(before, rule)):
        return
    for _ in _mine(before, rule):  # two findings may need two fixes
        finding = next(finding for finding in _mine(after, rule) if finding.edits)
        texts = _fixed(texts, finding)
        after = check(*texts, target=rule.target)
        if not _mine(after, rule):
            break
    assert _mine(after, rule) == []
    assert {f.code for f in errors(after.findings)} <= {f.code for f in errors(before.findings)}
    assert "".join(texts).count(KEPT) == comments
