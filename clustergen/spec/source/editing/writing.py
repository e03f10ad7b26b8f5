"""Plain data as YAML text: the inverse of :mod:`clustergen.spec.source.scalars`."""

import json
from typing import Any

import yaml

from clustergen.spec.source.scalars import resolve


def text_of(value: Any, *, in_flow: bool, quote: str = "") -> str:
    """``value`` on one line, in the given quotes if it is text; ``json`` writes JSON.

    ``in_flow``: between the brackets of a collection in flow style.
    """
    if isinstance(value, dict):
        entries = (f"{key_of(k, quote)}: {_inner(v, quote)}" for k, v in value.items())
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_inner(item, quote) for item in value)}]"
    if isinstance(value, str):
        return _text(value, in_flow, quote)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return str(value)


def _inner(value: Any, quote: str) -> str:
    return text_of(value, in_flow=True, quote=quote if quote == "json" else "")


def key_of(key: str, quote: str = "") -> str:
    return _text(key, True, quote)


def _text(text: str, in_flow: bool, quote: str) -> str:
    is_simple = text.isprintable()
    if quote == "'" and is_simple:
        return "'" + text.replace("'", "''") + "'"
    if not quote and is_simple and _is_plain(text, in_flow):
        return text
    return json.dumps(text, ensure_ascii=False)


def _is_plain(text: str, in_flow: bool) -> bool:
    """Whether the text needs no quotes."""
    if resolve(text) != text or not isinstance(resolve(text), str) or text == "<<":
        return False
    before, after = ("{k: [", "]}\n") if in_flow else ("k: ", "\n")
    try:
        events = [*yaml.parse(before + text + after, Loader=yaml.SafeLoader)]
    except yaml.YAMLError:
        return False
    found = [event for event in events if isinstance(event, yaml.ScalarEvent)]
    return [event.value for event in found] == ["k", text] and not any(e.style for e in found)
