"""Guessing what the user meant, and values in messages."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable
from typing import Any, Final

_SHOWN: Final = 12


def similar(value: Any, known: Iterable[Any]) -> str:
    """The known value that is most similar to ``value``; empty if none is."""
    options = [str(option) for option in known]
    return next(iter(difflib.get_close_matches(str(value), options, n=1)), "")


def nearest(value: Any, known: Iterable[Any]) -> str:
    """Help text: the known value that is most similar to ``value``, or the known values."""
    options = [str(option) for option in known]
    if near := similar(value, options):
        return f"did you mean {near}?"
    return f"known are {', '.join(options[:_SHOWN])}{' ...' if len(options) > _SHOWN else ''}"


def short(value: Any) -> str:
    """A value as JSON, cut off where it is long."""
    return shortened(json.dumps(value, ensure_ascii=False))


def shortened(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."
