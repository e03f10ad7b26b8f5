"""Whether a changed Kubernetes object has a change that the API server rejects."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.base.patterns import pattern
from clustergen.bundle.effects.values import differs
from clustergen.facts.schemas import immutable
from clustergen.facts.schemas.immutable import Field

_STEP = pattern(r"(?P<name>[^.\[]+)(?:\[(?P<keys>[^]]*)\])?")
_Values = Mapping[str, Any]
"""The values at a path, by their own paths: there are several below a list."""


def first(old: Json, new: Json, moved: Collection[str]) -> Field | None:
    """The first fixed field that changes."""
    known = immutable.fields(str(new.get("apiVersion")), str(new.get("kind")))
    return next((field for field in known if _is_changed(field, old, new, moved)), None)


def _is_changed(field: Field, old: Json, new: Json, moved: Collection[str]) -> bool:
    if field.only_while and not _holds(field.only_while, old):
        return False
    before, after = (dict(_values(_without(each, field.but), field.path)) for each in (old, new))
    if field.unless_last and all(_ends(each, *field.unless_last) for each in (before, after)):
        return False
    left, came = before.keys() - after.keys(), after.keys() - before.keys()
    replaced = any(differs(before[key], after[key], moved) for key in before.keys() & after.keys())
    changes = {
        "value": replaced,
        "presence": left or came,
        "once": left or replaced,
        "always": left or came or replaced,
    }
    return bool(changes[field.fixed])


def _ends(found: _Values, key: str, value: str) -> bool:
    """Whether each list has ``value`` in its last item."""
    return all(items and items[-1].get(key) == value for items in found.values())


def _holds(condition: str, thing: Json) -> bool:
    path, _, value = condition.partition("=")
    found = [each for _, each in _values(thing, path)]
    return any(str(each).lower() == value for each in found) if value else bool(found)


def _values(value: Any, path: str, at: str = "") -> Iterator[tuple[str, Any]]:
    """The values at ``path``; an item of a list is known by its keys, or by its position."""
    step, _, rest = path.partition(".")
    found = _STEP.fullmatch(step)
    if not isinstance(value, dict) or found is None or found["name"] not in value:
        return
    inner, here = value[found["name"]], f"{at}.{found['name']}"
    items = {here: inner}
    if found["keys"] is not None:
        listed = inner if isinstance(inner, list) else []
        items = {f"{here}[{_name(item, found['keys'], n)}]": item for n, item in enumerate(listed)}
    for place, item in items.items():
        if rest:
            yield from _values(item, rest, place)
        else:
            yield place, item


def _name(item: Any, keys: str, position: int) -> str:
    if not keys or not isinstance(item, dict):
        return str(position)
    return ",".join(str(item.get(key)) for key in keys.split(","))


def _without(thing: Json, paths: Collection[str]) -> Json:
    for path in paths:
        thing = _lacking(thing, path)
    return thing


def _lacking(value: Any, path: str) -> Any:
    step, _, rest = path.partition(".")
    found = _STEP.fullmatch(step)
    if not isinstance(value, dict) or found is None or found["name"] not in value:
        return value
    name, inner = found["name"], value[found["name"]]
    if not rest:
        return {key: each for key, each in value.items() if key != name}
    if found["keys"] is not None and isinstance(inner, list):
        return {**value, name: [_lacking(item, rest) for item in inner]}
    return {**value, name: _lacking(inner, rest)}
