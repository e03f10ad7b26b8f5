"""How long an editor waits for the language server after a keystroke.

The client is a few lines of its own, so that the time is the server's.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

_TOGETHER = 4
_URI = "file:///tmp/keystrokes/cluster.yaml"


class Editor:
    """A language server with one open text."""

    def __init__(self, text: str) -> None:
        command = [sys.executable, "-m", "clustergen", "lsp"]
        pipe = subprocess.PIPE
        self._server = subprocess.Popen(command, stdin=pipe, stdout=pipe)
        self._version = 0
        self.text = text
        self.answer(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self._send({"method": "initialized", "params": {}})
        document = {"uri": _URI, "languageId": "yaml", "version": 0, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        self._until(lambda message: message.get("params", {}).get("version") == 0)

    def type(self, offset: int, word: str, *, over: int = 0) -> None:
        """Write a word, over some characters of the same line."""
        before = self.text[:offset]
        at = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
        end = {**at, "character": at["character"] + over}
        self._version += 1
        self.text = before + word + self.text[offset + over :]
        params = {
            "textDocument": {"uri": _URI, "version": self._version},
            "contentChanges": [{"range": {"start": at, "end": end}, "text": word}],
        }
        self._send({"method": "textDocument/didChange", "params": params})

    def complete(self, offset: int) -> None:
        """Ask what fits, and wait for the answer."""
        before = self.text[:offset]
        at = {"line": before.count("\n"), "character": len(before.rpartition("\n")[2])}
        params = {"textDocument": {"uri": _URI}, "position": at}
        self.answer(self._version + 10, "textDocument/completion", params)

    def findings(self) -> None:
        """Wait for the findings about the text as it is."""
        self._until(lambda m: m.get("params", {}).get("version") == self._version)

    def answer(self, id: int, method: str, params: Mapping[str, Any]) -> None:
        """Send a request, and wait for the answer."""
        self._send({"id": id, "method": method, "params": params})
        self._until(lambda message: message.get("id") == id and "method" not in message)

    def close(self) -> None:
        """End the server."""
        self._server.stdin.close() if self._server.stdin else None
        self._server.wait()

    def _send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        stream = self._server.stdin
        if stream:
            stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            stream.flush()

    def _until(self, holds: Callable[[dict[str, Any]], bool]) -> None:
        while not holds(self._read()):
            pass

    def _read(self) -> dict[str, Any]:
        stream = self._server.stdout
        if stream is None:
            raise EOFError
        length = 0
        while (header := stream.readline()).strip():
            name, _, value = header.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise EOFError("the server has ended")
        message: dict[str, Any] = json.loads(stream.read(length))
        return message


def waits(text: str, keystrokes: int) -> Iterator[tuple[str, list[float]]]:
    """Seconds until completion and until the findings, for keystrokes in different places."""
    for what, place, word in (
        ("a key", "\nnode_groups:", "lo"),
        ("an instance type", "instance_type: ", "p"),
        ("a size", "size: ", "1"),
    ):
        offset = text.index(place) + (1 if place.startswith("\n") else len(place))
        editor = Editor(text)
        editor.type(offset, word + "\n" if place.startswith("\n") else word)
        editor.findings()
        offset += len(word)
        answers, findings = [], []
        for number in range(keystrokes):
            erases = number % 2
            before = time.perf_counter()
            editor.type(offset, "" if erases else "1", over=erases)
            editor.complete(offset)
            answers.append(time.perf_counter() - before)
            editor.findings()
            findings.append(time.perf_counter() - before)
        editor.close()
        yield f"completion of {what}", answers
        yield f"findings after a keystroke in {what}", findings


def longest(text: str, samples: int) -> Iterator[tuple[str, list[float]]]:
    """The longest of each few waits, ``samples`` times, in seconds."""
    for what, seconds in waits(text, samples * _TOGETHER):
        yield what, [max(seconds[at::samples]) for at in range(samples)]
