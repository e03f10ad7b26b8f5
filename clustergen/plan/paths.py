"""Paths in file systems."""

import functools
import posixpath
from pathlib import PurePosixPath


@functools.lru_cache(maxsize=4096)
def plain(path: str) -> str:
    """``path`` without repeated or trailing slashes, ``.`` and ``..``."""
    return "/" + posixpath.normpath(path).lstrip("/")


def inside(path: str, other: str) -> bool:
    """Whether ``path`` is ``other`` or below it."""
    return (plain(path) + "/").startswith(plain(other).rstrip("/") + "/")


@functools.lru_cache(maxsize=4096)
def around(path: str) -> tuple[str, ...]:
    """The folders that ``path`` is in, the innermost first."""
    return tuple(map(str, PurePosixPath(plain(path)).parents))
