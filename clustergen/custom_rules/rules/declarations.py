"""Problems of custom rules, which are not problems of a spec."""

from __future__ import annotations

from clustergen.findings import Rule

_DOCS = "docs/custom-rules.md"

UNLOADED = Rule(
    code="PRJ005",
    title="Custom rules that cannot be loaded",
    why="Without them, a check would pass what the project does not allow.",
    source=_DOCS,
    could_not=True,
)
WRONG = Rule(
    code="PRJ006",
    title="Wrong declaration of a custom rule",
    why="Reports, `explain` and ignore comments need a code of its own, a title and a reason.",
    source=_DOCS,
    could_not=True,
)
FAILED = Rule(
    code="PRJ007",
    title="A custom rule failed",
    why="A rule that ends with an exception may have missed problems.",
    source=_DOCS,
    could_not=True,
)
FOREIGN = Rule(
    code="PRJ008",
    title="Custom rules of another user",
    why="Rules are code. A project file in a folder above, such as /tmp, may be someone else's.",
    source=_DOCS,
    could_not=True,
)
