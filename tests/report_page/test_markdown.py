"""Reading the Markdown that clustergen writes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustergen.readme.markdown import escape, table
from clustergen.report_page.markdown import Block, Line, Span, blocks, spans, with_code


def plain(line: Line) -> str:
    return "".join(span.text for span in line)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a \\* b\\`", [Span("text", "a * b`")]),
        ("run `a \\ b` now", [Span("text", "run "), Span("code", "a \\ b"), Span("text", " now")]),
        ("**a\\|b**: c", [Span("strong", "a|b"), Span("text", ": c")]),
        ("<https://a.example/b>", [Span("link", *["https://a.example/b"] * 2)]),
        ("(https://a.example/b).", [
            Span("text", "("), Span("link", *["https://a.example/b"] * 2), Span("text", ").")
        ]),
        ("[a](https://a.example)", [Span("link", "a", "https://a.example")]),
        ("[a](javascript:b)", [Span("text", "[a](javascript:b)")]),
        ("<b>", [Span("text", "<b>")]),
        ("a_b_c C:\\d", [Span("text", "a_b_c C:\\d")]),
    ],
)  # fmt: skip
def test_lines(text: str, expected: list[Span]) -> None:
    assert list(spans(text)) == expected


def test_blocks() -> None:
    text = "# A\n\nb\nc\n\n- d\n  e\n- f\n\n1. g\n\n## H\nk:\n- l\n\n```sh\nm \\*\nn\n```\n"
    found = [(b.kind, b.level, [plain(line) for line in b.lines]) for b in blocks(text)]
    assert found == [
        ("heading", 1, ["A"]),
        ("paragraph", 0, ["b c"]),
        ("list", 0, ["d e", "f"]),
        ("steps", 0, ["g"]),
        ("heading", 2, ["H"]),
        ("paragraph", 0, ["k:"]),
        ("list", 0, ["l"]),
        ("code", 0, ["m \\*", "n"]),
    ]


@given(st.text())
def test_escaped_text_is_read_as_it_was(text: str) -> None:
    printable = "".join(c if c.isprintable() else " " for c in text)
    assert plain(spans(escape(text))) == " ".join(printable.split())


@given(st.lists(st.tuples(st.text(), st.text()), min_size=1))
def test_tables_are_read_as_they_were(rows: list[tuple[str, str]]) -> None:
    found: list[Block] = list(blocks(table(("A", "B"), [("x", "1"), *rows], right=(1,))))
    (read,) = found
    assert [plain(cell) for cell in read.header] == ["A", "B"]
    assert read.right == {1}
    cells = [tuple(plain(cell) for cell in row) for row in read.rows]
    expected = [tuple(plain(spans(escape(cell))) for cell in row) for row in rows]
    assert cells == [("x", "1"), *expected]


@pytest.mark.parametrize("text", ["a", "`a` b `c`", "one ` only", "**a** [b](https://c)"])
def test_only_code_is_marked_in_messages(text: str) -> None:
    shown = "".join(f"`{s.text}`" if s.kind == "code" else s.text for s in with_code(text))
    assert shown == text
