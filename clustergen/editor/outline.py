"""The structure of a YAML text that may be incomplete or wrong.

An editor asks about texts in which a bracket is open, or half of a key is written. The outline has
everything that is there, with its position; for a valid text it has the values and positions of
:mod:`clustergen.spec.source`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from clustergen.base.findings import Path
from clustergen.editor.texts import At
from clustergen.spec.source.scalars import resolve


class Kind(enum.Enum):
    EMPTY = enum.auto()
    SCALAR = enum.auto()
    MAP = enum.auto()
    LIST = enum.auto()


@dataclass(slots=True, eq=False)
class Node:
    """A value. Built by :mod:`.scanner`, and not changed afterwards."""

    at: At
    kind: Kind = Kind.EMPTY
    text: str = ""
    """The text of a scalar, without its quotes."""
    quoted: bool = False
    flow: bool = False
    """In brackets or braces."""
    column: int = 0
    """The column of the keys or dashes of a block collection."""
    bare: bool = False
    """A word on a line of its own, which may become a key."""
    key: str = ""
    key_at: At | None = None
    pending: bool = False
    """A key without a colon."""
    children: list[Node] = field(default_factory=list)
    parent: Node | None = None

    def add(self, child: Node) -> Node:
        """Append a child to a collection."""
        child.parent = self
        self.children.append(child)
        return child

    def child(self, step: str | int) -> Node | None:
        if isinstance(step, str):
            found = (c for c in self.children if c.key_at and c.key == step and not c.pending)
            return next(found, None)
        fits = self.kind is Kind.LIST and 0 <= step < len(self.children)
        return self.children[step] if fits else None

    def find(self, path: Path) -> Node | None:
        node: Node | None = self
        for step in path:
            node = node.child(step) if node else None
        return node

    def matching(self, form: Path) -> Iterator[Node]:
        """The nodes at all paths of the ``form``, in which ``*`` stands for each item of a list."""
        if not form:
            yield self
            return
        if form[0] != "*":
            child = self.child(form[0])
            if child:
                yield from child.matching(form[1:])
        elif self.kind is Kind.LIST:
            for item in self.children:
                yield from item.matching(form[1:])

    def text_at(self, *path: str | int) -> str:
        """The text of the scalar at ``path``; empty if there is none."""
        node = self.find(path)
        return node.text if node else ""

    def path(self) -> Path:
        """The path of this node from the root of its document."""
        steps: list[str | int] = []
        node = self
        while node.parent is not None:
            siblings = node.parent.children
            steps.append(node.key if node.key_at else siblings.index(node))
            node = node.parent
        return tuple(reversed(steps))

    def keys(self) -> list[str]:
        """The complete keys of a mapping."""
        return [child.key for child in self.children if child.key_at and not child.pending]

    def walk(self) -> Iterator[Node]:
        """This node and all nodes below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def data(self) -> Any:
        """The value as dicts, lists and scalars."""
        match self.kind:
            case Kind.MAP:
                return {child.key: child.data() for child in self.children if not child.pending}
            case Kind.LIST:
                return [child.data() for child in self.children]
            case Kind.SCALAR:
                return self.text if self.quoted else resolve(self.text)
            case _:
                return None


def generic(path: Path) -> Path:
    """``path`` with ``*`` in place of each index."""
    return tuple("*" if isinstance(step, int) else step for step in path)


def node_at(roots: list[Node], line: int, column: int) -> tuple[Node, bool] | None:
    """The scalar or key at a position, and whether it is the key."""
    for root in roots:
        for node in root.walk():
            if node.key_at and node.key_at.contains(line, column):
                return node, True
            if node.kind is Kind.SCALAR and node.at.contains(line, column):
                return node, False
    return None
