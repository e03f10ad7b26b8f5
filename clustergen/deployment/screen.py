"""What a deployment says while it runs: lines for people, or JSON for programs.

A reader who leaves (``| head``, a closed terminal) does not stop what the run has begun.
"""

import contextlib
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TextIO

from clustergen.base import secrets
from clustergen.deployment import printing


def _write(stream: TextIO, text: str) -> None:
    with contextlib.suppress(OSError):
        stream.write(text)
        stream.flush()


class Screen(Protocol):
    """Where messages go."""

    def note(self, text: str) -> None:
        """Something that the user has to know."""

    def command(self, words: Sequence[str]) -> None:
        """What is run now, and changes something."""

    def progress(self, text: str) -> None:
        """What a wait is about; a terminal shows the latest one, empty when it ends."""

    def result(self, rows: Iterable[Sequence[str]]) -> None:
        """What the action answers: rows of values."""


@dataclass
class Text:
    """Messages on stderr, answers on stdout."""

    err: TextIO = field(default_factory=lambda: sys.stderr)
    out: TextIO = field(default_factory=lambda: sys.stdout)
    _shown: bool = False

    def note(self, text: str) -> None:
        self._clear()
        _write(self.err, "\n".join(secrets.hidden(text.splitlines())) + "\n")

    def command(self, words: Sequence[str]) -> None:
        self.note(f"+ {printing.line(words)}")

    def progress(self, text: str) -> None:
        if self.err.isatty():
            self._clear()
            _write(self.err, text)
            self._shown = bool(text)

    def result(self, rows: Iterable[Sequence[str]]) -> None:
        self._clear()
        _write(self.out, "".join("\t".join(row) + "\n" for row in rows))

    def _clear(self) -> None:
        if self._shown:
            _write(self.err, "\r\x1b[K")
            self._shown = False


@dataclass
class Lines:
    """One JSON object per line on stdout, each with its ``event``."""

    out: TextIO = field(default_factory=lambda: sys.stdout)

    def note(self, text: str) -> None:
        self._print("note", text="\n".join(secrets.hidden(text.splitlines())))

    def command(self, words: Sequence[str]) -> None:
        self._print("command", words=list(secrets.hidden(words)))

    def progress(self, text: str) -> None:
        if text:
            self._print("waiting", text=text)

    def result(self, rows: Iterable[Sequence[str]]) -> None:
        self._print("result", rows=[list(row) for row in rows])

    def _print(self, event: str, **members: Any) -> None:
        _write(self.out, json.dumps({"event": event, **members}, ensure_ascii=False) + "\n")
