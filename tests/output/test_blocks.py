"""Blocks, and what each writer makes of them."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustergen.base import terminal as screen
from clustergen.output import blocks
from clustergen.output.blocks import (
    Aside,
    Code,
    CodeBlock,
    Heading,
    Items,
    Line,
    Link,
    Paragraph,
    Strong,
    Table,
    linked,
    listed,
    markdown,
    marked,
    table,
    terminal,
)

URL = "https://a.example/b"
DOCUMENT = [
    Heading(("a ", Code("b"))),
    Paragraph((Strong("Best."), " c*d <b>")),
    *table(("Name", "Unused", "Count"), [("x|y", "", "1,024"), (), ("long name", "", "2")], (2,)),
    *listed("So:", [("see ", Link(URL)), ("run it: ", Code("x -y"))]),
    Heading("Part", 2),
    *listed("Steps:", ["first", "second"]),
    Items(("third",), first=3),
    Paragraph(("kept", Aside((" (", Link(URL, "source"), ")")), ".")),
    CodeBlock("a b\nc", "sh"),
]


def test_markdown() -> None:
    assert markdown.text(DOCUMENT) == textwrap.dedent(
        f"""\
        # a `b`

        **Best.** c\\*d \\<b\\>

        | Name      | Count |
        | --------- | ----: |
        | x\\|y      | 1,024 |
        | long name |     2 |

        So:

        - see <{URL}>
        - run it: `x -y`

        ## Part

        Steps:

        - first
        - second

        3. third

        kept ([source]({URL})).

        ```sh
        a b
        c
        ```
        """
    )


def test_a_terminal() -> None:
    """Without markup; commands are in lines of their own, and sections are dense."""
    assert terminal.text(DOCUMENT) == textwrap.dedent(
        f"""\
        a b

        Best. c*d <b>

        Name       Count
        x|y        1,024

        long name      2

        So:
          - see {URL}
          - run it:
              x -y

        Part
          Steps:
            - first
            - second
          3. third
          kept.
          a b
          c
        """
    )


def test_json_is_what_the_command_says() -> None:
    assert blocks.render("json", [DOCUMENT], lambda: "{}\n") == "{}\n"


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_documents_are_apart_and_empty_ones_left_out(format: str) -> None:
    found = blocks.render(format, [[Paragraph("a")], [], [Paragraph("b")]], str)
    assert found == "a\n\nb\n"


LINES: list[tuple[Line, Line]] = [
    (marked("a `b` c"), ("a ", Code("b"), " c")),
    (marked("one ` only"), ("one ` only",)),
    (marked(""), ()),
    (linked(f"see ({URL})."), ("see (", Link(URL), ").")),
    (linked("http://a"), ("http://a",)),
]


@pytest.mark.parametrize(("line", "expected"), LINES)
def test_lines(line: Line, expected: Line) -> None:
    assert line == expected


def test_what_has_no_lines_is_no_block() -> None:
    assert [*listed("So:", []), *table(("A",), [])] == []


def wide(width: int, of: Table, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(screen, "width", lambda: width)
    return list(terminal.table(of))


def test_headers_wrap_before_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (("Spot instances", "full", "none"),)
    assert wide(36, Table(("feature", "AWS Batch", "HyperPod with EKS"), rows), monkeypatch) == [
        "feature         AWS Batch  HyperPod",
        "                           with EKS",
        "Spot instances  full       none",
    ]


def test_texts_wrap_beside_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (("disk", "a long story, told again", "1,024"),)
    found = wide(24, Table(("Part", "For", "USD"), rows, frozenset({2})), monkeypatch)
    assert found[0].endswith("  USD")
    assert found[1].endswith("1,024")
    assert [line[6:17].strip() for line in found[1:]] == ["a long", "story, told", "again"]
    assert max(map(len, found)) <= 24


def test_columns_that_do_not_fit_follow_below(monkeypatch: pytest.MonkeyPatch) -> None:
    of = Table(("a", *("column" + letter for letter in "bcd")), (("x", "1", "2", "3"),))
    assert wide(21, of, monkeypatch) == [
        "a  columnb  columnc",
        "x  1        2",
        "",
        "a  columnd",
        "x  3",
    ]


def test_long_texts_are_paragraphs(monkeypatch: pytest.MonkeyPatch) -> None:
    of = Table(("effect", "deploying", "because of"), (("gone", "word " * 9, "x.yaml"),))
    assert wide(40, of, monkeypatch) == [
        "gone: word word word word word word word",
        "  word word",
        "  because of x.yaml",
    ]


CELLS = st.lists(st.text("ab ", max_size=12), min_size=3, max_size=3)


@given(st.lists(CELLS, min_size=1, max_size=4), st.sampled_from([(), (1,), (1, 2)]))
def test_every_cell_is_shown(rows: list[list[str]], right: tuple[int, ...]) -> None:
    for found in table(("A", "B", "C"), rows, right):
        text = "\n".join(terminal.table(found))
        shown = sorted("".join(text.split()))
        cells = (cell for row in (found.header, *found.rows) for cell in row)
        assert shown == sorted("".join("".join(map(str, cells)).split()))
