"""Whether to write colour."""

from __future__ import annotations

import os
from typing import TextIO


def is_wanted(choice: str, stream: TextIO) -> bool:
    """Whether to write colour to ``stream``: only to a terminal, and not if NO_COLOR is set."""
    if choice != "auto":
        return choice == "always"
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
