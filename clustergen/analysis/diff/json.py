"""Differences for programs, as JSON::

    {"version": 1,
     "differences": [
       {"old": "main:specs/a.yaml", "new": "specs/a.yaml", "target": "pcs",
        "kind": "data-at-risk",
        "effects": [{"kind": "data-at-risk", "file": "foundation.template.json",
                     "subject": "StorageFsx", "type": "AWS::FSx::FileSystem",
                     "property": "KmsKeyId", "message": "replaces StorageFsx (...)",
                     "stays": "StorageFsx", "source": "https://...",
                     "spec": [{"path": "storage[/fsx].kms_key",
                               "file": "specs/a.yaml", "line": 31}]}],
        "steps": ["copy the data first: ..."],
        "stays": ["StorageFsx"],
        "cost": {"currency": "USD", "old": {...}, "new": {...},
                 "staying": [0.0, 0.0],
                 "changes": [{"part": "nodes", "name": "cpu", "old": {...}, "new": {...},
                              "month": [588.67, 588.67]}]},
        "drift": [{"stack": "demo-pcs", "resource": "NodeGroupCpu",
                   "type": "AWS::PCS::ComputeNodeGroup",
                   "property": "ScalingConfiguration.MaxInstanceCount",
                   "expected": "4", "actual": "6"}],
        "unknown": "not known without AWS: ..."}]}

``cost`` is null unless both sides are specs. Its totals and lines are those of ``clustergen cost``;
``month`` is new less old, low and high, and null where a price is unknown. ``staying`` is the cost
of a month of what stays behind, which the new total lacks.

``drift`` is null unless the old side is a cluster that runs; ``property`` is empty where the
resource was deleted.

``kind`` is one of clustergen.bundle.effects.KINDS, and of a difference its most dangerous. Keys are
never removed or changed.
"""

import json
from collections.abc import Sequence
from typing import Any

from clustergen.analysis.diff import view
from clustergen.analysis.diff.changes import SpecChange
from clustergen.analysis.diff.model import Caused, Cost, Diff
from clustergen.base.documents import picked
from clustergen.facts.catalog.prices import MONTH_HOURS
from clustergen.services.cost.json import bill_data, line_data


def render(differences: Sequence[Diff]) -> str:
    """The document above, always with all effects."""
    found = {"version": 1, "differences": [_difference(each) for each in differences]}
    return json.dumps(found, indent=2) + "\n"


def _difference(difference: Diff) -> dict[str, Any]:
    return {
        **picked(difference, ("old", "new", "target", "kind")),
        "effects": [_effect(caused) for caused in difference.effects],
        "steps": list(difference.steps),
        "stays": difference.stays,
        "cost": _cost(difference.cost) if difference.cost else None,
        "drift": [each._asdict() for each in difference.drift.found] if difference.drift else None,
        "unknown": view.unknown(difference),
    }


def _cost(bills: Cost) -> dict[str, Any]:
    return {
        "currency": "USD",
        "old": bill_data(bills.old)["total"],
        "new": bill_data(bills.new)["total"],
        "staying": list(bills.kept),
        "changes": [
            {
                "part": change.line.part,
                "name": change.line.name,
                "old": line_data(change.old) if change.old else None,
                "new": line_data(change.new) if change.new else None,
                "month": list(change.usd(MONTH_HOURS)) if change.comparable else None,
            }
            for change in bills.changes
        ],
    }


def _effect(caused: Caused) -> dict[str, Any]:
    effect = caused.effect
    return {
        **picked(effect, ("kind", "file", "subject", "type")),
        "property": effect.cause,
        "message": effect.text,
        **picked(effect, ("stays", "source")),
        "spec": [_cause(change) for change in caused.causes],
    }


def _cause(change: SpecChange) -> dict[str, Any]:
    span = change.span
    place = {"file": span.file, "line": span.line} if span else {}
    return {"path": change.dotted, **place}
