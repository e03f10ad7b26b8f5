"""The page on findings, from the rules: what each code means, with examples."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from clustergen.findings import EXAMPLE_BASE, Rule
from clustergen.registry import AREAS, by_code
from clustergen.retired import RETIRED

_HEAD = f"""\
# Findings

Generated from the rules by `python docs/build.py`. `clustergen explain CODE` prints the entry for
one code. An error stops a render. A warning fails a run only with `--strict`. A note never does.

The examples are fragments that are merged over this spec. The tests check that the bad one triggers
the rule and the good one does not:

```yaml
{EXAMPLE_BASE}```
"""


def page() -> str:
    """The page, in Markdown."""
    rules = by_code().values()
    grouped = {
        area: list(members) for area, members in itertools.groupby(rules, lambda r: r.code[:3])
    }
    lines = [_HEAD]
    for area, members in grouped.items():
        codes = ", ".join(f"[{rule.code}](#{rule.code.lower()})" for rule in members)
        lines.append(f"- **{area}** {AREAS[area]}: {codes}")
    for area, members in grouped.items():
        lines += ["", f"## {AREAS[area]}"]
        for rule in members:
            lines += ["", *_entry(rule)]
    lines += ["", "## Retired codes", ""]
    for code, (successor, why) in sorted(RETIRED.items()):
        now = f"see [{successor}](#{successor.lower()})" if successor else "no successor"
        lines.append(f"- {code}: {now}. {why}")
    return "\n".join(lines) + "\n"


def _entry(rule: Rule) -> Iterator[str]:
    yield f'### <a id="{rule.code.lower()}"></a>{rule.code}: {rule.title}'
    yield ""
    where = f", {rule.target} only" if rule.target and not rule.by_limits else ""
    yield f"*{rule.severity.value.capitalize()}{where}.* {rule.why}"
    yield from _example("Bad", rule.bad)
    yield from _example("Good", rule.good)
    source = f"<{rule.source}>" if rule.source.startswith("https://") else rule.source
    yield from ("", f"Source: {source}")


def _example(title: str, fragment: str) -> Iterator[str]:
    if fragment:
        yield from ("", f"{title}:", "", "```yaml", fragment.strip("\n"), "```")
