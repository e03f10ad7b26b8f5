"""Quotations for programs, as JSON: a list with one item for each spec and target.

::

    [{"spec": "specs/a.yaml", "name": "a", "target": "pcs", "region": "us-east-1",
      "currency": "USD", "month_hours": 730, "duration_hours": 336,
      "total": {"hour": [1.0, 2.0], "month": [730.0, 1460.0], "duration": [336.0, 672.0],
                "complete": false},
      "lines": [{"part": "nodes", "name": "gpu", "what": "1 to 2 x p5.48xlarge, On-Demand",
                 "status": "known|estimate|unknown|by-use|outside",
                 "hour": [1.0, 2.0], "month": [...], "duration": [...], "upfront": false,
                 "reason": "", "note": "",
                 "prices": [{"name": "EC2 p5.48xlarge", "usd": 55.04, "unit": "instance-hour",
                             "region": "us-east-1", "source": "...", "date": "2026-07-20",
                             "confidence": "high|medium|low", "note": ""}]}],
      "purchase_options": [{"group": "gpu", "option": "spot", "in_spec": false, ...as a line}]}]

An amount is ``[low, high]``, or null where it is unknown or depends on use; a total is the sum of
those that are not null, and ``complete`` is whether no price is unknown. Without a duration, its
keys are null. Keys are never removed or changed.
"""

import json
from collections.abc import Sequence
from typing import Any

from clustergen.analysis.cost.model import Estimate
from clustergen.services.cost.json import bill_data, line_data


def render(estimates: Sequence[Estimate], hours: int | None) -> str:
    """The estimates as the document above."""
    return json.dumps([estimate_data(each, hours) for each in estimates], indent=2) + "\n"


def estimate_data(estimate: Estimate, hours: int | None) -> dict[str, Any]:
    return {
        "spec": estimate.source,
        "name": estimate.name,
        "target": estimate.target.name,
        **bill_data(estimate.bill, hours),
        "purchase_options": [
            {
                "group": option.group,
                "option": option.kind,
                "in_spec": option.chosen,
                **line_data(option.line, hours),
            }
            for option in estimate.purchases
        ],
    }
