"""Attributes of ParallelCluster's cookbook, and the logs of nodes."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.base.findings import Problem, Severity
from clustergen.overlay.parts import as_map
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.rules import rule, warning
from clustergen.targets.parallelcluster.rules.document import overlay

_BOOLEANS: Final = frozenset({"true", "false"})
_HIDING: Final = (
    ("cluster_readiness_check_enabled", "false"),
    ("cluster_readiness_check_ignore_failure", "true"),
)
"""Attributes with the value that hides failures."""


_COOKBOOK = "DevSettings: {{Cookbook: {{ExtraChefAttributes: '{}'}}}}"


@rule(
    "OVL107",
    "Attributes that the cookbook cannot have, or that hide failures",
    why="ExtraChefAttributes is a JSON object, and ParallelCluster checks some of its values. "
    "Without the readiness check, an update succeeds even if nodes did not apply it.",
    source="pcluster.validators.dev_settings_validators: ExtraChefAttributesValidator",
    bad=overlay(_COOKBOOK.format("{cluster")),
    good=overlay(_COOKBOOK.format('{"cluster": {}}')),
)
def cookbook(document: Mapping[str, Any]) -> Iterator[Problem]:
    given = as_map(as_map(document.get("DevSettings")).get("Cookbook")).get("ExtraChefAttributes")
    if not given or not isinstance(given, str):
        return
    path = ("DevSettings", "Cookbook", "ExtraChefAttributes")
    try:
        attributes = as_map(as_map(json.loads(given)).get("cluster"))
    except (ValueError, RecursionError) as error:
        yield Problem(path, f"it is no JSON: {error}", help="write a JSON object")
        return
    for name, hiding in _HIDING:
        value = attributes.get(name)
        word = str(value).lower()
        if value is not None and word not in _BOOLEANS:
            yield Problem(path, f"cluster.{name} is {value!r}", help="write true or false")
        elif word == hiding:
            message = f"cluster.{name}: {hiding} hides nodes that fail to apply an update"
            yield Problem(path, message, help="remove it", severity=Severity.WARNING)
    timeout = as_map(attributes.get("slurm")).get("reconfigure_timeout")
    whole = isinstance(timeout, int) and not isinstance(timeout, bool)
    if timeout is not None and not (whole and timeout > limits.RECONFIGURE):
        help = f"write a number above {limits.RECONFIGURE}"
        yield Problem(path, f"cluster.slurm.reconfigure_timeout is {timeout!r}", help=help)


_LOGS = "Monitoring: {{Logs: {{CloudWatch: {{Enabled: false}}{}}}}}"


@warning(
    "OVL111",
    "Logs that are rotated away and kept nowhere",
    why="ParallelCluster rotates the logs on nodes and removes the oldest. Without CloudWatch Logs "
    "there is no other copy.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Monitoring-v3.html",
    bad=overlay(_LOGS.format("")),
    good=overlay(_LOGS.format(", Rotation: {Enabled: false}")),
)
def rotation(document: Mapping[str, Any]) -> Iterator[Problem]:
    logs = as_map(as_map(document.get("Monitoring")).get("Logs"))
    kept, rotated = (as_map(logs.get(part)).get("Enabled") for part in ("CloudWatch", "Rotation"))
    if str(kept).lower() == "false" != str(rotated).lower():
        path = ("Monitoring", "Logs", "CloudWatch", "Enabled")
        message = "the logs on nodes are rotated away, and CloudWatch keeps none"
        yield Problem(path, message, help="set Logs.Rotation.Enabled to false, too")
