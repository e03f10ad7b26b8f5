"""A spec as data, with positions in its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clustergen.base.findings import Edit, Finding, Fix, Path, Span
from clustergen.spec.source.nodes import Node, Text, paths, plain


@dataclass(frozen=True, slots=True)
class Document:
    """One spec, merged from all its texts."""

    data: Any
    """New dicts, lists and scalars; see :mod:`clustergen.spec.source.scalars` for the scalars."""
    root: Node
    texts: tuple[Text, ...] = ()
    """The files that it was merged from, in this order."""

    @classmethod
    def of(cls, root: Node, texts: tuple[Text, ...]) -> Document:
        return cls(plain(root), root, texts)

    def span(self, path: Path, *, key: bool = False) -> Span | None:
        """The position of the value at ``path``, or of its key with ``key``.

        For a path that is not in the text, the position of its nearest parent.
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
        """The finding with its position in the text; an existing position is kept."""
        if finding.span is not None:
            return finding
        editor = self.edits if finding.fix else None
        return finding.placed(self.span(finding.path, key=finding.on_key), editor)

    def edits(self, fix: Fix) -> tuple[Edit, ...]:
        """The edits of the texts that make the changes of ``fix``; empty if they are ambiguous."""
        from clustergen.spec.source import editing  # few findings are fixed

        return editing.edits(self.root, self.texts, fix)

    def written(self) -> frozenset[Path]:
        """All paths that the user wrote, including list indexes."""
        return frozenset(paths(self.root))
