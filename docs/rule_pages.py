"""The pages of the site on findings: one for each rule, and the list of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from findings import HEAD, entry, retired

from clustergen.base.findings import Rule, Severity
from clustergen.checking.registry import AREAS, by_code

_IGNORE = """\
To [ignore](../how-to/check.md#ignore-a-finding) it where you have a reason:

```yaml
# clustergen: ignore[{code}] because ...
```"""


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    rules = by_code().values()
    yield "rules.md", "\n".join(_list(list(rules))) + "\n"
    for rule in rules:
        yield f"rules/{rule.code.lower()}.md", "\n".join(_page(rule)) + "\n"


def _list(rules: list[Rule]) -> Iterator[str]:
    yield HEAD
    for area, members in itertools.groupby(rules, lambda rule: rule.code[:3]):
        yield from (
            "",
            f"## {area}: {AREAS[area]}",
            "",
            "| code | severity | finding |",
            "|---|---|---|",
        )
        for rule in members:
            link = f"[{rule.code}](rules/{rule.code.lower()}.md)"
            yield f"| {link} | {rule.severity} | {rule.title} |"
    yield from retired(lambda code: f"rules/{code.lower()}.md")


def _page(rule: Rule) -> Iterator[str]:
    # A page that no table of contents lists: 500 entries would bury the navigation.
    yield from ("---", "orphan: true", "---", "")
    area = AREAS[rule.code[:3]]
    anchor = f"{rule.code[:3]}: {area}".lower()
    slug = "".join(c for c in anchor if c.isalnum() or c in "- ").replace(" ", "-")
    yield from (f"[Findings](../rules.md) › [{area}](../rules.md#{slug})", "")
    yield from (f"# {rule.code}: {rule.title}", "", *entry(rule))
    if rule.bad:
        yield from ("", "The examples are merged over [this spec](../rules.md).")
    if rule.severity is not Severity.ERROR:
        yield from ("", _IGNORE.format(code=rule.code))
