"""The configuration of Kueue's controller, which reads it strictly and stops at what it rejects.

https://github.com/kubernetes-sigs/kueue/blob/main/apis/config/v1beta2/configuration_types.go and
pkg/config/validation.go (0.19.2, 2026-08)
"""

from collections.abc import Mapping
from typing import Any

import jsonschema


def _of(required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": required or [],
    }


_TEXT, _FLAG = {"type": "string"}, {"type": "boolean"}
_NUMBER = {"type": "integer", "minimum": 0}
_TIME = {"type": "string", "pattern": "^([0-9]+(h|m|s))+$"}
_REQUEUING = _of(
    timestamp={"enum": ["Eviction", "Creation"]},
    backoffLimitCount=_NUMBER,
    backoffBaseSeconds=_NUMBER,
    backoffMaxSeconds=_NUMBER,
)
_MAPPING = _of(
    ["name", "deviceClassNames"],
    name=_TEXT,
    deviceClassNames={"type": "array", "minItems": 1, "maxItems": 8, "items": _TEXT},
)
_SCHEMA = _of(
    ["apiVersion", "kind"],
    apiVersion={"const": "config.kueue.x-k8s.io/v1beta2"},
    kind={"const": "Configuration"},
    health=_of(healthProbeBindAddress=_TEXT),
    metrics=_of(bindAddress=_TEXT, enableClusterQueueResources=_FLAG),
    webhook=_of(port=_NUMBER),
    leaderElection=_of(leaderElect=_FLAG, resourceName=_TEXT),
    controller=_of(groupKindConcurrency={"type": "object", "additionalProperties": _NUMBER}),
    clientConnection=_of(qps=_NUMBER, burst=_NUMBER),
    integrations=_of(frameworks={"type": "array", "items": _TEXT}),
    waitForPodsReady=_of(
        ["timeout"],
        timeout=_TIME,
        recoveryTimeout=_TIME,
        blockAdmission=_FLAG,
        requeuingStrategy=_REQUEUING,
    ),
    resources=_of(deviceClassMappings={"type": "array", "maxItems": 16, "items": _MAPPING}),
)


def configuration_violations(configuration: Mapping[str, Any]) -> list[str]:
    """What Kueue would reject."""
    errors = jsonschema.Draft202012Validator(_SCHEMA).iter_errors(configuration)
    mappings = configuration.get("resources", {}).get("deviceClassMappings", ())
    names = [each["name"] for each in mappings]
    classes = [kind for each in mappings for kind in each["deviceClassNames"]]
    return [
        *(error.message for error in errors),
        *(f"{name} is mapped twice" for name in {n for n in names if names.count(n) > 1}),
        *(f"{kind} has two names" for kind in {k for k in classes if classes.count(k) > 1}),
    ]
