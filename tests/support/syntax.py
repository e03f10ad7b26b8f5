"""Syntax trees of modules, for tests of the code itself."""

import ast
import functools
from pathlib import Path


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file; those of the package have a hundred megabytes together."""
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of the tree; to walk through it takes longer than to parse the file."""
    return tuple(ast.walk(tree_of(path)))
