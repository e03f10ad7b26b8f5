"""A spec as data, with the way back to its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clustergen.findings import Finding, Path, Span
from clustergen.source.nodes import Node, paths, plain


@dataclass(frozen=True, slots=True)
class Document:
    """One spec, merged from all its texts."""

    data: Any
    """Fresh dicts, lists and scalars; see :mod:`clustergen.source.scalars` for the scalars."""
    root: Node

    @classmethod
    def of(cls, root: Node) -> Document:
        return cls(plain(root), root)

    def span(self, path: Path, *, key: bool = False) -> Span | None:
        """Where the value at ``path`` is written (its key with ``key``).

        A path that was not written answers with the nearest thing around it that was.
        """
        node = self.root
        for step in path:
            child = node.child(step)
            if child is None:
                return node.span()
            node = child
        if key and node.key is not None:
            return node.key.span()
        return node.span()

    def place(self, finding: Finding) -> Finding:
        """The same finding with its position in the text; one that has a position keeps it."""
        if finding.span is not None:
            return finding
        return finding.placed(self.span(finding.path, key=finding.on_key))

    def written(self) -> frozenset[Path]:
        """Every path that the user wrote, list indexes included."""
        return frozenset(paths(self.root))
