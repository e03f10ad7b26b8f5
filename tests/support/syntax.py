"""Syntax trees of modules, for tests of the code itself."""

from __future__ import annotations

import ast
import functools
from pathlib import Path


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file; those of the package have a hundred megabytes together."""
    return ast.parse(path.read_text(encoding="utf-8"))
