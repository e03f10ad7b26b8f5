"""YAML text that every parser reads the same way.

ParallelCluster reads YAML 1.1, where an unquoted ``NO`` is false and ``1:00:00`` is 3600. Text is
unquoted only if every parser reads it as text. This module does not use PyYAML, because output must
be the same on every machine, with or without libyaml.
"""

import json
from collections.abc import Iterator
from typing import Any

from clustergen.base.patterns import pattern

# A letter followed by characters without special meaning: neither ": " nor " #" can occur.
_PLAIN = pattern(r"[A-Za-z/][A-Za-z0-9_./@+-]*(?: [A-Za-z0-9_./@+-]+)*(?<! -)")
# https://yaml.org/type/bool.html, https://yaml.org/type/null.html
_WORDS = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})


class Lines(str):
    """Text to write as a literal block: a script, or an embedded file."""

    __slots__ = ()


def yaml_text(document: dict[str, Any]) -> str:
    """``document`` in block style, with keys in order.

    Accepts maps with text keys, lists, text, integers, floats, booleans and None. Raises ValueError
    for :class:`Lines` that a literal block cannot represent.
    """
    return "\n".join(_block(document, "")) + "\n"


def _block(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _entry(f"{indent}{scalar(key)}:", inner, indent + "  ")
    else:
        for item in value:
            yield from _item(item, indent)


def _entry(opening: str, value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Lines):
        yield f"{opening} |"
        yield from _literal(value, indent)
    elif isinstance(value, dict | list) and value:
        yield opening
        yield from _block(value, indent)
    else:
        yield f"{opening} {scalar(value)}"


def _item(value: Any, indent: str) -> Iterator[str]:
    """A list item: the first line follows the dash, the others are indented."""
    if isinstance(value, Lines):
        yield from _entry(f"{indent}-", value, indent + "  ")
        return
    if not isinstance(value, dict | list) or not value:
        yield f"{indent}- {scalar(value)}"
        return
    first, *rest = _block(value, indent + "  ")
    yield f"{indent}- {first.lstrip(' ')}"
    yield from rest


def is_literal(text: str) -> bool:
    """Whether a literal block can hold ``text``, which has several lines."""
    lines = text.split("\n")
    plain = all(" " <= character <= "~" for line in lines for character in line)
    whole = len(lines) > 1 and not lines[-1] and bool(lines[-2])
    return plain and whole and bool(lines[0]) and not lines[0].startswith(" ")


def _literal(text: str, indent: str) -> Iterator[str]:
    if not is_literal(text):
        raise ValueError(f"no literal block holds {text!r}")
    lines = text.split("\n")
    for line in lines[:-1]:
        yield f"{indent}{line}" if line else ""


def scalar(value: Any) -> str:
    """Text, a number, a boolean or None, also inside brackets."""
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS
        return value if plain else f'"{"".join(map(_escaped, value))}"'
    return json.dumps(value)


def _escaped(character: str) -> str:
    """A character inside double quotes, in ASCII: U+0085 and others end a line in YAML 1.1."""
    if " " <= character <= "~":
        return f"\\{character}" if character in '"\\' else character
    return f"\\U{ord(character):08x}"
