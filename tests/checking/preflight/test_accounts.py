"""An account in which everything is right is silent, before a deployment and after it."""

from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from clustergen import targets
from clustergen.base.findings import Finding
from clustergen.checking import preflight
from clustergen.plan.model import Plan
from tests.checking.preflight.account import Account
from tests.support.checking import EXAMPLES, check_example

NOW = datetime(2027, 3, 2, tzinfo=UTC)
"""While the capacity of all example specs is there."""


def look(plan: Plan, account: Account) -> list[Finding]:
    """The findings of preflight in an account."""
    asked = preflight.Account(plan.region, account.clients)
    return preflight.run(plan, targets.load(plan.target).traits, asked, NOW, lambda *_: None)


def plans(name: str) -> Mapping[str, Plan]:
    """The plans of an example spec that can be deployed."""
    checked = check_example(name)
    return {t: plan for t, plan in checked.plans.items() if t and not checked.blocking(t)}


def shown(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(finding.code, finding.message) for finding in findings]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("deployed", [False, True], ids=["new", "deployed"])
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "every-field"])
def test_a_right_account_is_silent(name: str, deployed: bool) -> None:
    for plan in plans(name).values():
        assert shown(look(plan, Account(plan, deployed=deployed))) == []
