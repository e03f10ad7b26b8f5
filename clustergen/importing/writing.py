"""The text of an imported spec: one section after the other, with the decisions as comments."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from clustergen.base.documents import change_texts
from clustergen.base.yaml_text import Lines, is_literal, yaml_text
from clustergen.spec.source.characters import visible

_WIDTH = 98
_SPACED = frozenset({"network", "head_node", "node_groups", "queues", "storage", "targets"})


def spec_text(spec: Mapping[str, Any], origin: str, comments: Mapping[str, Sequence[str]]) -> str:
    """``spec`` as YAML; ``comments`` are by section."""
    parts = [_comment(f"Imported from {origin} by `clustergen import`.")]
    for key, value in spec.items():
        gap = "\n" if key in _SPACED or comments.get(key) else ""
        notes = "".join(_comment(text) for text in comments.get(key, ()))
        parts.append(gap + notes + yaml_text({key: change_texts(value, _readable)}))
    return "".join(parts)


def _readable(text: str) -> str:
    """A script as a literal block, where this can hold it."""
    return Lines(text) if is_literal(text) else text


def _comment(text: str) -> str:
    """``text`` as a comment, which no character of it can end."""
    lines = textwrap.wrap(visible(text), _WIDTH, break_long_words=False, break_on_hyphens=False)
    return "".join(f"# {line}\n" for line in lines)
