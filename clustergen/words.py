"""Long lists of names, written as text: as many in a line as fit, whatever the formatter does."""

from __future__ import annotations


def words(text: str) -> tuple[str, ...]:
    """The words of ``text``, which whitespace separates."""
    return tuple(text.split())


def word_set(text: str) -> frozenset[str]:
    """The words of ``text`` as a set."""
    return frozenset(text.split())
