"""The diagram as Mermaid, which GitHub and GitLab draw in Markdown."""

from collections.abc import Iterator
from itertools import count

from clustergen.analysis.graph.model import Box


def render(box: Box) -> str:
    """A flowchart of nested subgraphs."""
    return "\n".join(("flowchart TB", *_lines(box, count(), "  "))) + "\n"


def _lines(box: Box, numbers: Iterator[int], indent: str) -> Iterator[str]:
    label = "<br/>".join(map(_text, (box.title, *box.lines)))
    node = f'b{next(numbers)}["{label}"]'
    if not box.inside:
        yield f"{indent}{node}"
        return
    yield f"{indent}subgraph {node}"
    for each in box.inside:
        yield from _lines(each, numbers, indent + "  ")
    yield f"{indent}end"


def _text(text: str) -> str:
    """Entities of Mermaid, for characters that have a meaning in labels."""
    plain = "".join(c if c.isprintable() else " " for c in text)
    return "".join(f"#{ord(c)};" if c in '"#<>&;`' else c for c in plain)
