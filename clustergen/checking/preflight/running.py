"""Runs the checks in threads. A check without an answer gives a finding too."""

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple

from clustergen.base import account, discovery
from clustergen.base.account import CallError, NoCredentials, Unreachable
from clustergen.base.findings import Finding, Rule
from clustergen.checking.preflight.case import IDENTITY, Account, Case
from clustergen.checking.preflight.rules import calls
from clustergen.plan.model import Plan, Traits

_THREADS: Final = 8

Done = Callable[[int, str], None]
"""Hears of each check that is done: its number, from 0, and its title."""


def concerned(plan: Plan) -> list[Rule]:
    """The rules whose checks concern a plan."""
    rules = discovery.rules("clustergen.checking.preflight.rules")
    return [rule for rule in rules if rule.by_hand and rule.by_hand(plan)]


def run(
    plan: Plan, traits: Traits, asked: Account, now: datetime.datetime, done: Done
) -> list[Finding]:
    """The findings about the account in which ``plan`` is to be deployed."""
    try:
        asked.answer(IDENTITY, pages=False)
    except (account.NoBotocore, NoCredentials, Unreachable) as error:
        return [_unanswered(error, (), plan.region)]
    except CallError:
        pass  # A policy may deny this call and allow all others.
    rules = concerned(plan)
    with ThreadPoolExecutor(_THREADS) as pool:
        outcomes: list[_Outcome] = []
        started = (Case(plan, traits, asked, now, rule.calls) for rule in rules)
        for index, outcome in enumerate(pool.map(_outcome, rules, started)):
            outcomes.append(outcome)
            done(index, outcome.rule.title)
    found = [finding for outcome in outcomes for finding in outcome.findings]
    return [*found, *_skipped(outcomes, plan.region)]


class _Outcome(NamedTuple):
    rule: Rule
    findings: Sequence[Finding]
    error: CallError | None = None


def _outcome(rule: Rule, case: Case) -> _Outcome:
    try:
        return _Outcome(rule, [*rule.find(case)])
    except CallError as error:
        return _Outcome(rule, (), error)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # What a service answers may change before clustergen does.
        return _Outcome(rule, (), CallError(f"the answer is not understood: {error!r}"))


def _skipped(outcomes: Iterable[_Outcome], region: str) -> Iterator[Finding]:
    """One finding for each reason, with the titles of the checks that it stopped."""
    by_reason: dict[tuple[type[CallError], str], tuple[CallError, list[str]]] = {}
    for rule, _, error in outcomes:
        if error is not None:
            key = type(error), _cause(error)
            by_reason.setdefault(key, (error, []))[1].append(rule.title)
    for error, titles in by_reason.values():
        yield _unanswered(error, titles, region)


def _cause(error: CallError) -> str:
    """What checks without an answer have in common: a call, or a service."""
    if isinstance(error, NoCredentials):
        return ""
    service = error.call.partition(":")[0]
    return service if isinstance(error, Unreachable) else error.call or str(error)


_REASONS: Final[tuple[tuple[type[CallError], Rule, str], ...]] = (
    (account.NoBotocore, calls.NO_BOTOCORE, "pip install botocore"),
    (
        NoCredentials,
        calls.NO_CREDENTIALS,
        "log in: `aws sso login`, AWS_PROFILE or `aws configure`; `aws account "
        "get-region-opt-status --region-name {region}` says whether the region is enabled",
    ),
    (
        Unreachable,
        calls.UNREACHABLE,
        "check network, proxy (HTTPS_PROXY) and region; `aws sts get-caller-identity --region "
        "{region}` makes the same connection",
    ),
    (
        account.Denied,
        calls.DENIED,
        "`clustergen preflight --policy` prints the policy for all checks; attach it, or look by "
        "hand",
    ),
    (account.Throttled, calls.THROTTLED, "run it again in some minutes"),
    (CallError, calls.NO_ANSWER, "look by hand; run it again later"),
)


def _unanswered(error: CallError, titles: Sequence[str], region: str) -> Finding:
    rule, help = next((rule, help) for kind, rule, help in _REASONS if isinstance(error, kind))
    quoted = ", ".join(f'"{title}"' for title in titles)
    skipped = f"not checked: {quoted}; " if titles else ""
    call = f"{error.call}: " if error.call and titles and rule is not calls.DENIED else ""
    return rule.at((), f"{skipped}{call}{error}", help=help.format(region=region))
