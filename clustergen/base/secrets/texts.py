"""Secrets in texts: values beside the name of a secret, and what is one by its form."""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from clustergen.base.patterns import pattern
from clustergen.base.secrets.forms import PEM, PEM_END, apart, in_form, may_be, public
from clustergen.base.secrets.names import VALUES, is_secret, is_structure, may_name

_NAMED: Final = pattern(
    # `"name": value`, `name=value`, `name: value`, `name:value` by mistake, `--name value`,
    # `[--name, value]`; not `${name:-value}`.
    r"""(?<![\w.:$-])(?:\\?(?P<quote>["'])(?P<quoted>[\w.-]+)\\?(?P=quote)\s*[:=]\s*"""
    r"""|(?P<bare>[\w.-]+)(?:\s*=(?!=)\s*|\s*:(?P<prose>\s+)"""
    r"""|(?P<glued>:(?![-+?=:/\s]))|(?P<option>["']?\s*,\s*|\s+)))"""
    r"(?=\S)"
)
_KEY: Final = pattern(
    r"""(?P<before>[\s-]*)["']?(?P<key>[\w.:-]+)["']?\s*:(?:\s+(?P<value>\S.*))?\s*"""
)
_FIRST_KEY: Final = pattern(r"""\{\s*["']?([\w:-]+)["']?\s*:""")
_OPTION: Final = pattern(r"""\s*(?:-\s+)?["']?(--?[\w-]+)["']?,?\s*""")
_PAIR: Final = pattern(
    r"""(?<![\w.-])["']?(?:name|key|parameter(?:key|name))["']?\s*:\s*["']?([\w.-]+)""",
    re.IGNORECASE,
)
_VALUE: Final = pattern(r"""(?<![\w.-])["']?(?:parameter)?value["']?\s*:""", re.IGNORECASE)
_QUOTED: Final = pattern(r""""(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?""")
_WORD: Final = pattern(
    r"""\\?"(?P<double>(?:[^"\\]|\\[^"])*)|'(?P<single>[^']*)"""
    r"""|(?P<bare>(?:[^\s"'`;&|,)}\]]|,(?!\s*[\w.-]+=))+)"""
)
_REST: Final = pattern(r"""["']([\w.+/=!@#%^*-]+)""")
"""What is joined to a word in quotes."""
_AFTER: Final = pattern(r"\s*(?:[,}\]#].*)?")
"""What may be behind a value in quotes, in YAML."""
_CALL: Final = pattern(r"[A-Za-z_][\w.]*[(\[]")
_END_OF_ENTRY: Final = pattern(r"[,}\]]")
_SHOWN: Final = pattern(r"[^\s\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
_SHORTEST: Final = 10
"""Letters of a password beside a name in prose."""


class Part(NamedTuple):
    """A secret in a text, and what names it; empty if only its form tells."""

    start: int
    end: int
    name: str = ""


def may_hold(text: str) -> bool:
    """Whether ``text`` may hold a secret; most specs do not."""
    return may_name(text) or may_be(text)


def parts(text: str) -> list[Part]:
    """The secrets in a text such as a script, in order."""
    return [*apart((*_named(text), *(Part(*each) for each in in_form(text))))]


def _named(text: str) -> Iterator[Part]:
    start, named = 0, may_name(text)
    while named and (match := _NAMED.search(text, start)):
        start = match.end()
        word = _WORD.match(text, start) if is_secret(_name(match)) else None
        if word and _is_value(word[word.lastgroup or 0], match):
            yield Part(*word.span(word.lastgroup or 0), _name(match))
            start = word.end()
            if rest := _REST.match(text, start):
                yield Part(*rest.span(1), _name(match))


def _name(match: re.Match[str]) -> str:
    """The name before a value; empty if it is only one word before another."""
    name: str = match["quoted"] or match["bare"]
    return name if not match["option"] or name.startswith("-") else ""


def _is_value(value: str, match: re.Match[str]) -> bool:
    """Whether a word is the value that a name says, and no reference, code or prose."""
    is_word = value.isalpha() and len(value) < _SHORTEST
    prose = match["prose"] or match["glued"] or match["option"]
    return not ((prose and is_word) or public(value, _name(match)) or _CALL.match(value))


def stars(text: str) -> str:
    """The same number of stars; invisible characters are kept, for the rule that rejects them."""
    return _SHOWN.sub("*", text)


def hidden(lines: Iterable[str]) -> Iterator[str]:
    """``lines`` of YAML, or ``--set`` arguments, with masked secrets; columns do not change."""
    written = list(lines)
    pairs = frozenset(_values_of_pairs(written))
    key, pem, next_item = _Key(), False, False
    for number, line in enumerate(written):
        key.leave(line)
        secret = (key.all_below or next_item) and not public(line.strip(" -,"))
        values = VALUES if key.is_open or number in pairs else frozenset()
        named = may_name(line)
        yield stars(line) if pem or secret else _hidden(line, values, named=named)
        if pem or "PRIVATE" in line:
            pem = (pem or bool(PEM.search(line))) and not PEM_END.search(line)
        next_item = False
        if named:
            option = _OPTION.fullmatch(line)
            next_item = bool(option and is_secret(option[1]))
            key.enter(line)


class _Key:
    """The key of a secret whose value continues on the lines below."""

    def __init__(self) -> None:
        self.is_open = self.all_below = self._is_empty = False
        self._column = 0

    def leave(self, line: str) -> None:
        """Forget it where its value ends; of a resource or a parameter, not all is secret."""
        if self.is_open and line.strip():
            key = _KEY.fullmatch(line)
            indentation = len(line) - len(line.lstrip())
            # The items of a list may begin below the first letter of its key.
            is_below = indentation + line.lstrip().startswith("- ") > self._column
            self.is_open = is_below or (self._is_empty and not key)
            self.all_below = self.all_below and self.is_open
            self.all_below = self.all_below and not (key and is_structure(key["key"]))

    def enter(self, line: str) -> None:
        key = _KEY.fullmatch(line)
        if key and is_secret(key["key"]) and _continues(key["value"] or ""):
            self.is_open = self.all_below = True
            self._is_empty = not key["value"]
            self._column = key.end("before")


def _continues(value: str) -> bool:
    """Whether the lines below a key may be a part of its value."""
    return not value or value[0] in "|>" or not public(value)


def _values_of_pairs(lines: Sequence[str]) -> Iterator[int]:
    """The lines with values of pairs such as ``Name: DB_PASSWORD`` and ``Value: ...``."""
    for number, line in enumerate(lines):
        name = _PAIR.search(line) if may_name(line) else None
        if name and is_secret(name[1]):
            near = (number, number + 1, number - 1)
            yield from [n for n in near if _VALUE.search("".join(lines[n : n + 1]))][:1]


def _hidden(line: str, values: AbstractSet[str], *, named: bool) -> str:
    start = 0
    while (named or values) and (match := _NAMED.search(line, start)):
        start, name = match.end(), _name(match)
        if is_secret(name) and (first := _FIRST_KEY.match(line, start)) and is_structure(first[1]):
            values = VALUES
        elif is_secret(name) or name.casefold() in values:
            end = _end_of_value(line, match)
            if not public(line[start:end].strip(), name):
                line = line[:start] + stars(line[start:end]) + line[end:]
                start = end
    for start, end in in_form(line):
        line = line[:start] + stars(line[start:end]) + line[end:]
    return line


def _end_of_value(line: str, match: re.Match[str]) -> int:
    """The end of a value; in a flow mapping or list, at most the start of the next entry."""
    start = match.end()
    if line[start] in "{[":
        return len(line)
    if quoted := _QUOTED.match(line, start):
        is_yaml = match["prose"] and not _AFTER.fullmatch(line, quoted.end())
        rest = _REST.match(line, quoted.end() - 1)
        return len(line) if is_yaml else rest.end() if rest else quoted.end()
    if (match["option"] or "").isspace() and (word := _WORD.match(line, start)):
        return word.end()
    if not {*"{["} & {*line[:start]}:
        return len(line)
    end = _END_OF_ENTRY.search(line, start)
    return end.start() if end else len(line)
