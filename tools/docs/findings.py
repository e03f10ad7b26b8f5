"""The pages on findings, from the rules: what each code means, with examples."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from clustergen.base.findings import EXAMPLE_BASE, Rule
from clustergen.checking import examples
from clustergen.checking.registry import AREAS, by_code

HEAD = f"""\
# Findings

Generated from the rules by `python -m tools.docs.build`. `clustergen explain CODE` prints the entry
for one code. An error stops a render. A warning fails a run only with `--strict`, a note never.
Where an entry has a fix, [`clustergen check --fix`](fixes.md) applies it; unsafe ones only with
`--unsafe-fixes`.

The examples are fragments that are merged over this spec. The tests check that the bad one triggers
the rule and the good one does not:

```yaml
{EXAMPLE_BASE}```

Only [`clustergen preflight`](preflight.md) finds those of the area PRE. Their examples are what AWS
answers to a call.
"""


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page: the list of codes, and one page for each area."""
    yield "rules.md", contents(lambda code: f"rules/{code[:3].lower()}.md#{code.lower()}")
    for area, rules in _by_area():
        lines = [
            f"# {AREAS[area]}",
            "",
            "[All findings](../rules.md), and the spec that examples change",
        ]
        for rule in rules:
            lines += ["", f'## <a id="{rule.code.lower()}"></a>{rule.code}: {rule.title}', ""]
            lines += entry(rule)
        yield f"rules/{area.lower()}.md", "\n".join(lines) + "\n"


def contents(link: Callable[[str], str]) -> str:
    """The list of codes; ``link`` gives the address of a code."""
    lines = [HEAD.rstrip()]
    for area, rules in _by_area():
        lines += ["", f"## {area}: {AREAS[area]}", ""]
        lines += ["| code | severity | finding |", "|---|---|---|"]
        lines += [f"| [{r.code}]({link(r.code)}) | {r.severity} | {r.title} |" for r in rules]
    return "\n".join(lines) + "\n"


def _by_area() -> Iterator[tuple[str, Iterator[Rule]]]:
    return itertools.groupby(by_code().values(), lambda rule: rule.code[:3])


def entry(rule: Rule) -> Iterator[str]:
    """The text on a rule below its heading."""
    rule = examples.complete(rule)
    where = f", {rule.target} only" if rule.target and not rule.by_limits else ""
    yield f"*{rule.severity.value.capitalize()}{where}.* {rule.why}"
    bad, good = rule.examples
    yield from _example("Bad", bad)
    yield from _example("Good", good)
    if rule.fixes:
        yield from ("", f"Fix: {rule.fixes}.")
    source = f"<{rule.source}>" if rule.source.startswith("https://") else rule.source
    yield from ("", f"Source: {source}")


def _example(title: str, fragment: str) -> Iterator[str]:
    if fragment:
        yield from ("", f"{title}:", "", "```yaml", fragment.strip("\n"), "```")
