"""The sections of a README as blocks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustergen.analysis.report.readme import blocks
from clustergen.output.blocks import (
    Block,
    Code,
    CodeBlock,
    Heading,
    Items,
    Line,
    Link,
    Paragraph,
    Strong,
    Table,
    markdown,
)
from clustergen.output.markdown_text import escape


def plain(line: Line) -> str:
    """The text of a line, without markup."""
    spans = (line,) if isinstance(line, str) else line
    return "".join(span if isinstance(span, str) else getattr(span, "text", "") for span in spans)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("run `a \\ b` now", ("run ", Code("a \\ b"), " now")),
        ("**a\\|b**: c", (Strong("a|b"), ": c")),
        ("(https://a.example/b).", ("(", Link("https://a.example/b"), ").")),
        ("[a](https://a.example)", (Link("https://a.example", "a"),)),
    ],
)
def test_lines(text: str, expected: Line) -> None:
    assert list(blocks(text)) == [Paragraph(expected)]


@pytest.mark.parametrize("text", ["[a](javascript:b)", "<b>c</b>", "![a](https://b)", "<!-- a -->"])
def test_nothing_else_is_markup(text: str) -> None:
    (found,) = blocks(text)
    assert isinstance(found, Paragraph)
    assert all(isinstance(span, str) or span.kind == "link" for span in found.line)


EVERY: list[Block] = [
    Heading(("A",), 2),
    Paragraph(("b",)),
    Items((("d e",), (Code("f"),))),
    Items((("g",),), first=3),
    CodeBlock("m \\*\nn", "sh"),
    Table((("A",), ("B",)), ((("x",), ("1",)),), frozenset({1})),
]


def test_what_the_writer_writes_is_read() -> None:
    assert list(blocks(markdown.text(EVERY))) == EVERY


@given(st.text())
def test_escaped_text_is_read_as_it_was(text: str) -> None:
    printable = "".join(c if c.isprintable() else " " for c in f"a{text}")
    (found,) = blocks(escape(f"a{text}"))
    assert isinstance(found, Paragraph)
    assert plain(found.line) == " ".join(printable.split())
