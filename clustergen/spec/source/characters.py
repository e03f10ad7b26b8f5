"""Invisible characters, and those that change how others are displayed."""

import re
from typing import Final

from clustergen.base.patterns import pattern

# Control characters but tab and line ends, YAML 1.1's extra line ends, surrogates, non-characters,
# byte order marks, and the marks that turn the direction of writing (https://trojansource.codes/).
INVISIBLE: Final = pattern(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ud800-\udfff\ufeff\ufffe\uffff]"
)


def visible(text: str) -> str:
    """``text`` made safe to print: :data:`INVISIBLE` characters are escaped."""
    return INVISIBLE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode()
