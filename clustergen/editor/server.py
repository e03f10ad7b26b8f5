"""The server: what the client sends and what it gets, with pygls."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from clustergen.base.findings import Finding
from clustergen.base.version import __version__
from clustergen.editor import checking
from clustergen.editor.checking import Context
from clustergen.editor.diagnostics import diagnostics
from clustergen.editor.scanner import outline
from clustergen.editor.scope import File, Scope
from clustergen.editor.texts import Text

_log = logging.getLogger(__name__)

_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.01, 0.5
"""Time without a keystroke before a check."""
_LONG_SECONDS = 0.1
"""A check that takes longer makes the next one wait as long as it took."""


class Result(NamedTuple):
    """The findings about a version of a text."""

    text: Text
    findings: list[Finding]


class _Protocol(LanguageServerProtocol):
    """Keeps texts in :class:`Text`: those of pygls have lines that the protocol does not have."""

    _server: Server

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        document = params.text_document
        self._server.put(Text(document.uri, document.text, document.version, self._server.units))

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        document = params.text_document
        text = self._server.texts.get(document.uri)
        if text is not None:
            self._server.put(text.changed(params.content_changes, document.version))

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        self._server.remove(params.text_document.uri)


class Server(LanguageServer):
    """The open texts, their findings, and the checks that are under way."""

    def __init__(self, *, custom_rules: bool = False) -> None:
        super().__init__("clustergen", __version__, protocol_cls=_Protocol)
        self.texts: dict[str, Text] = {}
        self.results: dict[str, Result] = {}
        self.custom_rules = custom_rules
        self.status = 1
        """The exit status: 0 once the client has asked for a shutdown."""
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._running: set[asyncio.Task[None]] = set()
        self._pause = _PAUSE_SECONDS
        # One check at a time; requests are answered meanwhile.
        self._checker = ThreadPoolExecutor(1, "check")
        self._files: dict[str, File] = {}
        self._faulty: dict[Path, set[str]] = {}

    @property
    def units(self) -> str:
        """The position encoding that the client and the server agreed on."""
        agreed = self.workspace.position_encoding
        return str(getattr(agreed, "value", agreed))

    def put(self, text: Text) -> None:
        """Remember a new or changed text, and check it soon."""
        self.texts[text.uri] = text
        self.check_soon(self._together(text.uri))

    def remove(self, uri: str) -> None:
        """Forget a text, with its findings."""
        others = self._together(uri)
        self.texts.pop(uri, None)
        self.results.pop(uri, None)
        self._files.pop(uri, None)
        self._publish(uri, [], None)
        self.check_soon(other for other in others if other != uri)

    def check_soon(self, uris: Iterable[str]) -> None:
        """Check texts once the user pauses."""
        loop = asyncio.get_running_loop()
        for uri in uris:
            if uri in self._waiting:
                self._waiting[uri].cancel()
            self._waiting[uri] = loop.call_later(self._pause, self._start, uri)

    def in_background(self, work: Callable[[], None]) -> None:
        """Do something before the next check."""
        self._checker.submit(work)

    def result(self, uri: str) -> Result | None:
        """The findings about a text as it is now; None if it is not open."""
        text, known = self.texts.get(uri), self.results.get(uri)
        if text is None or (known and known.text is text):
            return known
        made = self.results[uri] = Result(text, self._findings(text, self._unsaved()))
        return made

    def spec(self, uri: str) -> Scope | None:
        """An open text with the other files of its cluster; None if it is not a spec."""
        text = self.texts.get(uri)
        about = self.context(uri)
        if text is None or not checking.is_spec(text.content, about):
            return None
        names = checking.names_beside(name_of(uri), about)[1:]
        others = (self._file_named(name) for name in names)
        return Scope([self.file(text), *(other for other in others if other)])

    def file(self, text: Text) -> File:
        known = self._files.get(text.uri)
        if known is None or known.text.content != text.content:
            known = self._files[text.uri] = File(text, outline(text.lines))
        return known

    def _file_named(self, name: str) -> File | None:
        """A file of a cluster, as it is open or on the disk."""
        path = Path(name).absolute()
        text = next((t for uri, t in self.texts.items() if name_of(uri) == name), None)
        if text is None:
            try:
                text = Text(path.as_uri(), path.read_text("utf-8-sig"), None, self.units)
            except (OSError, ValueError):
                return None
        return self.file(text)

    def fixed(self, uri: str) -> str:
        """An open text after all safe fixes."""
        return checking.fixed(name_of(uri), self.context(uri), self._unsaved())

    def context(self, uri: str) -> Context:
        """What the project file says about a text."""
        return checking.context(name_of(uri), custom_rules=self.custom_rules)

    def _findings(self, text: Text, unsaved: dict[str, str]) -> list[Finding]:
        about = self.context(text.uri)
        if not checking.is_spec(text.content, about):
            return []
        return checking.check(name_of(text.uri), about, unsaved)

    def _together(self, uri: str) -> list[str]:
        """The open texts that are checked together with one."""
        names = checking.names_beside(name_of(uri), self.context(uri))
        return [uri, *(other for other in self.texts if other != uri and name_of(other) in names)]

    def _unsaved(self) -> dict[str, str]:
        return {name_of(uri): text.content for uri, text in self.texts.items()}

    def _start(self, uri: str) -> None:
        self._waiting.pop(uri, None)
        task = asyncio.get_running_loop().create_task(self._check(uri))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def _check(self, uri: str) -> None:
        text = self.texts.get(uri)
        if text is None:
            return
        began = time.monotonic()
        try:
            loop = asyncio.get_running_loop()
            found = await loop.run_in_executor(self._checker, self._findings, text, self._unsaved())
        except Exception:
            _log.exception("cannot check %s", uri)
            return
        taken = time.monotonic() - began
        is_long = taken > _LONG_SECONDS
        self._pause = min(taken, _LONGEST_PAUSE_SECONDS) if is_long else _PAUSE_SECONDS
        if self.texts.get(uri) is not text:
            return  # a later check is waiting
        self.results[uri] = Result(text, found)
        self._publish(uri, found, text)
        self._publish_project(uri)

    def _publish(self, uri: str, findings: list[Finding], text: Text | None) -> None:
        shown = diagnostics(findings, name_of(uri), text) if text else []
        version = text.version if text else None
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(uri, shown, version=version)
        )

    def _publish_project(self, uri: str) -> None:
        """Show errors in the project file and custom rules, and remove those that are gone."""
        about = self.context(uri)
        if about.file is None:
            return
        found = {span.file for finding in about.problems if (span := finding.span)}
        gone, self._faulty[about.file] = self._faulty.get(about.file, set()) - found, found
        for name in (*found, *gone):
            path = Path(name).absolute()
            content = path.read_text("utf-8", errors="replace") if path.exists() else ""
            text = Text(path.as_uri(), content, None, self.units)
            self._publish(text.uri, list(about.problems), text)


def name_of(uri: str) -> str:
    """What findings call a text."""
    path = uris.to_fs_path(uri) if uri.startswith("file:") else None
    return checking.shown(path) if path else uri
