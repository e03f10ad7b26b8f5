"""The sections of a bundle's README, which are pages in Markdown, as blocks."""

from collections.abc import Iterator

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from clustergen.output import blocks as page


def blocks(text: str) -> Iterator[page.Block]:
    """The blocks of Markdown; HTML in it is text."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    yield from map(_block, SyntaxTreeNode(parser.parse(text)).children)


def _block(node: SyntaxTreeNode) -> page.Block:
    match node.type:
        case "heading":
            return page.Heading(_line(node), int(node.tag[1:]))
        case "bullet_list" | "ordered_list":
            first = int(node.attrs.get("start", 1)) if node.type == "ordered_list" else 0
            return page.Items(tuple(map(_line, node.children)), first)
        case "table":
            return _table(node)
        case "fence" | "code_block":
            return page.CodeBlock(node.content.rstrip("\n"), node.info)
        case _:
            return page.Paragraph(_line(node))


def _table(node: SyntaxTreeNode) -> page.Table:
    header, *rows = (row.children for part in node.children for row in part.children)
    right = (n for n, cell in enumerate(header) if "right" in str(cell.attrs.get("style", "")))
    lines = (tuple(map(_line, row)) for row in rows)
    return page.Table(tuple(map(_line, header)), tuple(lines), frozenset(right))


def _line(node: SyntaxTreeNode) -> page.Spans:
    """The text below a node, as one line."""
    return tuple(span for child in node.children for span in _spans(child))


def _spans(node: SyntaxTreeNode) -> page.Spans:
    url = str(node.attrs.get("href", ""))
    match node.type:
        case "text":
            return page.linked(node.content)
        case "softbreak" | "hardbreak":
            return (" ",)
        case "code_inline":
            return (page.Code(node.content),)
        case "strong":
            return (page.Strong(_plain(node)),)
        case "link" if url.startswith("https://"):
            return (page.Link(url, _plain(node)),)
        case _:
            return _line(node)


def _plain(node: SyntaxTreeNode) -> str:
    return "".join(leaf.content for leaf in node.walk())
