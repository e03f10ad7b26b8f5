"""Translation of parser errors.

PyYAML has two parsers (libyaml and pure Python) with different messages; the table has both.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

import yaml

from clustergen.base.findings import Edit, Finding, Fix
from clustergen.base.patterns import pattern
from clustergen.spec.source.limits import DEPTH
from clustergen.spec.source.nodes import Place, Text
from clustergen.spec.source.rules.text import SYNTAX


class _Words(NamedTuple):
    """The message for parser errors that contain ``context`` and ``problem``."""

    context: str
    problem: str
    message: str
    help: str
    at_start: bool = False
    """Point at the start of the construct, where it can be fixed."""
    close: str = ""
    """What closes the construct."""
    quoted: bool = False
    """The value needs quotes."""


_DASH = pattern(r" *-(?=[A-Za-z_][A-Za-z0-9_]*:)")
_INDENT = "lines of one mapping or list begin in the same column"
_QUOTE = "put the value in quotes"
_CLOSE = "close it with the same quote"
_ESCAPES = "in single quotes a backslash is only a backslash: 'C:\\dir'"
_ANCHORS = "* and & name anchors in YAML; " + _QUOTE
_SAME = "the quote that opens it"
_Opening = yaml.FlowSequenceStartToken | yaml.FlowMappingStartToken
_CLOSING = {
    yaml.FlowSequenceEndToken: yaml.FlowSequenceStartToken,
    yaml.FlowMappingEndToken: yaml.FlowMappingStartToken,
}
_FLOW = pattern(r"[\[\]{}']")
_TAB = _Words("", "tab character", "a tab in the indentation", "indent with spaces")
_TABLE = (
    _Words(
        "quoted scalar",
        "end of stream",
        "the quote that opens here is never closed",
        _CLOSE,
        at_start=True,
        close=_SAME,
    ),
    _Words(
        "quoted scalar",
        "document indicator",
        "the quote that opens here is not closed before the next document",
        _CLOSE,
        at_start=True,
        close=_SAME,
    ),
    _Words("quoted scalar", "escape", "YAML has no such \\ escape", _ESCAPES),
    _Words("quoted scalar", "hexdecimal", "this \\ escape needs hexadecimal digits", _ESCAPES),
    _Words("flow sequence", "", "this [ is not closed", "close it with ]", True, "]"),
    _Words("flow mapping", "", "this { is not closed", "close it with }", True, "}"),
    _Words("alias", "", "a value cannot begin with *", _ANCHORS, True, quoted=True),
    _Words("anchor", "", "a value cannot begin with &", _ANCHORS, True, quoted=True),
    _TAB,
    _Words("block scalar", "", "a text block begins with | or > alone on its line", _INDENT),
    _Words(
        "",
        "mapping values are not allowed",
        "this colon does not belong here",
        f"text with ': ' in it needs quotes; {_INDENT}",
    ),
    _Words(
        "",
        "sequence entries are not allowed",
        "a list cannot begin here",
        "begin the list on a line of its own, or write it as [a, b]",
    ),
    _Words(
        "",
        "could not find expected ':'",
        "this line is neither `key: value` nor a list item",
        f"write a colon and a space after the key; {_INDENT}",
        at_start=True,
    ),
    _Words("block mapping", "", "this does not fit the mapping it is in", _INDENT),
    _Words("block collection", "", "this does not fit the list it is in", _INDENT),
    _Words("", "document start", "text after the end of the spec", "remove it"),
    _Words("", "node content", "a value is missing here", _QUOTE, quoted=True),
    _Words("", "tag", "a YAML tag", "write plain values, without !"),
    _Words("", "YAML document", "an unknown %YAML version", "remove the line"),
)


def syntax_finding(error: yaml.YAMLError, text: Text) -> Finding:
    """The finding for a parser error in ``text``."""
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or "unreadable")
    context = str(getattr(error, "context", None) or "")
    mark = getattr(error, "problem_mark", None)
    start: Any = getattr(error, "context_mark", None) or mark
    if dash := _dash_without_space(text, mark):
        help = f"write a space after the dash; {_INDENT}"
        found = SYNTAX.at((), "this is no list item", help=help, fix=dash.replaced("- "))
        return found.placed(dash.span())
    if mark and (other := _before(context, mark, start, text)):
        return other
    words = _words(context, problem, _character(text, mark))
    place = _place(text, start if words.at_start else mark)
    fix = _fix(words, place, mark)
    return SYNTAX.at((), words.message, help=words.help, fix=fix).placed(place.span())


def _before(context: str, mark: yaml.Mark, start: yaml.Mark, text: Text) -> Finding | None:
    """What is wrong before the place where the parser stops: an open quote, or no comma."""
    tokens = [each for each in _tokens(text) if not isinstance(each, yaml.KeyToken)]
    here = [n for n, each in enumerate(tokens) if _at(each.start_mark) >= _at(mark)]
    last = tokens[here[0] - 1] if here and here[0] else None
    if last is None:
        return None
    scalar = last if isinstance(last, yaml.ScalarToken) else None
    if last.start_mark.line == last.end_mark.line:
        scalar = None
    if scalar and not scalar.plain:
        line = last.end_mark.line + 1
        help = "close it where the value ends"
        found = SYNTAX.at((), f"the quote that opens here is closed on line {line}", help=help)
        return found.placed(_place(text, last.start_mark).span())
    # A value without quotes goes on in the next line.
    begins = scalar or isinstance(tokens[here[0]], yaml.ScalarToken | _Opening)
    if begins and "flow" in context and _is_closed(tokens, start):
        line = last.start_mark.line
        place = _line_end(text, line) if scalar else _place(text, last.end_mark)
        fix = _inserted(place, {place.column: ","})
        found = SYNTAX.at((), "a comma is missing here", help="separate values by commas", fix=fix)
        return found.placed(place.span())
    return None


def _line_end(text: Text, line: int) -> Place:
    column = len(text.lines[line].partition(" #")[0].rstrip())
    return Place(text, line, column, line, column + 1)


def _tokens(text: Text) -> list[yaml.Token]:
    """The tokens before an error, and before what is nested too deeply: each level takes longer."""
    found: list[yaml.Token] = []
    depth = 0
    with suppress(yaml.YAMLError):
        for each in yaml.scan(text.source, Loader=yaml.SafeLoader):
            found.append(each)
            depth += isinstance(each, _Opening) - (type(each) in _CLOSING)
            if not 0 <= depth <= DEPTH:
                break
    return found


def _at(mark: yaml.Mark) -> tuple[int, int]:
    return mark.line, mark.column


def _is_closed(tokens: Iterable[yaml.Token], start: yaml.Mark) -> bool:
    """Whether the bracket at ``start`` and those in it are closed, each by its own kind."""
    opened: list[yaml.Token] = []
    for each in tokens:
        if isinstance(each, _Opening):
            opened.append(each)
        elif type(each) in _CLOSING and opened:
            last = opened.pop()
            if not isinstance(last, _CLOSING[type(each)]):
                return False
            if _at(last.start_mark) == _at(start):
                return True
    return False


def _fix(words: _Words, place: Place, mark: yaml.Mark | None) -> Fix | None:
    """What the help says to write, if the rest of the line tells where."""
    line = place.text.lines[place.line] if place.line < len(place.text.lines) else ""
    end = len(line.partition(" #")[0].rstrip())
    if words.close:
        here = mark is not None and mark.line == place.line and place.column < mark.column < end
        quote = line[place.column : place.column + 1]
        close = words.close if words.close != _SAME else quote if quote in ("'", '"') else ""
        return _inserted(place, {mark.column if mark and here else end: close}) if close else None
    value = line[place.column : end]
    if words.quoted and value and not _FLOW.search(line[: place.column] + value):
        return None if "'" in value else _inserted(place, {place.column: "'", end: "'"})
    return None


def _inserted(place: Place, texts: Mapping[int, str]) -> Fix:
    """A fix that inserts ``texts``, by column, in a line; its secrets are not in the edits."""
    name, line = place.text.name, place.line
    edits = (Edit(name, line, column, line, column, text) for column, text in texts.items())
    return Fix(is_safe=False, edits=tuple(edits))


def _dash_without_space(text: Text, mark: yaml.Mark | None) -> Place | None:
    """A dash with a key directly after it, which makes YAML stop at that line or the next one."""
    last = mark.line if mark else -1
    for number in (last, last - 1):
        line = text.lines[number] if 0 <= number < len(text.lines) else ""
        if match := _DASH.match(line):
            return Place(text, number, match.end() - 1, number, match.end())
    return None


def _words(context: str, problem: str, character: str) -> _Words:
    if "cannot start any token" in problem:
        message = f"a value cannot begin with {character}"
        return _TAB if character == "\t" else _Words("", "", message, _QUOTE, quoted=True)
    for row in _TABLE:
        if row.context in context and row.problem in problem:
            return row
    return _Words("", "", f"this is not YAML: {problem}", _QUOTE, quoted=True)


def _character(text: Text, mark: yaml.Mark | None) -> str:
    line = text.lines[mark.line] if mark and mark.line < len(text.lines) else ""
    return line[mark.column : mark.column + 1] if mark else ""


def _place(text: Text, mark: yaml.Mark | None) -> Place:
    """One character at ``mark``, or the end of the last non-empty line if ``mark`` is beyond it."""
    if mark is None:
        return Place(text, 0, 0, 0, 1)
    line, column = mark.line, mark.column
    if line >= len(text.lines) or not "".join(text.lines[line:]).strip():
        filled = [number for number, content in enumerate(text.lines) if content.strip()]
        line = filled[-1] if filled else 0
        column = len(text.lines[line].rstrip())
    return Place(text, line, column, line, column + 1)
