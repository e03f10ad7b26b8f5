"""Whether to write colour."""

from __future__ import annotations

import os
from typing import TextIO


def is_wanted(choice: str, stream: TextIO) -> bool:
    """Whether to write colour to ``stream``: to a terminal, or if FORCE_COLOR is set.

    NO_COLOR turns it off, ``--color`` decides over both. https://no-color.org, https://force-color.org
    """
    if choice != "auto":
        return choice == "always"
    if os.environ.get("FORCE_COLOR") and not os.environ.get("NO_COLOR"):
        return True
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
