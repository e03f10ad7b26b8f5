"""Comparisons for programs, as JSON: a list with one item for each spec.

::

    [{"spec": "specs/a.yaml", "name": "a",
      "features": [{"feature": "capacity.spot", "title": "Spot instances",
                    "targets": {"pcs": {"level": "full|managed|partial|none", "how": "...",
                                        "source": "...", "checked": "2026-11-20",
                                        "paths": [["node_groups", 0, "capacity"]]}}}],
      "targets": [{"target": "pcs", "title": "AWS PCS", "place": 1, "planned": true,
                   "renders": true, "blocking": ["SUP001"],
                   "cost": {"hour": [1.0, 2.0], "month": [...], "complete": true},
                   "findings": {"error": 0, "warning": 1, "note": 2},
                   "features": {"full": 9, "managed": 1, "partial": 2, "none": 0},
                   "changes": [{"code": "SUP001", "message": "...", "help": "...",
                                "locations": [{"file": "a.yaml", "line": 31}]}]}],
      "least_lost": ["pcs"],
      "findings": []}]

A feature lists only the targets for which the spec's plan uses it. ``cost`` is null for a target
that does not render the spec; its amounts are ``[low, high]`` in USD. ``findings`` are those of
``clustergen check --output json``, for all targets; if nothing could be planned, there is nothing
else. Keys are never removed or changed.
"""

import json
from collections.abc import Sequence
from typing import Any

from clustergen.analysis.compare.model import Change, Comparison, Standing
from clustergen.analysis.compare.view import LEVELS
from clustergen.base.documents import picked
from clustergen.base.findings import Finding, Severity
from clustergen.plan.features import Feature
from clustergen.services.cost.json import bill_data


def render(comparisons: Sequence[Comparison]) -> str:
    """The comparisons as the document above."""
    return json.dumps([_comparison(comparison) for comparison in comparisons], indent=2) + "\n"


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "spec": comparison.source,
        "name": comparison.name,
        "features": [_feature(feature, comparison) for feature in comparison.features],
        "targets": [_target(standing) for standing in comparison.standings],
        "least_lost": [standing.target.name for standing in comparison.least_lost],
        "findings": _findings(comparison.findings),
    }


def _feature(feature: Feature, comparison: Comparison) -> dict[str, Any]:
    answers = {s.target.name: _answer(s, feature) for s in comparison.standings}
    return {
        "feature": feature.id,
        "title": feature.title,
        "targets": {name: answer for name, answer in answers.items() if answer},
    }


def _answer(standing: Standing, feature: Feature) -> dict[str, Any] | None:
    support = standing.answer(feature)
    if support is None:
        return None
    return {
        **picked(support, ("level", "how", "source", "checked")),
        "paths": [list(path) for path in (standing.used or {})[feature.id]],
    }


def _target(standing: Standing) -> dict[str, Any]:
    changes = standing.changes
    return {
        "target": standing.target.name,
        "title": standing.target.title,
        "place": standing.place,
        "planned": standing.used is not None,
        "renders": standing.renders,
        "cost": bill_data(standing.bill)["total"] if standing.bill else None,
        "blocking": list(dict.fromkeys(change.code for change in changes)),
        "findings": {str(severity): len(standing.of(severity)) for severity in Severity},
        "features": {level: len(list(standing.answers(level))) for level in LEVELS},
        "changes": [_change(change) for change in changes],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "code": change.code,
        "message": change.message,
        "help": change.way_out,
        "locations": [{"file": span.file, "line": span.line} for span in change.places],
    }


def _findings(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    from clustergen import output
    from clustergen.checking.registry import by_code  # imports every rule

    found: list[dict[str, Any]] = json.loads(output.render("json", findings, by_code()))["findings"]
    return found
