"""Whether an account is ready for a plan, by calls that only read.

The rules in :mod:`clustergen.checking.preflight.rules` declare what they call and what to look at
by hand; the policy and the checklist of bundles come from them.
"""

from collections.abc import Iterable

from clustergen.base import account, discovery
from clustergen.base.artifacts import Json
from clustergen.base.findings import Rule
from clustergen.checking.preflight.case import IDENTITY, Account
from clustergen.checking.preflight.running import concerned, run
from clustergen.plan.model import Plan
from clustergen.services.aws.iam import allow, document


def checklist(plan: Plan) -> list[str]:
    """What to look at in the account before a plan is deployed, as lines of Markdown."""
    texts = (rule.by_hand(plan) for rule in concerned(plan) if rule.by_hand)
    return list(dict.fromkeys(line for text in texts for line in text.split("\n")))


def policy(rules: Iterable[Rule] | None = None) -> Json:
    """The IAM policy for the checks of ``rules``, or of all.

    Every action only reads metadata: none returns a secret, an object or a log.
    """
    wanted = discovery.rules(f"{__name__}.rules") if rules is None else rules
    calls = {IDENTITY, *(call for rule in wanted for call in rule.calls)}
    return document([allow("Preflight", sorted({*map(account.action, calls)}), ["*"])])


__all__ = ["Account", "checklist", "concerned", "policy", "run"]
