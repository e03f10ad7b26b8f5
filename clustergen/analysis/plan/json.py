"""Expanded specs as JSON.

::

    {"version": 1,
     "plans": [{"target": "pcs",
                "name": "llm-p5",
                "spec": {"version": 1, "name": "llm-p5", ...},
                "defaults": [{"path": ["node_groups", 0, "efa"], "value": true,
                              "reason": "h100: EFA is on, because p5.48xlarge supports it"}],
                "timetable": [{"at": "2026-12-17T10:50:00Z", "group": "h100",
                               "what": "nodes stop"}]}]}

``spec`` is a spec in the language, for this target, with all defaults; ``defaults`` are the values
in it that the user left open; ``timetable`` is what happens to capacity with dates.
The reason ``default`` stands for a value that depends on nothing.
Within version 1, keys are never removed or changed.
"""

import json
from collections.abc import Sequence
from typing import Any, Final

from clustergen.analysis.plan.model import ExpandedSpec
from clustergen.plan.timetable import events, iso
from clustergen.spec.source.scalars import Float

VERSION: Final = 1


def as_json(expanded_specs: Sequence[ExpandedSpec]) -> str:
    """The document above."""
    plans = [_plan(expanded) for expanded in expanded_specs]
    return json.dumps({"version": VERSION, "plans": plans}, indent=2) + "\n"


def _plan(expanded: ExpandedSpec) -> dict[str, Any]:
    return {
        "target": expanded.plan.target,
        "name": expanded.plan.name,
        "spec": _data(expanded.spec),
        "defaults": [
            {"path": list(path), "value": value, "reason": reason}
            for path, (value, reason) in expanded.defaults.items()
        ],
        "timetable": [
            {"at": iso(at), "group": group, "what": what}
            for at, group, what in events(expanded.plan)
        ],
    }


def _data(value: Any) -> Any:
    """The value with numbers such as 1.30 as text, which JSON would turn into 1.3."""
    if isinstance(value, dict):
        return {key: _data(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_data(item) for item in value]
    return value.text if isinstance(value, Float) and value.text != repr(float(value)) else value
