"""Paths in file systems."""

from __future__ import annotations

import functools
import posixpath


@functools.lru_cache(maxsize=4096)
def plain(path: str) -> str:
    """``path`` without repeated or trailing slashes, ``.`` and ``..``."""
    return "/" + posixpath.normpath(path).lstrip("/")


def inside(path: str, other: str) -> bool:
    """Whether ``path`` is ``other`` or below it."""
    return (plain(path) + "/").startswith(plain(other).rstrip("/") + "/")
