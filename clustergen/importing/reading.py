"""From the text of a configuration to data, as the service's own tools read it."""

import codecs
import functools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import yaml

from clustergen.base import secrets
from clustergen.base.findings import Finding, Path, Span
from clustergen.base.secrets import Secret
from clustergen.importing import masking
from clustergen.services.aws.template_text import Literal, Loader
from clustergen.spec import formats

LONGEST: Final = 1 << 20
"""Bytes of a file. CloudFormation takes no template above 1 MB, and other formats are smaller:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"""
_MOST_NODES: Final = 200_000
_SEVERAL: Final = 2
_MERGE: Final = "tag:yaml.org,2002:merge"


@dataclass(frozen=True, eq=False)
class Source:
    """A configuration: its name, its data, and the positions of its keys."""

    name: str
    data: Any
    lines: tuple[str, ...]
    root: yaml.Node | None
    secrets: tuple[Secret, ...] = ()
    """The secrets that it had; stand-ins are in their places."""
    merged: tuple[Path, ...] = ()
    """The sections that merge keys (<<) extend; ``root`` has the result."""

    def place(self, finding: Finding) -> Finding:
        """The finding with the position of its path, or of the deepest part of it that exists."""
        mark = _mark(self.root, finding.path)
        if mark is None:
            return finding
        text = self.lines[mark.line] if mark.line < len(self.lines) else ""
        end = max(len(text.rstrip()), mark.column + 1)
        return finding.placed(Span(self.name, mark.line + 1, mark.column + 1, end + 1, text))

    @property
    def is_template(self) -> bool:
        """Whether it has the form of a CloudFormation template."""
        return isinstance(self.data, Mapping) and isinstance(self.data.get("Resources"), Mapping)

    @property
    def is_object(self) -> bool:
        """Whether it is an object of Kubernetes, and no cluster."""
        known = isinstance(self.data, Mapping) and {"apiVersion", "kind"} <= set(self.data)
        return known and not formats.recognized(self.data)

    @functools.cached_property
    def template(self) -> Mapping[str, Any]:
        """A template with its numbers as they are written: CloudFormation reads 25.10 as text."""
        if self.root is None or not self.is_template:
            return self.data if isinstance(self.data, Mapping) else {}
        loader = Literal("")
        try:
            found = loader.construct_document(self.root)
        finally:
            loader.dispose()
        return found if isinstance(found, Mapping) else {}


class Unreadable(ValueError):
    """A text that is not YAML: the reason, and in ``span`` its place."""

    def __init__(self, reason: str, span: Span | None = None) -> None:
        super().__init__(reason)
        self.span = span


def decoded(data: bytes) -> str:
    """The text in ``data``: UTF-8, or UTF-16 with a byte order mark, as PowerShell writes it.

    :raises UnicodeDecodeError: if it is neither.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16")
    return data.decode("utf-8-sig")


def read(text: str, name: str, known: Mapping[str, str] = MappingProxyType({})) -> list[Source]:
    """The documents in ``text``: YAML 1.1, which the services' tools read, or JSON.

    Stand-ins are in the place of secrets; ``known`` are more of these, with their stand-ins.

    :raises Unreadable: if it is neither.
    """
    if len(text) > LONGEST:
        reason = f"{len(text) >> 20} MiB, more than any configuration has"
        raise Unreadable(reason, _start(text, name))
    try:
        found = [*_documents(text, text, name, known)]
    except Unreadable:
        values = [*_json_values(text)]
        if len(values) < _SEVERAL:
            raise
        found = [each for value in values for each in _documents(value, text, name, known)]
    return found or [Source(name, None, shown_lines(text), None)]


def shown_lines(text: str) -> tuple[str, ...]:
    """The lines of ``text``, as a finding may quote them."""
    return tuple(secrets.hidden(text.splitlines()))


def _documents(text: str, whole: str, name: str, known: Mapping[str, str]) -> Iterator[Source]:
    """The YAML documents in ``text``, with their places in ``whole``."""
    lines = shown_lines(whole)
    loader = Loader("")
    try:
        for root in yaml.compose_all(text, Loader=Loader):
            if _size(root, {}) > _MOST_NODES:
                raise Unreadable("its aliases repeat more than can be read", _start(text, name))
            # Constructing the data resolves the merge keys of the nodes.
            merged = tuple(_merged(root)) if "<<" in text else ()
            found = masking.replaced(root, known) if known or secrets.may_hold(text) else ()
            hidden = tuple(found)
            data = loader.construct_document(root)
            if data is not None:
                yield Source(name, data, lines, root, hidden, merged)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Unreadable(_problem(error), _at(mark, text, name)) from None
    except (yaml.YAMLError, RecursionError, ValueError, TypeError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        if isinstance(error, Unreadable):
            raise
        reason = reason.partition(' in "<')[0]
        raise Unreadable(" ".join(reason.split()), _start(text, name)) from None
    finally:
        loader.dispose()


def _merged(node: yaml.Node, path: Path = ()) -> Iterator[Path]:
    if isinstance(node, yaml.SequenceNode):
        for index, each in enumerate(node.value):
            yield from _merged(each, (*path, index))
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.tag == _MERGE:
                yield path
            yield from _merged(value, (*path, str(key.value)))


def _problem(error: yaml.MarkedYAMLError) -> str:
    """What is wrong, in the words of the parser, without the marks of a text that has no name."""
    text = ", ".join(each for each in (error.context, error.problem) if each)
    return text.replace("'<stream end>'", "the end of the file")


def _json_values(text: str) -> Iterator[str]:
    """The objects of JSON that stand one after the other, each where it is in the text."""
    decoder, at = json.JSONDecoder(), 0
    while (at := at + len(text[at:]) - len(text[at:].lstrip())) < len(text):
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return
        before = text.count("\n", 0, at)
        yield "\n" * before + text[at:end]
        at = end


def _start(text: str, name: str) -> Span:
    line = "".join(shown_lines(text)[:1])[:200]
    return Span(name, 1, 1, len(line) + 1, line)


def _at(mark: yaml.Mark | None, text: str, name: str) -> Span:
    if mark is None:
        return _start(text, name)
    lines = shown_lines(text) or ("",)
    line = lines[min(mark.line, len(lines) - 1)][:200]
    return Span(name, mark.line + 1, mark.column + 1, mark.column + 2, line)


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """Number of values with all aliases written out; one in itself is too large."""
    if id(node) not in known:
        known[id(node)] = _MOST_NODES + 1
        if isinstance(node, yaml.MappingNode):
            inner = [each for pair in node.value for each in pair]
        else:
            inner = node.value if isinstance(node, yaml.SequenceNode) else []
        known[id(node)] = min(1 + sum(_size(each, known) for each in inner), _MOST_NODES + 1)
    return known[id(node)]


def _mark(node: yaml.Node | None, path: Path) -> yaml.Mark | None:
    mark = node.start_mark if node else None
    for step in path:
        if isinstance(node, yaml.MappingNode):
            found = next(((k, v) for k, v in node.value if k.value == str(step)), None)
            if found is None:
                break
            mark, node = found[0].start_mark, found[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            if step >= len(node.value):
                break
            node = node.value[step]
            mark = node.start_mark
        else:
            break
    return mark
