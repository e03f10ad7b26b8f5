"""Intrinsic functions of CloudFormation, evaluated as far as their arguments are known.

What is only known after deployment stays a reference: ``{Ref: ...}``, ``{Fn::GetAtt: ...}`` or
``{Fn::ImportValue: ...}`` alone, or :func:`unknown` text within a longer one.
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
"""

import base64
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, TypeGuard

from clustergen.base.patterns import pattern
from clustergen.base.secrets import STAND_IN

NOTHING: Final = object()
"""The value of ``AWS::NoValue``: whatever has it is left out."""
_OPEN, _CLOSE = "\x02", "\x03"
UNKNOWN: Final = pattern(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")
ACCOUNT_ID: Final = "AWS::AccountId"
ACCOUNT: Final = "0" * 12
"""The stand-in for an account."""
VARIABLE: Final = pattern(r"\$\{(!?)([^}]*)\}")
DYNAMIC: Final = pattern(r"\{\{resolve:((?:ssm|secretsmanager)[^{}]*)\}\}")
"""A text that Systems Manager or Secrets Manager knows."""
_REFERENCES: Final = frozenset(("Ref", "Fn::GetAtt", "Fn::ImportValue"))


class Scope(Protocol):
    """What a template's names mean."""

    def ref(self, name: str) -> Any: ...

    def attribute(self, name: str, attribute: str) -> Any: ...

    def imported(self, name: str) -> Any: ...

    def mapping(self, name: str) -> Mapping[str, Any]: ...

    def condition(self, name: str) -> bool: ...

    def dynamic(self, reference: re.Match[str]) -> str: ...


def unknown(name: str) -> str:
    """A text in place of a value that is not known."""
    return f"{_OPEN}{name}{_CLOSE}"


def stand_in(name: str) -> str:
    """What stands for a value that is not known, by the name of what has it."""
    slug = re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")
    return ACCOUNT if name == ACCOUNT_ID else f"{STAND_IN}{slug}"


def stand_ins(text: str) -> str:
    """``text`` with stand-ins for the values in it that are not known."""
    return UNKNOWN.sub(lambda match: stand_in(match[1]), text)


def is_reference(value: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a value is only known after deployment."""
    return isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in _REFERENCES


def name_of(reference: Mapping[str, Any]) -> str:
    """What a reference refers to, in the words of ``Fn::Sub``."""
    (value,) = reference.values()
    name = ".".join(map(str, value)) if isinstance(value, list) else str(value)
    return UNKNOWN.sub(r"${\1}", name)


def name_in(value: Any) -> str | None:
    """The name that a value is, with stand-ins for what is not known; None if it is none."""
    if is_reference(value):
        return stand_in(name_of(value))
    known = isinstance(value, str | int | float) and str(value)
    return stand_ins(str(value)) if known else None


def evaluate(value: Any, scope: Scope) -> Any:
    """``value`` without the functions whose arguments are known."""
    found = _evaluated(value, scope)
    return DYNAMIC.sub(scope.dynamic, found) if isinstance(found, str) else found


def _evaluated(value: Any, scope: Scope) -> Any:
    if isinstance(value, list):
        found = (evaluate(each, scope) for each in value)
        return [each for each in found if each is not NOTHING]
    if not isinstance(value, Mapping):
        return NOTHING if value is None else value
    if len(value) == 1:
        ((name, argument),) = value.items()
        if name == "Ref" and isinstance(argument, str):
            return scope.ref(argument)
        if name in _FUNCTIONS:
            return _FUNCTIONS[name](argument, scope)
    members = {str(key): evaluate(each, scope) for key, each in value.items()}
    return {key: each for key, each in members.items() if each is not NOTHING}


def as_text(value: Any) -> str:
    """A value within a text."""
    if is_reference(value):
        return unknown(name_of(value))
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is NOTHING else str(value)


def holds(condition: Any, scope: Scope) -> bool:
    """Whether a condition holds; parts that cannot be known do not."""
    if not isinstance(condition, Mapping) or len(condition) != 1:
        return condition is True
    ((name, argument),) = condition.items()
    each = argument if isinstance(argument, list) else [argument]
    match name:
        case "Condition":
            return scope.condition(str(argument))
        case "Fn::Equals":
            left, right = (as_text(evaluate(one, scope)) for one in (*each, "", "")[:2])
            return left == right
        case "Fn::And":
            return all(holds(one, scope) for one in each)
        case "Fn::Or":
            return any(holds(one, scope) for one in each)
        case "Fn::Not":
            return not holds(each[0] if each else False, scope)
    return False


def _sub(argument: Any, scope: Scope) -> Any:
    text, own = argument if _has(argument, 2) else (argument, {})
    values = evaluate(own, scope) if isinstance(own, Mapping) else {}
    alone = VARIABLE.fullmatch(str(text))
    if alone and not alone[1] and alone[2] not in values:
        found = _named(alone[2], scope)
        return found if is_reference(found) else as_text(found)

    def replace(match: re.Match[str]) -> str:
        literal, name = match[1], match[2]
        if literal:
            return f"${{{name}}}"
        return as_text(values[name] if name in values else _named(name, scope))

    return VARIABLE.sub(replace, str(text))


def _named(name: str, scope: Scope) -> Any:
    owner, dot, attribute = name.partition(".")
    return scope.attribute(owner, attribute) if dot else scope.ref(name)


def _get_att(argument: Any, scope: Scope) -> Any:
    owner, _, attribute = (
        (str(argument[0]), ".", ".".join(map(as_text, argument[1:])))
        if isinstance(argument, list) and argument
        else str(argument).partition(".")
    )
    return scope.attribute(owner, attribute)


def _if(argument: Any, scope: Scope) -> Any:
    if not _has(argument, 3):
        return _malformed("Fn::If")
    name, then, otherwise = argument
    return evaluate(then if scope.condition(str(name)) else otherwise, scope)


def _join(argument: Any, scope: Scope) -> Any:
    separator, items = argument if _has(argument, 2) else ("", [])
    found = evaluate(items, scope)
    if not isinstance(found, list):
        return found
    return str(separator).join(map(as_text, found))


def _split(argument: Any, scope: Scope) -> Any:
    separator, text = argument if _has(argument, 2) else (",", "")
    found = evaluate(text, scope)
    return found if is_reference(found) else str(found).split(str(separator))


def _select(argument: Any, scope: Scope) -> Any:
    index, items = (evaluate(each, scope) for each in (argument if _has(argument, 2) else (0, [])))
    if is_reference(items):
        return {"Ref": f"{name_of(items)}[{index}]"}
    number = int(index) if str(index).isdigit() else -1
    known = isinstance(items, list) and 0 <= number < len(items)
    return items[number] if known else NOTHING


def _find_in_map(argument: Any, scope: Scope) -> Any:
    if not isinstance(argument, list) or len(argument) < len(("map", "key", "second")):
        return _malformed("Fn::FindInMap")
    name, first, second = (as_text(evaluate(each, scope)) for each in argument[:3])
    options = argument[3] if len(argument) > len(("map", "key", "second")) else {}
    row = scope.mapping(name).get(first)
    if isinstance(row, Mapping) and second in row:
        return evaluate(row[second], scope)
    if isinstance(options, Mapping) and "DefaultValue" in options:
        return evaluate(options["DefaultValue"], scope)
    return {"Ref": f"{name}.{first}.{second}"}


def _base64(argument: Any, scope: Scope) -> Any:
    # The text says more than its code does.
    found = evaluate(argument, scope)
    return NOTHING if found is NOTHING else {"Fn::Base64": found}


def _malformed(name: str) -> Any:
    """A reference in place of a function whose arguments are not those that it takes."""
    return {"Ref": f"the result of {name}"}


def decoded(value: Any) -> Any:
    """User data as text, however it is written."""
    if isinstance(value, Mapping) and set(value) == {"Fn::Base64"}:
        return value["Fn::Base64"]
    try:
        return base64.b64decode(str(value), validate=True).decode()
    except ValueError:
        return value


def _has(argument: Any, number: int) -> bool:
    return isinstance(argument, list) and len(argument) == number


def _zones(argument: Any, scope: Scope) -> Any:
    region = as_text(evaluate(argument, scope)) or as_text(scope.ref("AWS::Region"))
    return [f"{region}{letter}" for letter in "abc"]


_FUNCTIONS: Final[Mapping[str, Callable[[Any, Scope], Any]]] = {
    "Fn::Sub": _sub,
    "Fn::GetAtt": _get_att,
    "Fn::If": _if,
    "Fn::Join": _join,
    "Fn::Split": _split,
    "Fn::Select": _select,
    "Fn::FindInMap": _find_in_map,
    "Fn::Base64": _base64,
    "Fn::GetAZs": _zones,
    "Fn::ImportValue": lambda argument, scope: scope.imported(as_text(evaluate(argument, scope))),
}
