"""The pages of the site on findings: one for each rule, and the list of them."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.base.findings import Rule, Severity
from clustergen.checking.registry import AREAS, by_code
from tools.docs import findings

_IGNORE = """\
To [ignore](../how-to/check.md#ignore-a-finding) it where you have a reason:

```yaml
# clustergen: ignore[{code}] because ...
```"""


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    yield "rules.md", findings.contents(lambda code: f"rules/{code.lower()}.md")
    for rule in by_code().values():
        yield f"rules/{rule.code.lower()}.md", "\n".join(_page(rule)) + "\n"


def _page(rule: Rule) -> Iterator[str]:
    # A page that no table of contents lists: 500 entries would bury the navigation.
    yield from ("---", "orphan: true", "---", "")
    area = AREAS[rule.code[:3]]
    anchor = f"{rule.code[:3]}: {area}".lower()
    slug = "".join(c for c in anchor if c.isalnum() or c in "- ").replace(" ", "-")
    yield from (f"[Findings](../rules.md) › [{area}](../rules.md#{slug})", "")
    yield from (f"# {rule.code}: {rule.title}", "", *findings.entry(rule))
    if rule.bad:
        yield from ("", "The examples are merged over [this spec](../rules.md).")
    if rule.severity is not Severity.ERROR:
        yield from ("", _IGNORE.format(code=rule.code))
