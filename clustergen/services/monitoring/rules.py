"""Prometheus's rule files, as data: https://prometheus.io/docs/prometheus/latest/configuration/"""

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.base.yaml_text import Lines
from clustergen.plan.model import Plan
from clustergen.services.monitoring import expected_nodes, names
from clustergen.services.monitoring.alert import (
    DUE,
    IN_SLURM,
    LESS_UNDUE,
    PRICES,
    SCOPE,
    UNLESS_ENDING,
    UNTIMED,
    Alert,
    Recorded,
    RuleGroup,
)
from clustergen.services.monitoring.alerts import GROUPS
from clustergen.services.monitoring.labels import labels_of
from clustergen.services.monitoring.sources import Source, prices_by_type, sources

RUNBOOKS = "monitoring/runbooks.md"
"""The page of the bundle that every alert refers to."""


def rule_groups(plan: Plan) -> Mapping[str, Json]:
    """Name -> rule file, with the rules that a cluster of ``plan`` can feed."""
    return {group.name: file for group in GROUPS if (file := _file(plan, group))}


def alerts_of(plan: Plan) -> Iterator[Alert]:
    for group in GROUPS:
        for rule in _fed(group, sources(plan)):
            if isinstance(rule, Alert):
                yield rule


def _file(plan: Plan, group: RuleGroup) -> Json | None:
    rules = [_rule(plan, rule) for rule in _fed(group, sources(plan))]
    one = {"name": group.name, "interval": group.interval, "rules": rules}
    return {"groups": [one]} if rules else None


def _fed(group: RuleGroup, fed: frozenset[Source]) -> Iterator[Alert | Recorded]:
    for rule in group.rules:
        better = rule.without & fed if isinstance(rule, Alert) else ()
        if rule.needs <= fed and not better:
            yield rule


def _rule(plan: Plan, rule: Alert | Recorded) -> Json:
    expr = Lines(f"{_filled(plan, rule.expr)}\n")
    if isinstance(rule, Recorded):
        return {"record": rule.name, "expr": expr}
    return {
        "alert": rule.name,
        "expr": expr,
        **({"for": rule.after} if rule.after else {}),
        "labels": _labels(plan, rule),
        "annotations": {"summary": _filled(plan, rule.summary), "runbook": runbook(rule)},
    }


def runbook(alert: Alert) -> str:
    """Where the bundle explains what to do."""
    return f"{RUNBOOKS}#{alert.name.lower()}"


def _labels(plan: Plan, alert: Alert) -> dict[str, str]:
    """Alertmanager groups and hides alerts by our labels, whatever those of the series are."""
    node = labels_of(plan).node
    own = {"node": f"{{{{ $labels.{node} }}}}"} if node != names.NODE else {}
    return {"cluster": plan.name, **own, "severity": alert.severity, "action": alert.action}


def _filled(plan: Plan, text: str) -> str:
    labels = labels_of(plan)
    for word, value in _WORDS.items():
        if word in text:
            text = text.replace(word, value(plan))
    return labels.applied(text).replace(SCOPE, labels.scope)


def _priced_nodes(plan: Plan) -> str:
    """A series of each node with its price."""
    info = 'clustergen_node_info{{$scope,role="compute",instance_type="{}"}}'
    return "\nor ".join(
        f"{usd} * {info.format(type)}" for type, usd in prices_by_type(plan).items()
    )


_WORDS: Final = {
    DUE: expected_nodes.nodes,
    LESS_UNDUE: expected_nodes.less_undue,
    UNLESS_ENDING: expected_nodes.unless_ending,
    UNTIMED: expected_nodes.untimed,
    IN_SLURM: expected_nodes.measured,
    PRICES: _priced_nodes,
}
"""Words of an expression, and what a plan puts in their place."""
