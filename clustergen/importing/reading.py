"""From the text of a configuration to data, as the service's own tools read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from clustergen.findings import Finding, Path, Span


@dataclass(frozen=True, slots=True)
class Source:
    """A configuration: its name, its data, and the positions of its keys."""

    name: str
    data: Any
    lines: tuple[str, ...]
    root: yaml.Node | None

    def place(self, finding: Finding) -> Finding:
        """The finding with the position of its path, or of the deepest part of it that exists."""
        mark = _mark(self.root, finding.path)
        if mark is None:
            return finding
        text = self.lines[mark.line] if mark.line < len(self.lines) else ""
        end = max(len(text.rstrip()), mark.column + 1)
        return finding.placed(Span(self.name, mark.line + 1, mark.column + 1, end + 1, text))


class Unreadable(ValueError):
    """A text that is not YAML; the message says where."""


def read(text: str, name: str) -> Source:
    """The data in ``text``: YAML 1.1, which the services' tools read, or JSON.

    :raises Unreadable: if it is neither.
    """
    try:
        root = yaml.compose(text, Loader=_Loader)
        data = yaml.load(text, Loader=_Loader)  # noqa: S506 derived from the safe loader
    except (yaml.YAMLError, ValueError) as error:
        raise Unreadable(" ".join(str(error).split())) from None
    return Source(name, data, tuple(text.splitlines()), root)


class _Loader(yaml.SafeLoader):
    """PyYAML's safe loader, with the short forms of CloudFormation's functions."""


def _function(loader: _Loader, suffix: str, node: yaml.Node) -> Any:
    """``!Sub text`` is ``{Fn::Sub: text}``."""
    if isinstance(node, yaml.ScalarNode):
        value: Any = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {suffix if suffix in ("Ref", "Condition") else f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _function)
# Dates stay text, as in the JSON that the services get.
_Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda _loader, node: node.value)


def _mark(node: yaml.Node | None, path: Path) -> yaml.Mark | None:
    mark = node.start_mark if node else None
    for step in path:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == str(step)), None)
            if found is None:
                break
            mark, node = found[0].start_mark, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            if step >= len(node.value):
                break
            node = node.value[step]
            mark = node.start_mark
        else:
            break
    return mark
