"""What the bad example of a rule shows: the kind of its fixes, and the good example."""

from clustergen.base.findings import EXAMPLE_BASE, Rule
from clustergen.checking import compiler
from clustergen.spec.source.editing import apply


def texts(example: str) -> list[str]:
    """The specs that an example merges: it may be a whole one, with a version or a name."""
    return [example] if is_whole(example) else [EXAMPLE_BASE, example]


def is_whole(example: str) -> bool:
    """Whether an example is a text of its own, or a list, and not merged over another spec."""
    return example.startswith(("version: 1", "name: example\n", "- "))


def complete(rule: Rule) -> Rule:
    """The rule with what it leaves to its bad example: ``fixes``, and what a fix writes, ``good``.

    Both stay empty if the findings have no fixes.
    """
    if not rule.bad or rule.calls or (rule.good and rule.fixes):
        return rule
    specs = {str(number): text for number, text in enumerate(texts(rule.bad))}
    contents = {name: text.encode() for name, text in specs.items()}
    targets = [rule.target] if rule.target else ()
    findings = compiler.check([*specs], contents=contents, targets=targets).findings
    first = next((each for each in findings if each.code == rule.code and each.fix), None)
    if first is None or first.fix is None:
        return rule
    name, text = [*specs.items()][-1]
    fixed = apply(text, [edit for edit in first.edits if edit.file == name])
    kind = rule.fixes or ("safe" if first.fix.is_safe else "unsafe")
    return rule._replace(good=rule.good or fixed, fixes=kind)
