"""K8S001: labels that Kubernetes and Slurm take."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan

RULE = Rule(
    code="K8S001",
    title="Not a label",
    why="A label is a name of letters, digits, `-`, `_` and `.`, at most 63 long, with an optional "
    "DNS prefix; its value has the same form or is empty.",
    source="https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/",
    bad="node_groups: [{name: h200, labels: {team name: llm}}]",
    good="node_groups: [{name: h200, labels: {team-name: llm}}]",
)

_PART = r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?"
_KEY = re.compile(rf"(?:[a-z0-9](?:[a-z0-9.-]{{0,251}}[a-z0-9])?/)?{_PART}")
_VALUE = re.compile(rf"(?:{_PART})?")


def check(plan: Plan) -> Iterator[Finding]:
    for group in plan.node_groups:
        for key, value in group.labels.items():
            if not _KEY.fullmatch(key):
                yield RULE.at(
                    group.at("labels", key),
                    f"{key!r} is not a label name",
                    help="letters, digits, - _ . and at most 63 of them",
                    on_key=True,
                )
            elif not _VALUE.fullmatch(value):
                yield RULE.at(
                    group.at("labels", key),
                    f"{value!r} is not a label value",
                    help="letters, digits, - _ . and at most 63 of them",
                )
