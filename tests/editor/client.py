"""A client of the language server, over the standard input and output of a real process."""

import asyncio
import sys
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any, TypeVar

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from tests.support.waiting import PATIENCE

T = TypeVar("T")


class Client:
    """Starts the server, and makes its requests one after the other."""

    def __init__(self, folder: Path, units: Sequence[str] = ("utf-16",)) -> None:
        self._loop = asyncio.new_event_loop()
        self._client = LanguageClient("tests", "1")
        self._diagnostics: dict[str, types.PublishDiagnosticsParams] = {}
        self._published = asyncio.Event()
        self._version = 0
        self.messages: list[str] = []
        self.folder = folder
        self._listen()
        command = (sys.executable, "-m", "clustergen", "lsp")
        self.run(self._client.start_io(*command, cwd=str(folder)))
        self.initialized = self._initialize(units)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run one coroutine to its end."""
        return self._loop.run_until_complete(asyncio.wait_for(work, PATIENCE))

    def request(self, method: str, params: Any) -> Any:
        """The server's result."""

        async def send() -> Any:
            return await self._client.protocol.send_request_async(method, params)

        return self.run(send())

    def notify(self, method: str, params: Any) -> None:
        async def send() -> None:
            self._client.protocol.notify(method, params)

        self.run(send())

    def send_raw(self, message: bytes) -> None:
        """Send bytes that may be no message."""
        server = self._client._server
        assert server is not None
        assert server.stdin is not None
        server.stdin.write(message)

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    def open(self, name: str, text: str) -> list[types.Diagnostic]:
        """Open a text; returns its diagnostics."""
        version = self._next_version()
        document = types.TextDocumentItem(self.uri(name), "yaml", version, text)
        self.notify(types.TEXT_DOCUMENT_DID_OPEN, types.DidOpenTextDocumentParams(document))
        return self.diagnostics(name, version)

    def change(self, name: str, *changes: Any, wait: bool = True) -> list[types.Diagnostic]:
        """Change a text: parts as ``((line, column), (line, column), text)``, or all of it."""
        version = self._next_version()
        document = types.VersionedTextDocumentIdentifier(version, self.uri(name))
        made = [_change(change) for change in changes]
        self.notify(
            types.TEXT_DOCUMENT_DID_CHANGE, types.DidChangeTextDocumentParams(document, made)
        )
        return self.diagnostics(name, version) if wait else []

    def close(self, name: str) -> list[types.Diagnostic]:
        document = types.TextDocumentIdentifier(self.uri(name))
        self._diagnostics.pop(self.uri(name), None)
        self.notify(types.TEXT_DOCUMENT_DID_CLOSE, types.DidCloseTextDocumentParams(document))
        return self.diagnostics(name, None)

    def diagnostics(self, name: str, version: int | None) -> list[types.Diagnostic]:
        """What the server says about this version of a text, as soon as it does."""

        async def wait() -> list[types.Diagnostic]:
            while True:
                found = self._diagnostics.get(self.uri(name))
                if found is not None and found.version == version:
                    return list(found.diagnostics)
                self._published.clear()
                await self._published.wait()

        return self.run(wait())

    def wait_for_codes(self, name: str, codes: Sequence[str]) -> None:
        """Wait until a text has findings with these codes."""

        async def wait() -> None:
            while True:
                found = self._diagnostics.get(self.uri(name))
                if found is not None and [d.code for d in found.diagnostics] == list(codes):
                    return
                self._published.clear()
                await self._published.wait()

        self.run(wait())

    def at(self, name: str, line: int, column: int) -> dict[str, Any]:
        """The parameters of a request about a position."""
        return {
            "text_document": types.TextDocumentIdentifier(self.uri(name)),
            "position": types.Position(line, column),
        }

    def leave(self) -> int | None:
        """Shut the server down; returns its exit status."""

        async def stop() -> int | None:
            await self._client.protocol.send_request_async(types.SHUTDOWN, None)
            self._client.protocol.notify(types.EXIT, None)
            server = self._client._server
            assert server is not None
            await server.wait()
            await self._client.stop()  # type: ignore[no-untyped-call]
            return server.returncode

        status = self.run(stop())
        self._loop.close()
        return status

    def _next_version(self) -> int:
        self._version += 1
        return self._version

    def _initialize(self, units: Sequence[str]) -> types.InitializeResult:
        capabilities = types.ClientCapabilities(
            general=types.GeneralClientCapabilities(
                position_encodings=[types.PositionEncodingKind(each) for each in units]
            ),
            text_document=types.TextDocumentClientCapabilities(
                completion=types.CompletionClientCapabilities(
                    completion_item=types.ClientCompletionItemOptions(
                        insert_text_mode_support=types.ClientCompletionItemInsertTextModeOptions(
                            [types.InsertTextMode.AsIs]
                        )
                    )
                )
            ),
        )
        params = types.InitializeParams(capabilities, root_uri=self.folder.as_uri())
        result: types.InitializeResult = self.request(types.INITIALIZE, params)
        self.notify(types.INITIALIZED, types.InitializedParams())
        return result

    def _listen(self) -> None:
        @self._client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)  # type: ignore[untyped-decorator]
        def publish(params: types.PublishDiagnosticsParams) -> None:
            self._diagnostics[params.uri] = params
            self._published.set()

        @self._client.feature(types.WINDOW_SHOW_MESSAGE)  # type: ignore[untyped-decorator]
        def show(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)


def _change(change: Any) -> types.TextDocumentContentChangeEvent:
    if isinstance(change, str):
        return types.TextDocumentContentChangeWholeDocument(change)
    start, end, text = change
    range = types.Range(types.Position(*start), types.Position(*end))
    return types.TextDocumentContentChangePartial(range, text)
