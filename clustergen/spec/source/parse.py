"""YAML text to a tree of nodes, from the parser's events.

Events are processed one by one, so that nesting, size and aliases are limited before building.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import yaml

from clustergen.base.findings import Finding, Fix, Path, Rule
from clustergen.base.patterns import pattern
from clustergen.base.yaml_files import LOADER
from clustergen.spec.source import limits
from clustergen.spec.source.characters import INVISIBLE
from clustergen.spec.source.nodes import Entries, Items, Node, Place, Text
from clustergen.spec.source.rules.files import TOO_LARGE
from clustergen.spec.source.rules.text import (
    ALIAS,
    CHARACTER,
    DUPLICATE_KEY,
    KEY,
    MERGE_KEY,
    SEVERAL_DOCUMENTS,
    TAG,
    TOO_DEEP,
)
from clustergen.spec.source.scalars import Scalar, resolve
from clustergen.spec.source.syntax import syntax_finding


class _Anchor(NamedTuple):
    node: Node
    size: int
    height: int


class Stop(Exception):
    """The text cannot be parsed."""

    def __init__(self, finding: Finding) -> None:
        self.finding = finding
        super().__init__(finding.message)


def parse(text: str, lines: Text) -> tuple[Node | None, list[Finding]]:
    """The tree of ``text``; ``None`` if it is empty or cannot be parsed.

    ``lines`` is the named text for findings, with the same columns.
    """
    if invisible := _first_invisible(lines):
        return None, [invisible]
    builder = _Builder(lines, iter(yaml.parse(text, Loader=LOADER)))
    try:
        root = builder.document()
    except Stop as stop:
        return None, [*builder.findings, stop.finding]
    except yaml.YAMLError as error:
        return None, [*builder.findings, syntax_finding(error, lines)]
    return root, builder.findings


def _first_invisible(text: Text) -> Finding | None:
    """The first invisible character; a binary file has many."""
    for number, line in enumerate(text.lines):
        if found := INVISIBLE.search(line):
            place = Place(text, number, found.start(), number, found.end())
            return _invisible(found[0], (), place.replaced("")).placed(place.span())
    return None


def _invisible(character: str, path: Path, fix: Fix | None = None) -> Finding:
    return CHARACTER.at(
        path,
        f"the character U+{ord(character):04X} is not allowed in a spec",
        help="remove it; if the file is not text, name the spec's own file",
        fix=fix,
    )


def _without_escape(quoted: Place, character: str) -> Fix | None:
    """A fix that removes the escape of ``character`` from a text in double quotes."""
    for match in _ESCAPE.finditer(quoted.text.lines[quoted.line], quoted.column):
        if yaml.safe_load(f'"{match[0]}"') == character:
            line, start, end = quoted.line, match.start(), match.end()
            return Place(quoted.text, line, start, line, end).replaced("")
    return None


_ESCAPE = pattern(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|[0abtnvfre\\\"NLP_ /])")


class _Builder:
    """Recursive descent over the events of one text, at most :data:`limits.DEPTH` deep."""

    def __init__(self, text: Text, events: Iterator[yaml.Event]) -> None:
        self.text = text
        self.events = events
        self.findings: list[Finding] = []
        self.path: list[str | int] = []
        self.anchors: dict[str, _Anchor] = {}
        self.size = 0
        self.depth = 0
        self.deepest = 0

    def document(self) -> Node | None:
        next(self.events)  # the stream begins
        if isinstance(next(self.events), yaml.StreamEndEvent):
            return None
        root = self.node(next(self.events))
        next(self.events)  # the document ends
        after = next(self.events)
        if not isinstance(after, yaml.StreamEndEvent):
            self.find(
                SEVERAL_DOCUMENTS,
                after,
                "a second document begins here",
                "put each spec into a file of its own; clustergen takes several",
            )
        return root

    def node(self, event: yaml.Event) -> Node:
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event)
        self.refuse_tag(event)
        anchor = getattr(event, "anchor", None)
        if not anchor:
            return self.content(event)
        before, outside, self.deepest = self.size, self.deepest, self.depth
        node = self.content(event)
        self.anchors[anchor] = _Anchor(node, self.size - before, self.deepest - self.depth)
        self.deepest = max(outside, self.deepest)
        return node

    def content(self, event: yaml.Event) -> Node:
        self.grow(event, 1)
        if isinstance(event, yaml.ScalarEvent):
            return Node(self.scalar(event), self.place(event, event))
        self.deepen(event, 1)
        self.depth += 1
        value: Entries | Items
        if isinstance(event, yaml.MappingStartEvent):
            value, end = self.entries()
        else:
            value, end = self.items()
        self.depth -= 1
        return Node(value, self.place(event, end))

    def items(self) -> tuple[Items, yaml.Event]:
        items: list[Node] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            self.path.append(len(items))
            items.append(self.node(event))
            self.path.pop()
        return tuple(items), event

    def entries(self) -> tuple[Entries, yaml.Event]:
        entries: Entries = {}
        merged: list[Node] = []
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key = self.key(event)
            at = self.place(event, event)
            self.path.append(key)
            found = self.node(next(self.events))
            value = Node(found.value, found.at, at)
            if key == "<<" and not getattr(event, "style", None):
                self.merge_key(event)
                merged.append(value)
            elif key in entries:
                self.duplicate(event, entries[key])
            else:
                entries[key] = value
            self.path.pop()
        return _with_merged(entries, merged), event

    def key(self, event: yaml.Event) -> str:
        """The key as text, whatever its type, so that its value can still be checked."""
        if not isinstance(event, yaml.ScalarEvent):
            self.find(KEY, event, "a key must be text", "write a name before the colon")
            self.node(event)
            return "?"
        self.refuse_tag(event)
        if not isinstance(self.scalar(event), str):
            word = event.value or "nothing"
            quoted = f'"{event.value}"'
            self.find(
                KEY,
                event,
                f"the key {word} is not text",
                f"write it in quotes: {quoted}",
                self.place(event, event).replaced(quoted) if event.value else None,
            )
        return str(event.value)

    def scalar(self, event: yaml.ScalarEvent) -> Scalar:
        word = str(event.value)
        if not event.style:
            return resolve(word)
        if event.style == '"' and (found := INVISIBLE.search(word)):
            place = self.place(event, event)
            fix = _without_escape(place, found[0])
            finding = _invisible(found[0], tuple(self.path), fix)
            self.findings.append(finding.placed(place.span()))
        return word

    def alias(self, event: yaml.AliasEvent) -> Node:
        anchor = self.anchors.get(str(event.anchor))
        if anchor is None:
            raise self.stop(
                ALIAS,
                event,
                f"&{event.anchor} is not defined before this",
                "an alias repeats a value that was named with & above it; "
                "text that begins with * needs quotes",
            )
        self.grow(event, anchor.size, aliased=True)
        self.deepen(event, anchor.height)
        return replace(anchor.node, at=self.place(event, event), key=None)

    def grow(self, event: yaml.Event, count: int, *, aliased: bool = False) -> None:
        self.size += count
        if self.size <= limits.NODES:
            return
        rule = ALIAS if aliased else TOO_LARGE
        message = f"this text expands to more than {limits.NODES} values"
        raise self.stop(rule, event, message, "write the spec without nested aliases, or shorter")

    def deepen(self, event: yaml.Event, count: int) -> None:
        self.deepest = max(self.deepest, self.depth + count)
        if self.depth + count > limits.DEPTH:
            message = f"nested deeper than {limits.DEPTH} levels"
            raise self.stop(TOO_DEEP, event, message, "look for brackets that are not closed")

    def refuse_tag(self, event: yaml.Event) -> None:
        tag = getattr(event, "tag", None)
        if tag is None:
            return
        short = str(tag).replace("tag:yaml.org,2002:", "!!")
        self.find(
            TAG,
            event,
            f"the tag {short} cannot be used in a spec",
            "write the value itself, in quotes if it is text; "
            "in an overlay, CloudFormation functions in their long form: {Ref: Name}",
        )

    def merge_key(self, event: yaml.Event) -> None:
        self.find(
            MERGE_KEY,
            event,
            "merge keys (<<) cannot be used in a spec",
            "write the values out, repeat the whole value with an alias (*name), "
            "or merge two files: -f base.yaml -f prod.yaml",
        )

    def duplicate(self, event: yaml.Event, first: Node) -> None:
        line = f" on line {first.key.line + 1}" if first.key else ""
        self.find(
            DUPLICATE_KEY, event, f"{self.path[-1]} is already given{line}", "keep one of the two"
        )

    def place(self, start: yaml.Event, end: yaml.Event) -> Place:
        begin: Any = start.start_mark
        stop: Any = end.end_mark
        return Place(self.text, begin.line, begin.column, stop.line, stop.column)

    def find(
        self, rule: Rule, event: yaml.Event, message: str, help: str, fix: Fix | None = None
    ) -> None:
        self.findings.append(self.stop(rule, event, message, help, fix).finding)

    def stop(
        self, rule: Rule, event: yaml.Event, message: str, help: str, fix: Fix | None = None
    ) -> Stop:
        finding = rule.at(tuple(self.path), message, help=help, fix=fix)
        return Stop(finding.placed(self.place(event, event).span()))


def _with_merged(entries: Entries, merged: list[Node]) -> Entries:
    """The value with ``<<`` merged, so that only one finding is reported."""
    complete = dict(entries)
    for node in merged:
        for part in node.value if isinstance(node.value, tuple) else (node,):
            for key, value in part.value.items() if isinstance(part.value, dict) else ():
                complete.setdefault(key, value)
    return complete
