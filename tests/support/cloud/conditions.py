"""Conditions of a template, which may consist of others."""

from collections.abc import Mapping
from typing import Any


class Conditions:
    """The values of conditions, for given values of parameters."""

    def __init__(self, template: Mapping[str, Any], parameters: Mapping[str, str]) -> None:
        self._known = template.get("Conditions", {})
        defaults = {
            name: each.get("Default") for name, each in template.get("Parameters", {}).items()
        }
        self._values = {**defaults, **parameters}

    def holds(self, name: str) -> bool:
        return self._is_true(self._known[name])

    def _is_true(self, condition: Mapping[str, Any]) -> bool:
        ((function, given),) = condition.items()
        match function:
            case "Condition":
                return self.holds(given)
            case "Fn::Equals":
                left, right = map(self._value, given)
                return str(left) == str(right)
            case "Fn::Not":
                return not self._is_true(given[0])
            case "Fn::And":
                return all(map(self._is_true, given))
            case "Fn::Or":
                return any(map(self._is_true, given))
        raise NotImplementedError(function)

    def _value(self, value: Any) -> Any:
        return self._values.get(value["Ref"]) if isinstance(value, dict) else value
