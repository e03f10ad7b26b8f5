"""Blocks as Markdown that is also readable as plain text."""

from collections.abc import Iterable

from clustergen.output import blocks
from clustergen.output.blocks import Block, Line, Table
from clustergen.output.markdown_text import aligned, escape


def text(document: Iterable[Block]) -> str:
    """A document with a final line end; empty without blocks."""
    parts = list(map(_block, document))
    return "\n\n".join(parts) + "\n" if parts else ""


def _block(block: Block) -> str:
    match block:
        case blocks.Heading(of, level):
            return f"{'#' * level} {line(of)}"
        case blocks.Paragraph(of):
            return line(of)
        case blocks.Items(lines, first):
            marks = (f"{first + n}." if first else "-" for n in range(len(lines)))
            return "\n".join(f"{mark} {line(of)}" for mark, of in zip(marks, lines, strict=True))
        case blocks.CodeBlock(code, language):
            return f"```{language}\n{code}\n```"
        case Table():
            return table(block)


def line(of: Line) -> str:
    """A line with its markup; other characters do not act as markup."""
    return escape(of) if isinstance(of, str) else "".join(map(_span, of))


def _span(span: str | blocks.Code | blocks.Strong | blocks.Link | blocks.Aside) -> str:
    match span:
        case blocks.Code(code):
            return f"`{code}`"
        case blocks.Strong(strong):
            return f"**{escape(strong)}**"
        case blocks.Link(url, ""):
            return f"<{url}>"
        case blocks.Link(url, label):
            return f"[{escape(label)}]({url})"
        case blocks.Aside(of):
            return line(of)
        case str():
            return _escaped(span)


def _escaped(text: str) -> str:
    """Escaped, with the spaces at its ends, which separate it from its neighbours."""
    before, after = " " * text.startswith(" "), " " * text.endswith(" ")
    return f"{before}{escape(text)}{after}" if text.strip() else " "


def table(of: Table) -> str:
    """A table with aligned columns."""
    lines = [[line(cell) for cell in row] for row in (of.header, *of.rows) if row]
    return aligned(lines, of.right)
