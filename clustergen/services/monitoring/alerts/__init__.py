"""All alerts, one file for each part of a cluster.

The files look like Prometheus's own, with what :class:`Alert` has besides. ``needs`` at the top is
that of every rule without its own.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from clustergen.base.yaml_files import read
from clustergen.services.monitoring import xids
from clustergen.services.monitoring.alert import Alarm, Alert, Recorded, RuleGroup
from clustergen.services.monitoring.sources import fed_by

_XIDS: Final = {
    "xids_replace": xids.pattern(xids.REPLACE),
    "xids_reset": xids.pattern(xids.RESET),
    "xids_degraded": xids.pattern(xids.DEGRADED),
    "xids_application": xids.pattern(xids.APPLICATION),
    "xids_listed": xids.pattern(xids.LISTED),
}


def _group(name: str) -> RuleGroup:
    group = read(Path(__file__).with_name(f"{name}.yaml"), _XIDS)
    needs = group.get("needs", ())
    rules = tuple(_rule({"needs": needs, **rule}) for rule in group["rules"])
    return RuleGroup(name, group["interval"], rules)


def _rule(rule: Mapping[str, Any]) -> Alert | Recorded:
    needs = fed_by(rule["needs"])
    if "record" in rule:
        return Recorded(rule["record"], rule["expr"], needs)
    texts = ("severity", "action", "expr", "summary", "meaning")
    return Alert(
        name=rule["alert"],
        **{name: rule[name] for name in texts},
        steps=tuple(rule["steps"]),
        after=rule.get("for", ""),
        needs=needs,
        without=fed_by(rule.get("without", ())),
        alarm=_alarm(rule["alarm"]) if "alarm" in rule else None,
    )


def _alarm(alarm: Mapping[str, Any]) -> Alarm:
    """Its ``values`` are the alternatives of a pattern."""
    values = tuple(alarm["values"].split("|")) if "values" in alarm else ()
    return Alarm(**{**alarm, "values": values})


DUE = _group("due")
GROUPS: tuple[RuleGroup, ...] = (
    _group("node"),
    DUE,
    *map(_group, ("gpu", "efa", "storage", "slurm", "kubernetes", "capacity", "pipeline")),
)


def alerts() -> Iterator[Alert]:
    """Every alert of every group."""
    for group in GROUPS:
        yield from (rule for rule in group.rules if isinstance(rule, Alert))
