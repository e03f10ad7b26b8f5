"""Recommendations for programs, as JSON.

::

    {"need": {"what": "H200", "count": 128, "hours": 336, "regions": ["us-east-1"],
              "start": "2026-12-10", "budget": null, "interruptible": false},
     "within_budget": true,
     "answers": [{"type": "p5e.48xlarge", "nodes": 16, "option": "capacity-block",
                  "region": "us-east-2", "zones": ["use2-az1"], "hours": 336,
                  "usd_hour": 878.848, "usd_nodes": 295292.928, "upfront": true,
                  "certainty": "guaranteed", "why": "...", "limits": ["..."], "unknown": ["..."],
                  "elsewhere": [{"region": "us-west-2", "usd_nodes": 295292.928}],
                  "services": [{"target": "pcs", "usd": 300896.7, "usd_lacks": ["..."],
                                "losses": ["..."], "warnings": ["..."]}],
                  "price": {...}, "verify": "aws ...", "spec": "..."}],
     "advice": ["..."], "not_possible": [{"what": "...", "why": "..."}]}

Amounts are USD, null where unknown; for Spot they are the limit. Keys are never removed or changed.
"""

import json
from typing import Any

from clustergen.analysis.recommend.answers import WHY, Answer, Recommendation, advice
from clustergen.base.documents import picked
from clustergen.base.text_lists import words
from clustergen.services.cost.json import price_data


def render(found: Recommendation) -> str:
    """The recommendation as the document above."""
    data = {
        "need": picked(found.need, _NEED),
        "within_budget": found.within_budget,
        "answers": [_answer(answer) for answer in found.answers],
        "advice": list(advice(found)),
        "not_possible": [{"what": each.what, "why": each.why} for each in found.dropped],
    }
    return json.dumps(data, indent=2, default=str) + "\n"


_NEED = words("what count hours regions start budget interruptible")


def _answer(answer: Answer) -> dict[str, Any]:
    offer = answer.offer
    return {
        "type": offer.type.name,
        "nodes": offer.nodes,
        "option": offer.kind,
        "region": offer.region,
        **picked(offer, ("zones", "hours", "usd_hour")),
        "usd_nodes": offer.usd,
        "upfront": offer.upfront,
        "certainty": offer.certainty.name.lower(),
        "why": WHY[offer.certainty],
        **picked(answer, ("limits", "unknown")),
        "elsewhere": [{"region": o.region, "usd_nodes": o.usd} for o in answer.elsewhere],
        "services": [
            {
                **picked(service, ("target", "usd")),
                "usd_lacks": service.holes,
                **picked(service, ("losses", "warnings")),
            }
            for service in answer.services
        ],
        "price": price_data(offer.price) if offer.price else None,
        **picked(answer, ("verify", "spec")),
    }
