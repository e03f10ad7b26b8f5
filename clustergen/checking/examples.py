"""What the example of a rule shows: the fixes that its findings have."""

from collections.abc import Mapping

from clustergen.base.findings import EXAMPLE_BASE, Rule
from clustergen.checking import compiler

_KINDS: Mapping[frozenset[bool], str] = {frozenset({True}): "safe", frozenset({False}): "unsafe"}


def texts(example: str) -> list[str]:
    """The specs that an example merges: it may be a whole one, with a version or a name."""
    return [example] if is_whole(example) else [EXAMPLE_BASE, example]


def is_whole(example: str) -> bool:
    """Whether an example is a text of its own, or a list, and not merged over another spec."""
    return example.startswith(("version: 1", "name: example\n", "- "))


def fixes(rule: Rule) -> str:
    """The kind of fixes that findings of a rule have; empty if they have none."""
    if rule.fixes or not rule.bad or rule.calls:
        return rule.fixes
    contents = {str(number): text.encode() for number, text in enumerate(texts(rule.bad))}
    checked = compiler.check(
        [*contents], contents=contents, targets=[rule.target] if rule.target else ()
    )
    mine = (each.fix for each in checked.findings if each.code == rule.code)
    return _KINDS.get(frozenset(fix.is_safe for fix in mine if fix), "")
