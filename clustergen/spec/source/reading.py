"""Reading files, texts and ``--set`` arguments into one document."""

import functools
import os
import select
import stat
import sys
from collections.abc import Mapping, Sequence

from clustergen.base import secrets
from clustergen.base.findings import Finding
from clustergen.spec.source import limits
from clustergen.spec.source.document import Document
from clustergen.spec.source.merge import merge_nodes
from clustergen.spec.source.nodes import Node, Place, Text
from clustergen.spec.source.parse import parse
from clustergen.spec.source.rules.files import NOT_A_MAPPING, TOO_LARGE, UNREADABLE
from clustergen.spec.source.setting import apply_set

STDIN = "-"


def read(
    files: Sequence[str | os.PathLike[str]],
    sets: Sequence[str] = (),
    contents: Mapping[str, bytes] = {},
) -> tuple[Document | None, list[Finding]]:
    """The spec in ``files``, merged in order and changed by ``sets``.

    ``-`` is standard input. ``contents`` are files that are not read, by name. The document is
    ``None`` if a file has no data; otherwise it is as complete as possible.
    """
    roots: list[Node | None] = []
    findings: list[Finding] = []
    for file in files:
        name = os.fspath(file)
        known = contents.get(name)
        root, found = _root_of_file(name) if known is None else _root(known, name_of(name))
        roots.append(root)
        findings += found
    if not roots:
        findings.append(UNREADABLE.at((), "no file is given", help="name a spec: spec.yaml"))
    document, more = _document(roots, sets)
    return document, findings + more


def read_text(text: str, name: str = "<text>") -> tuple[Document | None, list[Finding]]:
    """The spec in ``text``; findings call it ``name``."""
    root, findings = _root(text.encode("utf-8", "surrogatepass"), name)
    return (None if root is None else Document.of(root, (root.at.text,))), findings


def _document(
    roots: Sequence[Node | None], sets: Sequence[str]
) -> tuple[Document | None, list[Finding]]:
    present = [root for root in roots if root is not None]
    if not present or len(present) < len(roots):
        return None, []
    texts = tuple(root.at.text for root in present)
    root = functools.reduce(merge_nodes, present)
    findings: list[Finding] = []
    for argument in sets:
        root, found = apply_set(root, argument)
        findings += found
    return Document.of(root, texts), findings


def name_of(file: str) -> str:
    """What findings call a file."""
    # A file name that is not UTF-8 contains surrogates, which cannot be printed.
    return "<stdin>" if file == STDIN else file.encode("utf-8", "replace").decode()


def content_of(file: str) -> bytes | None:
    """The contents of a file; None if it cannot be read, which :func:`read` reports."""
    try:
        return _content(file)
    except (OSError, ValueError):
        return None


def _root_of_file(file: str) -> tuple[Node | None, list[Finding]]:
    name = name_of(file)
    try:
        content = _content(file)
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        finding = UNREADABLE.at((), f"cannot read {name}: {reason}", help=_help(error))
        return None, [finding.placed(Place(Text(name, ()), 0, 0, 0, 1).span())]
    return _root(content, name)


def _content(file: str) -> bytes:
    """The bytes of ``file``, at most one more than the limit."""
    if file == STDIN:
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return sys.stdin.buffer.read(limits.SIZE + 1)
    with open(file, "rb", opener=_open) as stream:
        return stream.read(limits.SIZE + 1)


_PIPE_SECONDS = 10
"""Seconds to wait for the first byte of a pipe."""


def _open(file: str, flags: int) -> int:
    """Open ``file``, without waiting forever if it is a pipe without a writer."""
    handle = os.open(file, flags | os.O_NONBLOCK)
    if stat.S_ISFIFO(os.fstat(handle).st_mode):
        poll = select.poll()
        poll.register(handle, select.POLLIN | select.POLLHUP)
        if not poll.poll(_PIPE_SECONDS * 1000):
            os.close(handle)
            raise OSError(f"nothing was written to this pipe for {_PIPE_SECONDS} s")
    os.set_blocking(handle, True)
    return handle


def _help(error: Exception) -> str:
    if isinstance(error, FileNotFoundError):
        return "check the path; it is taken from the current directory"
    if isinstance(error, IsADirectoryError):
        return "name the files in it, one by one or as *.yaml"
    if isinstance(error, PermissionError):
        return "give yourself read permission"
    return "name a file of UTF-8 text"


def _root(content: bytes, name: str) -> tuple[Node | None, list[Finding]]:
    text, finding = _decoded(content, name)
    if finding:
        return None, [finding]
    lines = Text.of(name, text)
    root, found = parse(text, lines)
    unshown = lines.unshown()
    findings = [secrets.masked(each, unshown) for each in found]
    if findings and root is None:
        return None, findings
    if root is None or not isinstance(root.value, dict):
        return None, [*findings, _not_a_mapping(root, lines)]
    return root, findings


def _decoded(content: bytes, name: str) -> tuple[str, Finding | None]:
    start = Place(Text(name, ()), 0, 0, 0, 1)
    if len(content) > limits.SIZE:
        message = f"{name} is larger than {limits.SIZE // 1024} KiB"
        help = "name the spec's own file; a spec has a few kilobytes"
        return "", TOO_LARGE.at((), message, help=help).placed(start.span())
    try:
        return content.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig", "replace")
        text = Text.of(name, before)
        line, column = len(text.lines) - 1, len(text.lines[-1])
        message = f"byte 0x{content[error.start]:02x} is not UTF-8"
        finding = UNREADABLE.at((), message, help="save the file as UTF-8")
        return "", finding.placed(Place(text, line, column, line, column + 1).span())


def _not_a_mapping(root: Node | None, text: Text) -> Finding:
    if root is None or root.value is None:
        what, place = "is empty", Place(text, 0, 0, 0, 1)
    else:
        kind = "a list" if isinstance(root.value, tuple) else "a single value"
        what, place = f"holds {kind}", root.at
    message = f"{text.name} {what}, not a spec"
    help = "begin with `version: 1`; `clustergen init` writes a complete starter"
    return NOT_A_MAPPING.at((), message, help=help).placed(place.span())
