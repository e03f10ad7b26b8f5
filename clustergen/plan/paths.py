"""Paths as the file system reads them."""

from __future__ import annotations

import posixpath


def plain(path: str) -> str:
    """``path`` without doubled or trailing slashes and without ``.`` and ``..``."""
    return "/" + posixpath.normpath(path).lstrip("/")


def inside(path: str, other: str) -> bool:
    """Whether ``path`` is ``other`` or somewhere below it."""
    return (plain(path) + "/").startswith(plain(other).rstrip("/") + "/")
