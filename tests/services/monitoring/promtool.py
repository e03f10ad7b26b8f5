"""Rules and cases for promtool's unit tests, all run by one process.

https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules/
"""

import functools
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from clustergen.plan.model import Plan
from clustergen.services.monitoring.rules import rule_groups
from tests.services.monitoring import cases
from tests.services.monitoring.cases import HEALTHY, Case
from tests.support import prometheus
from tests.support.checking import EXAMPLES, Fragments

INTERVAL = "1m"
NEVER = "never"
BLOCK = "p5en-capacity-block"
BESIDE = (
    "node_groups: [{name: cpu, instance_type: m7i.xlarge, count: {min: 0, max: 1}}]\n"
    "queues: [{name: prep, node_groups: [cpu]}]\n"
)
"""A node beside the two of the block."""
TWO_LARGE = "node_groups: [{name: large, count: 2}]"
SPECS = {
    cases.SLURM: ("pcs", BLOCK, f"{BESIDE}slurm: {{version: '26.05', accounting: managed}}"),
    cases.OLD_SLURM: ("pcs", BLOCK, f"{BESIDE}slurm: {{version: '25.11', accounting: managed}}"),
    cases.RESERVED: ("pcs", BLOCK, f"{BESIDE}slurm: {{version: '26.05', accounting: managed}}"),
    cases.KUBERNETES: ("eks", "eks-karpenter", ""),
    cases.HYPERPOD: (
        "hyperpod-slurm",
        "hyperpod-slurm-scripts",
        "monitoring: {metrics: managed-prometheus}\n"
        "node_groups: [{name: trn, instance_type: trn1.32xlarge, count: 1, "
        "capacity: {training_plan: 'arn:aws:sagemaker:us-west-2:111122223333:training-plan/a'}}]\n"
        "queues: [{name: trn, node_groups: [trn]}]",
    ),
    cases.ADD_ON: ("hyperpod-eks", "hyperpod-eks-karpenter", TWO_LARGE),
}
"""Kind of cluster -> target, example spec, and what is laid over it."""


@functools.cache
def plan_of(cluster: str) -> Plan:
    """A plan with everything that feeds rules, for one of the kinds of clusters."""
    target, example, over = SPECS[cluster]
    base = EXAMPLES[example].read_text(encoding="utf-8").replace("count: 64", "count: 2")
    if cluster == cases.RESERVED:
        base = base.replace("capacity_block:", "reservation:")
    # Two groups, and two nodes report.
    base = base.replace("count: 4", "count: 1")
    return Fragments(target, base).plan(over)


@functools.cache
def rules_of(cluster: str) -> Mapping[str, Any]:
    return rule_groups(plan_of(cluster))


def unit_test(case: Case, *rules: Path, observe: bool = False) -> dict[str, Any]:
    """The case as a file for promtool; to `observe` is to expect what never is."""
    series = {**HEALTHY[case.cluster], **case.series}
    name = plan_of(case.cluster).name
    given = [
        {"series": selector.replace("$c", f'cluster="{name}"'), "values": values}
        for selector, values in series.items()
    ]
    expected = [
        _firing(minute, frozenset({NEVER}) if observe else alerts)
        for minute, alerts in case.firing.items()
    ]
    last = max(case.firing)
    for alert, count in case.counts.items() if not observe else ():
        firing = f'count(ALERTS{{alertstate="firing",alertname="{alert}"}})'
        expected.append(_expected(firing, last, {"{}": count}))
    test = {"interval": "1m", "input_series": given, "promql_expr_test": expected}
    return {"rule_files": [*map(str, rules)], "evaluation_interval": INTERVAL, "tests": [test]}


def _firing(minute: int, alerts: frozenset[str]) -> dict[str, Any]:
    firing = 'group by (alertname) (ALERTS{alertstate="firing",alertname!="Watchdog"})'
    return _expected(firing, minute, {f'{{alertname="{name}"}}': 1 for name in sorted(alerts)})


def _expected(expr: str, minute: int, samples: Mapping[str, int]) -> dict[str, Any]:
    found = [{"labels": labels, "value": value} for labels, value in samples.items()]
    return {"expr": expr, "eval_time": f"{minute}m", "exp_samples": found}


def fed(case: Case) -> list[Any]:
    """The rules that read a series of the case, or miss one; others are empty, and take long."""
    names = {selector.partition("{")[0] for selector in (*HEALTHY[case.cluster], *case.series)}
    kept = []
    for rule in all_rules(case.cluster):
        if "absent(" in rule["expr"] or names & set(re.findall(r"[\w:]+", rule["expr"])):
            kept.append(rule)
            names.add(rule.get("record", ""))
    return kept


def all_rules(cluster: str) -> Iterator[Any]:
    for file in rules_of(cluster).values():
        for group in file["groups"]:
            yield from group["rules"]


def write_rules(folder: Path, name: str, rules: Iterable[Any]) -> Path:
    """A rule file; JSON is YAML. One interval for all saves half of the evaluations."""
    file = folder / f"{name}.rules.json"
    group = {"name": name, "interval": INTERVAL, "rules": list(rules)}
    file.write_text(json.dumps({"groups": [group]}))
    return file


def run(tests: Mapping[str, Any], folder: Path) -> Mapping[str, str]:
    """Name -> what promtool has against it, empty if nothing, of every unit test."""
    files = {str(folder / f"{index}.json"): name for index, name in enumerate(tests)}
    for file, name in files.items():
        Path(file).write_text(json.dumps(tests[name]))
    _, printed = prometheus.output("promtool", "test", "rules", *files)
    results = {}
    for text in re.split(r"^Unit Testing: +", printed, flags=re.MULTILINE)[1:]:
        file, _, result = text.partition("\n")
        results[files[file.strip()]] = "" if result.strip() == "SUCCESS" else result.strip()
        assert result.strip(), text
    assert results.keys() == tests.keys(), printed[-2000:]
    return results


def observed(result: str) -> Mapping[int, frozenset[str]]:
    """Minute -> alerts that fired, from the complaints about what never is."""
    minutes = {}
    for time, got in re.findall(r"time: (\S+),\n.*\n +got: *(.*)", result):
        hours, rest = time.split("h") if "h" in time else ("0", time)
        minutes[int(hours) * 60 + int(rest.partition("m")[0] or 0)] = frozenset(
            re.findall(r'alertname="([^"]*)"', got)
        )
    return minutes
