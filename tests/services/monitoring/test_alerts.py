"""Every alert fires when it should, and is silent otherwise, as promtool evaluates it."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from clustergen.services.monitoring import xids
from clustergen.services.monitoring.alerts import alerts
from tests.services.monitoring.cases import ADD_ON, CASES, Case
from tests.services.monitoring.promtool import all_rules, fed, observed, run, unit_test, write_rules
from tests.support import prometheus
from tests.support.tiers import needs

needs_promtool = needs(prometheus.impossible)
NUMBER = re.compile(r"(==|<=|>=|<|>) (-?\d[\d.e]*)|(?<=[ (])(?!0 )(\d[\d.e]*) \* ")
OPPOSITE = {"==": "!=", "<": ">=", ">": "<=", "<=": ">", ">=": "<"}
Rule = dict[str, Any]


@needs_promtool
def test_exactly_these_alerts_fire(tmp_path: Path) -> None:
    """All cases in one test, which starts promtool once."""
    tests = {
        case.name: unit_test(case, write_rules(tmp_path, f"rules-{number}", fed(case)))
        for number, case in enumerate(CASES)
    }
    assert len(tests) == len(CASES)
    assert {name: found for name, found in run(tests, tmp_path).items() if found} == {}


def test_no_alert_without_a_case() -> None:
    fired = {name for case in CASES for names in case.firing.values() for name in names}
    silent = {
        name
        for case in CASES
        for name in case.about
        if any(name not in names for names in case.firing.values())
    }
    defined = {alert.name for alert in alerts()} - {"Watchdog"}
    assert (defined - fired, defined - silent, fired - defined) == (set(), set(), set())


def test_an_xid_is_in_one_class() -> None:
    assert len(set(xids.LISTED)) == len(xids.LISTED)


def mutants(rule: Rule) -> Iterator[tuple[str, Rule]]:
    """The rule with one number, comparison or duration changed."""
    expr = rule["expr"]
    for found in NUMBER.finditer(expr):
        comparison, *numbers = found.groups()
        [number] = [text for text in numbers if text is not None]
        where = slice(*found.span(2 if comparison else 3))
        for factor in (2, 0.5) if float(number) else ():
            changed = f"{float(number) * factor:.10g}"
            yield f"{number} -> {changed}", {**rule, "expr": put(expr, where, changed)}
        if comparison:
            where = slice(*found.span(1))
            changed = OPPOSITE[comparison]
            yield f"{found.group()} -> {changed}", {**rule, "expr": put(expr, where, changed)}
    if "for" in rule:
        yield "no for", {key: value for key, value in rule.items() if key != "for"}
        minutes = {"m": 1, "h": 60}[rule["for"][-1]] * int(rule["for"][:-1])
        yield "twice the for", {**rule, "for": f"{minutes * 2}m"}


def put(text: str, where: slice, what: str) -> str:
    return f"{text[: where.start]}{what}{text[where.stop :]}"


@needs_promtool
def test_every_number_of_a_rule_matters(tmp_path: Path) -> None:
    """A rule with a changed threshold, comparison or duration fails one of its cases."""
    changes, cases, tests = {}, {}, {}
    ours = (case for case in CASES if case.about and case.cluster != ADD_ON)
    for number, case in enumerate(ours):
        rules = [rule for rule in all_rules(case.cluster) if "record" in rule]
        for rule in all_rules(case.cluster):
            if rule.get("alert") in case.about:
                for index, (what, mutant) in enumerate(mutants(rule)):
                    name = f"{rule['alert']}~{index}"
                    changes[name] = what
                    rules.append({**mutant, "alert": name})
        file = write_rules(tmp_path, f"mutants-{number}", rules)
        tests[case.name], cases[case.name] = unit_test(case, file, observe=True), case
    assert len(changes) > 200
    results = run(tests, tmp_path)
    dead = {
        name
        for name in changes
        for title, case in cases.items()
        if name.partition("~")[0] in case.about and differs(name, case, observed(results[title]))
    }
    assert {name: changes[name] for name in changes.keys() - dead} == {}


def differs(mutant: str, case: Case, fired: Mapping[int, frozenset[str]]) -> bool:
    """Whether a changed rule fires when the rule does not, or the other way round."""
    rule = mutant.partition("~")[0]
    assert fired.keys() == case.firing.keys()
    return any((mutant in fired[at]) != (rule in case.firing[at]) for at in fired)
