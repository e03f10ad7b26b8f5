"""Regular expressions that are compiled when they are first used.

A command loads many modules and uses few of their patterns; to compile one takes up to a
millisecond.
"""

from __future__ import annotations

import re
from typing import Any, cast


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Like ``re.compile``, which it calls for the first method that is used."""
    return cast("re.Pattern[str]", _Pattern(text, flags))


class _Pattern:
    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)  # the next time without this method
        return found
