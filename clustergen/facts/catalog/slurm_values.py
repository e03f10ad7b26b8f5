"""How Slurm parses the value of a key: one function for each format in ``data/slurm.json``.

Source: src/common/parse_config.c and src/common/read_config.c of Slurm 24.11 to 26.05.
"""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from clustergen.base.patterns import pattern
from clustergen.facts.catalog.slurm import Key


class Wrong(NamedTuple):
    """An invalid value, and what to write instead."""

    value: str
    """The part of the value that Slurm rejects."""
    wanted: str
    """What to write instead, to follow "write"."""

    @property
    def is_word(self) -> bool:
        """Whether :attr:`wanted` is a value, not a description of values."""
        return " " not in self.wanted and "NAME" not in self.wanted


Form = Callable[[Key, str], Wrong | None]
"""Why a value does not have the format; None if it does."""


def wrong(key: Key, value: str, version: str = "") -> Wrong | None:
    """Why Slurm does not accept ``value`` for ``key``; None if it does.

    ``version`` defaults to the newest.
    """
    text = value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
    if text in key.gone and (not version or version > key.gone[text]):
        return Wrong(text, key.of[0])
    return _FORMS[key.form](key, text)


_UNSIGNED = pattern(r"[0-9]+|0[xX][0-9a-fA-F]+|INFINITE|UNLIMITED", re.IGNORECASE)
_MOST = {"uint16": 2**16 - 1, "uint32": 2**32 - 1, "uint64": 2**64 - 1}


def _number(key: Key, value: str) -> Wrong | None:
    most = _MOST[key.form] if key.most is None else key.most
    wanted = f"a whole number from {key.least} to {most}"
    if key.most is None and key.form != "uint16":
        wanted = f"a whole number from {key.least} on" if key.least else "a whole number"
    if not _UNSIGNED.fullmatch(value):
        return Wrong(value, wanted)
    base = 0 if "x" in value.lower() else 10
    fits = not value[0].isdigit() or key.least <= int(value, base) <= most
    return None if fits else Wrong(value, wanted)


def _like(form: str, wanted: str) -> Form:
    """The format of values that match ``form``, in any case."""
    known = pattern(form, re.IGNORECASE)
    return lambda _, value: None if known.fullmatch(value) else Wrong(value, wanted)


def _one(key: Key, value: str) -> Wrong | None:
    known = {each.lower() for each in key.of}
    return None if value.lower() in known else Wrong(value, _nearest(value, key.of))


def _plugin(key: Key, value: str) -> Wrong | None:
    """Plugins are files: their names are case-sensitive, and Slurm looks for the full name."""
    if value in key.of or value in key.gone:
        return None
    full = [each for each in key.of if each.rpartition("/")[2] == value.rpartition("/")[2].lower()]
    return Wrong(value, full[0] if full else _nearest(value, key.of))


def _plugins(key: Key, value: str) -> Wrong | None:
    known = {*key.of, *(each.rpartition("/")[2] for each in key.of)}
    unknown = (each for each in value.split(",") if each not in known)
    return next((Wrong(each, _nearest(each, key.of)) for each in unknown), None)


def _flags(key: Key, value: str) -> Wrong | None:
    """Flags are case-insensitive; to Slurm, ``flag`` and ``flag=`` are the same."""
    known = {each.lower().rstrip("=") for each in key.of}
    for flag in value.split(","):
        name = flag.partition("=")[0]
        if name and name.lower() not in known:
            return Wrong(name, _nearest(name, [each.rstrip("=") for each in key.of]))
    return None


def seconds(value: str) -> int | None:
    """Seconds of ``value``, for a key with the format ``time``; None if unlimited."""
    if not value[:1].isdigit():
        return None
    days, _, rest = value.rpartition("-")
    parts = [int(part) for part in rest.split(":")]
    if days:
        hours, minutes, seconds = (*parts, 0, 0)[:3]
        return ((int(days) * 24 + hours) * 60 + minutes) * 60 + seconds
    if len(parts) == 3:
        return (parts[0] * 60 + parts[1]) * 60 + parts[2]
    return parts[0] * 60 + sum(parts[1:])


def _licenses(_: Key, value: str) -> Wrong | None:
    for each in value.split(","):
        if not re.fullmatch(r"[^\s,:=]+([:*=][0-9]+)?", each):
            return Wrong(each, "names with counts, such as matlab:10,abaqus:4")
    return None


_TRES = ("CPU", "Mem", "Energy", "Node", "Billing", "VMem", "Pages")
_TRES_TYPES = ("GRES/", "License/", "FS/", "BB/", "IC/")


def _is_resource(name: str) -> bool:
    of_type = any(name.lower().startswith(each.lower()) for each in _TRES_TYPES)
    return of_type or name.lower() in {each.lower() for each in _TRES}


def _resources(_: Key, value: str) -> Wrong | None:
    unknown = (each for each in value.split(",") if not _is_resource(each))
    return next((Wrong(each, _resource_near(each)) for each in unknown), None)


def _weights(_: Key, value: str) -> Wrong | None:
    for each in value.split(","):
        name, weight = each.split("=", 1) if "=" in each else (each, "")
        if not _is_resource(name):
            return Wrong(name, _resource_near(name))
        if not re.fullmatch(r"[0-9]*\.?[0-9]+[KMGTP]?", weight, re.IGNORECASE):
            return Wrong(each, f"{name}= with a number, such as {name}=1.0")
    return None


def _resource_near(name: str) -> str:
    if name.lower() in ("gpu", "gpus"):
        return "GRES/gpu"
    return _nearest(name, (*_TRES, "GRES/gpu", "License/NAME"))


def _nearest(value: str, known: Iterable[str]) -> str:
    """The known value most similar to ``value``, or else all known values."""
    by_lower = {each.lower(): each for each in known}
    if near := difflib.get_close_matches(value.lower(), by_lower, n=1):
        return by_lower[near[0]]
    shown = list(by_lower.values())
    if len(shown) == 1:
        return shown[0]
    if len(shown) > _SHOWN:
        return f"a value that Slurm knows, such as {', '.join(shown[:_SHOWN])}"
    return f"{', '.join(shown[:-1])} or {shown[-1]}"


_SHOWN = 12

_FORMS: Mapping[str, Form] = {
    **dict.fromkeys(("text", "line"), lambda _, __: None),
    **dict.fromkeys(("uint16", "uint32", "uint64"), _number),
    "decimal": _like(r"[0-9]+(\.[0-9]*)?|INFINITE|UNLIMITED", "a number, without a unit or %"),
    "boolean": _like("YES|NO|TRUE|FALSE|UP|DOWN|1|0", "YES or NO"),
    "one": _one,
    "plugin": _plugin,
    "plugins": _plugins,
    "flags": _flags,
    "time": _like(
        r"[0-9]+(:[0-9]+){0,2}|[0-9]+-[0-9]+(:[0-9]+){0,2}|-1|INFINITE|UNLIMITED",
        "minutes, hours:minutes:seconds, days-hours:minutes:seconds or UNLIMITED",
    ),
    "age": _like(
        r"[0-9]+(hours?|days?|months?)?",
        "a number of hours, days or months, such as 12months",
    ),
    "shared": _like(
        r"NO|EXCLUSIVE|(YES|FORCE)(:[0-9]+)?", "NO, EXCLUSIVE, YES, FORCE, YES:4 or FORCE:4"
    ),
    "ports": _like(r"[0-9]{1,5}(-[0-9]{1,5})?", "a port or a range, such as 60001-63000"),
    "numbers": _like(
        r"[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*", "numbers and ranges, such as 1-3,100"
    ),
    "licenses": _licenses,
    "tres": _weights,
    "tres-list": _resources,
}
