"""Problems of custom rules, which are not problems of a spec."""

from functools import partial

from clustergen.base.findings import Rule

common_rule = partial(Rule, source="docs/custom-rules.md", could_not=True)

UNLOADED = common_rule(
    code="PRJ005",
    title="Custom rules that cannot be loaded",
    why="Without them, a check would pass what the project does not allow.",
)
WRONG = common_rule(
    code="PRJ006",
    title="Wrong declaration of a custom rule",
    why="Reports, `explain` and ignore comments need a code of its own, a title and a reason.",
)
FAILED = common_rule(
    code="PRJ007",
    title="A custom rule failed",
    why="A rule that ends with an exception may have missed problems.",
)
OTHER_USER = common_rule(
    code="PRJ008",
    title="Custom rules of another user",
    why="Rules are code. A project file in a folder above, such as /tmp, may be someone else's.",
)
UNALLOWED = common_rule(
    code="PRJ009",
    title="Custom rules that are not allowed yet",
    why="Rules are code of the repository, which runs with your permissions. Without them, a check "
    "would pass what the project does not allow.",
)
