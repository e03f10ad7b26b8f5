"""Attributes of ParallelCluster's cookbook."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.base.findings import Problem, Severity
from clustergen.overlay.parts import as_map
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.rules import rule

_BOOLEANS: Final = frozenset({"true", "false"})
_HIDING: Final = (
    ("cluster_readiness_check_enabled", "false"),
    ("cluster_readiness_check_ignore_failure", "true"),
)
"""Attributes with the value that hides failures."""


def _overlay(attributes: str) -> str:
    given = f"DevSettings: {{Cookbook: {{ExtraChefAttributes: '{attributes}'}}}}"
    return f"targets: {{parallelcluster: {{overlay: {{{given}}}}}}}"


@rule(
    "OVL107",
    "Attributes that the cookbook cannot have, or that hide failures",
    why="ExtraChefAttributes is a JSON object, and ParallelCluster checks some of its values. "
    "Without the readiness check, an update succeeds even if nodes did not apply it.",
    source="pcluster.validators.dev_settings_validators: ExtraChefAttributesValidator",
    bad=_overlay("{cluster"),
    good=_overlay('{"cluster": {}}'),
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
