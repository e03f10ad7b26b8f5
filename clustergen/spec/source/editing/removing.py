"""Entries and items that are removed; comments behind them stay on lines of their own."""

from clustergen.spec.source.editing.layout import Layout, Part
from clustergen.spec.source.editing.replacement import NotEditable, Replacement

_IGNORES = "clustergen:"
"""In a comment that ignores findings of the entry, which is gone."""


def remove(layout: Layout, parent: Part, index: int, holder: Part | None) -> list[Replacement]:
    """Remove the entry or item of ``parent`` with this index; ``holder`` is around ``parent``."""
    start, end = _range(layout, parent, index)
    if len(parent.parts) == 1:
        return [_empty(layout, parent, holder)]
    if parent.style:
        return _from_flow(layout, parent, index, start, end)
    return [_from_block(layout, parent, index, start, end)]


def _range(layout: Layout, parent: Part, index: int) -> tuple[int, int]:
    value = parent.parts[index]
    if parent.keys:
        return parent.keys[index].start, max(value.end, parent.keys[index].end)
    if parent.style:
        return value.start, value.end
    return _dash_before(layout, parent, index), value.end


def _dash_before(layout: Layout, parent: Part, index: int) -> int:
    """The offset of the dash of an item in block style."""
    after = parent.parts[index - 1].end if index else parent.start
    gap = layout.source[after : max(parent.parts[index].start, after + 1)]
    dash = gap.rfind("-")
    if dash < 0:
        raise NotEditable
    return after + dash


def _empty(layout: Layout, parent: Part, holder: Part | None) -> Replacement:
    """The parent without its only entry."""
    text = "{}" if parent.kind == "mapping" else "[]"
    if parent.style:
        return Replacement(parent.start, parent.end, text)
    start = parent.start
    before = layout.source[:start].rstrip()
    if holder is not None and before.endswith((":", "-")):
        return Replacement(len(before), parent.end, f" {text}")
    return Replacement(start, parent.end, text)


def _from_block(layout: Layout, parent: Part, index: int, start: int, end: int) -> Replacement:
    line, line_end = layout.line_start(start), layout.line_end(end)
    prefix = layout.source[line:start]
    kept = [c for c in layout.comments(start, line_end) if _IGNORES not in c]
    if not prefix.strip():
        lines = "".join(f"{prefix}{comment}{layout.line_break()}" for comment in kept)
        after = layout.next_line(end)
        return Replacement(line, after, lines)
    if index or len(parent.parts) < 2:
        raise NotEditable
    following = parent.keys[1].start if parent.keys else _dash_before(layout, parent, 1)
    between = [c for c in layout.comments(start, following) if _IGNORES not in c]
    column = " " * layout.position(start)[1]
    lines = "".join(f"{comment}{layout.line_break()}{column}" for comment in between)
    return Replacement(start, following, lines)


def _from_flow(layout: Layout, parent: Part, index: int, start: int, end: int) -> list[Replacement]:
    if index:
        before = _range(layout, parent, index - 1)[1]
        if not layout.comments(before, end):
            return [Replacement(before, end, "")]
    else:
        after = _range(layout, parent, index + 1)[0]
        if not layout.comments(start, after):
            return [Replacement(start, after, "")]
    return _between_comments(layout, parent, index, start, end)


def _between_comments(
    layout: Layout, parent: Part, index: int, start: int, end: int
) -> list[Replacement]:
    """The removal of an entry and one comma, where comments stand around them."""
    source = layout.source
    behind = source[end : layout.line_end(end)]
    if behind.lstrip().startswith(","):
        after = behind[behind.index(",") + 1 :]
        return [Replacement(start, layout.line_end(end) - len(after.lstrip()), "")]
    before = _range(layout, parent, index - 1)[1] if index else start
    line = source[before : layout.line_end(before)]
    if not index or not line.lstrip().startswith(","):
        raise NotEditable
    comma = before + line.index(",")
    return [
        Replacement(comma, comma + 1, ""),
        Replacement(start, end + len(behind) - len(behind.lstrip()), ""),
    ]
