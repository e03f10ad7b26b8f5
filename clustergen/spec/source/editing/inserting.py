"""New entries of mappings and new items of lists."""

from collections.abc import Iterator
from typing import Any

from clustergen.spec.source.editing.layout import Layout, Part
from clustergen.spec.source.editing.replacement import NotEditable, Replacement
from clustergen.spec.source.editing.writing import key_of, text_of


def insert(
    layout: Layout, part: Part, key: str | None, value: Any, *, first: bool = False
) -> Iterator[Replacement]:
    """A new entry of a mapping, or item of a list if ``key`` is None."""
    if part.style:
        yield from _in_flow(layout, part, key, value)
        return
    text = _entry(key, value, in_flow=False, quote="")
    start = part.keys[0].start if part.keys else part.start
    if key is None:  # at the column of the first dash
        if layout.source[start : start + 1] != "-":
            raise NotEditable
        text = f"- {text}"
    column, line_break = layout.position(start)[1], layout.line_break()
    if first and key is not None:
        yield Replacement(start, start, f"{text}{line_break}{' ' * column}")
        return
    end = layout.line_end(part.end)
    yield Replacement(end, end, f"{line_break}{' ' * column}{text}")


def _in_flow(layout: Layout, part: Part, key: str | None, value: Any) -> Iterator[Replacement]:
    text = _entry(key, value, in_flow=True, quote=layout.quote)
    if not part.parts:
        yield Replacement(part.start + 1, part.start + 1, text)
        return
    last = part.parts[-1]
    end = max(last.end, part.keys[-1].end if part.keys else 0)
    begin = part.keys[-1].start if part.keys else last.start
    line = layout.line_start(begin)
    indentation = layout.source[line:begin]
    if line <= part.start or indentation.strip():  # on the line of the bracket or of others
        yield Replacement(end, end, f", {text}")
        return
    comma = "" if "," in layout.source[end : layout.line_end(end)].split("#")[0] else ","
    if comma:
        yield Replacement(end, end, comma)
    after = layout.line_end(end)
    if after > part.end:  # the bracket closes on the same line
        after = end
    yield Replacement(after, after, f"{layout.line_break()}{indentation}{text}")


def _entry(key: str | None, value: Any, *, in_flow: bool, quote: str) -> str:
    text = text_of(value, in_flow=in_flow, quote=quote)
    return text if key is None else f"{key_of(key, quote)}: {text}"
