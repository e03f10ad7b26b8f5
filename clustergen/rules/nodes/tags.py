"""SPC035: tags that AWS keeps to itself."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan

RULE = Rule(
    code="SPC035",
    title="Tag that AWS keeps to itself",
    why="Keys that begin with `aws:` can only be set by AWS; every create call that has one fails.",
    source="https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html",
    bad="tags: {'aws:team': llm}",
    good="tags: {team: llm}",
)


def check(plan: Plan) -> Iterator[Finding]:
    for key in plan.tags:
        if key.lower().startswith("aws:"):
            yield RULE.at(
                ("tags", key),
                f"{key!r} is reserved",
                help=f"write {key[4:] or 'team'}",
                on_key=True,
            )
