"""The page on findings, from the rules: what each code means, with examples."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from clustergen.base.findings import EXAMPLE_BASE, Rule
from clustergen.base.retired import RETIRED
from clustergen.checking.registry import AREAS, by_code

HEAD = f"""\
# Findings

Generated from the rules by `python docs/build.py`. `clustergen explain CODE` prints the entry for
one code. An error stops a render. A warning fails a run only with `--strict`. A note never does.
Where an entry has a fix, [`clustergen check --fix`](fixes.md) applies it; unsafe ones only with
`--unsafe-fixes`.

The examples are fragments that are merged over this spec. The tests check that the bad one triggers
the rule and the good one does not:

```yaml
{EXAMPLE_BASE}```

Only [`clustergen preflight`](preflight.md) finds those of the area PRE. Their examples are what AWS
answers to a call.
"""


def page() -> str:
    """The page, in Markdown."""
    rules = by_code().values()
    grouped = {
        area: list(members) for area, members in itertools.groupby(rules, lambda r: r.code[:3])
    }
    lines = [HEAD]
    for area, members in grouped.items():
        codes = ", ".join(f"[{rule.code}](#{rule.code.lower()})" for rule in members)
        lines.append(f"- **{area}** {AREAS[area]}: {codes}")
    for area, members in grouped.items():
        lines += ["", f"## {AREAS[area]}"]
        for rule in members:
            lines += ["", f'### <a id="{rule.code.lower()}"></a>{rule.code}: {rule.title}', ""]
            lines += entry(rule)
    lines += retired(lambda code: f"#{code.lower()}")
    return "\n".join(lines) + "\n"


def entry(rule: Rule) -> Iterator[str]:
    """The text on a rule below its heading."""
    where = f", {rule.target} only" if rule.target and not rule.by_limits else ""
    yield f"*{rule.severity.value.capitalize()}{where}.* {rule.why}"
    yield from _example("Bad", rule.bad)
    yield from _example("Good", rule.good)
    if rule.fixes:
        yield from ("", f"Fix: {rule.fixes}.")
    source = f"<{rule.source}>" if rule.source.startswith("https://") else rule.source
    yield from ("", f"Source: {source}")


def _example(title: str, fragment: str) -> Iterator[str]:
    if fragment:
        yield from ("", f"{title}:", "", "```yaml", fragment.strip("\n"), "```")


def retired(link: Callable[[str], str]) -> Iterator[str]:
    """The section on retired codes; ``link`` gives the address of a code."""
    yield from ("", "## Retired codes", "")
    for code, (successor, why) in sorted(RETIRED.items()):
        now = f"see [{successor}]({link(successor)})" if successor else "no successor"
        yield f"- {code}: {now}. {why}"
