"""Whether an account is ready for a plan, by calls that only read.

The rules in :mod:`clustergen.preflight.rules` declare what they call and what to look at by hand;
the policy and the checklist of bundles come from them.
"""

from __future__ import annotations

from clustergen.plan.model import Plan
from clustergen.preflight.case import Account
from clustergen.preflight.policy import policy
from clustergen.preflight.running import concerned, run


def checklist(plan: Plan) -> list[str]:
    """What to look at in the account before a plan is deployed, as lines of Markdown."""
    texts = (rule.by_hand(plan) for rule in concerned(plan) if rule.by_hand)
    return list(dict.fromkeys(line for text in texts for line in text.split("\n")))


__all__ = ["Account", "checklist", "concerned", "policy", "run"]
