"""Regular expressions that are compiled on first use.

A command loads many modules but uses few of their patterns; compiling one can take a millisecond.
"""

import re
from typing import Any, cast


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """Like ``re.compile``, but compiled at the first call of a method."""
    return cast("re.Pattern[str]", _Pattern(text, flags))


class _Pattern:
    def __init__(self, text: str, flags: int) -> None:
        self._text, self._flags = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._text, self._flags), name)
        setattr(self, name, found)  # later accesses skip this method
        return found
