"""The normal form of settings: those that mean the same have the same one."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from clustergen.importing.settings import Form, Json, general

_PAIRS: Final = (("Key", "Value"), ("ParameterName", "ParameterValue"))
"""Lists that are maps: tags, and settings of Slurm."""


def normal(settings: Json, form: Form) -> Json:
    """The settings without what goes without saying, numbers and booleans as text."""
    found: Json = reduced(settings, form, ())
    return found


def reduced(value: Any, form: Form, path: Sequence[str]) -> Any:
    """The normal form of the part of settings at ``path``."""
    if isinstance(value, Mapping):
        inner = {
            str(key): reduced(each, form, (*path, str(key)))
            for key, each in value.items()
            if each is not None
        }
        return {
            key: each
            for key, each in inner.items()
            if each not in ({}, [], None) and not _goes_without_saying(each, form, (*path, key))
        }
    if isinstance(value, list):
        for key, member in _PAIRS:
            if value and all(isinstance(i, Mapping) and set(i) == {key, member} for i in value):
                pairs = {str(each[key]): each[member] for each in value}
                return reduced(dict(sorted(pairs.items())), form, path)
        items = [reduced(each, form, (*path, "*")) for each in value]
        return sorted(items, key=str) if path and path[-1] in form.unordered else items
    if isinstance(value, bool):
        return str(value).lower()
    return value if value is None else str(value)


def _goes_without_saying(value: Any, form: Form, path: Sequence[str]) -> bool:
    place = general(path)
    default = reduced(form.defaults.get(place), form, ())
    return place in form.left_out or (default is not None and value == default)


def without_additions(ours: Json, theirs: Json, form: Form) -> Json:
    """Normal forms: ``ours`` without what clustergen may add to ``theirs``."""
    found: Json = {}
    for section, items in ours.items():
        known = theirs.get(section, {})
        for name, item in items.items():
            if name in known:
                rest = _without_kept(item, known[name], form, (section, name))
                found.setdefault(section, {})[name] = rest
            elif not form.may_add(section, name):
                found.setdefault(section, {})[name] = item
    return found


def _without_kept(ours: Any, theirs: Any, form: Form, path: Sequence[str]) -> Any:
    if not isinstance(ours, Mapping):
        return ours
    known = theirs if isinstance(theirs, Mapping) else {}
    found = {
        key: _without_kept(each, known.get(key), form, (*path, key))
        for key, each in ours.items()
        if key in known or not form.keeps((*path, key))
    }
    return {key: each for key, each in found.items() if each != {}}
