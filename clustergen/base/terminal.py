"""The terminal that standard output goes to."""

import os
import sys

NARROWEST = 60
WIDEST = 100


def width() -> int:
    """Columns to fill with text: those of the terminal, from 60 to 100; 100 without a terminal."""
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):  # a file, a pipe, or a stream in memory
        return WIDEST
    return max(NARROWEST, min(WIDEST, columns)) if columns else WIDEST


def wrapped(text: str, first: str, rest: str, *, whole_words: bool = False) -> list[str]:
    """``text`` as lines of the terminal's width; ``first`` and ``rest`` are prefixes of lines.

    With ``whole_words``, a word longer than a line stays whole, for commands that are copied.
    """
    import textwrap  # most runs wrap nothing

    return textwrap.wrap(
        text,
        width(),
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
        break_long_words=not whole_words,
    )
