"""The sections of a bundle's README, which are pages in Markdown, as blocks."""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from clustergen.output.blocks import (
    Block,
    Code,
    CodeBlock,
    Heading,
    Items,
    Link,
    Paragraph,
    Spans,
    Strong,
    Table,
    linked,
)


def blocks(text: str) -> Iterator[Block]:
    """The blocks of Markdown; HTML in it is text."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    yield from map(_block, SyntaxTreeNode(parser.parse(text)).children)


def _block(node: SyntaxTreeNode) -> Block:
    match node.type:
        case "heading":
            return Heading(_line(node), int(node.tag[1:]))
        case "bullet_list" | "ordered_list":
            first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
            return Items(tuple(map(_line, node.children)), first)
        case "table":
            return _table(node)
        case "fence" | "code_block":
            return CodeBlock(node.content.rstrip("\n"), node.info)
        case _:
            return Paragraph(_line(node))


def _table(node: SyntaxTreeNode) -> Table:
    header, *rows = (row.children for part in node.children for row in part.children)
    right = (n for n, cell in enumerate(header) if "right" in str(cell.attrs.get("style", "")))
    lines = (tuple(map(_line, row)) for row in rows)
    return Table(tuple(map(_line, header)), tuple(lines), frozenset(right))


def _line(node: SyntaxTreeNode) -> Spans:
    """The text below a node, as one line."""
    return tuple(span for child in node.children for span in _spans(child))


def _spans(node: SyntaxTreeNode) -> Spans:
    url = str(node.attrs.get("href", ""))
    match node.type:
        case "text":
            return linked(node.content)
        case "softbreak" | "hardbreak":
            return (" ",)
        case "code_inline":
            return (Code(node.content),)
        case "strong":
            return (Strong(_plain(node)),)
        case "link" if url.startswith("https://"):
            return (Link(url, _plain(node)),)
        case _:
            return _line(node)


def _plain(node: SyntaxTreeNode) -> str:
    return "".join(leaf.content for leaf in node.walk())
