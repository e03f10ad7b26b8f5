"""Guessing what the user meant, and values in messages."""

import difflib
import json
from collections.abc import Iterable
from typing import Any, Final

from clustergen.base.secrets import STAND_IN

_SHOWN: Final = 12
_STAND_IN: Final = "".join(filter(str.isalpha, STAND_IN))
"""In the logical id of what is named after one."""


def similar(value: Any, known: Iterable[Any]) -> str:
    options = [str(option) for option in known]
    return next(iter(difflib.get_close_matches(str(value), options, n=1)), "")


def nearest(value: Any, known: Iterable[Any]) -> str:
    """Help text: the known value that is most similar to ``value``, or the known values."""
    options = [str(option) for option in known]
    if _STAND_IN in str(value):
        return (
            "it is named after a stand-in of an import; import again, with --parameter NAME=VALUE"
        )
    if near := similar(value, options):
        return f"did you mean {near}?"
    return f"known are {', '.join(options[:_SHOWN])}{' ...' if len(options) > _SHOWN else ''}"


def short(value: Any) -> str:
    """A value as JSON, cut off where it is long."""
    return shortened(json.dumps(value, ensure_ascii=False))


def shortened(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."
