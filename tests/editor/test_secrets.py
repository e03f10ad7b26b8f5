"""Nothing that a running server says, on either stream, has a secret of the text."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands.test_no_secret_leaves import leaked
from tests.support.planted import HEAD, Planted, broken_specs, spec
from tests.support.waiting import PATIENCE

REQUESTS = ("hover", "definition", "completion", "documentHighlight", "prepareRename")


def _framed(messages: list[dict[str, Any]]) -> bytes:
    texts = [json.dumps({"jsonrpc": "2.0", **message}).encode() for message in messages]
    return b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(text), text) for text in texts)


def _about(uri: str, text: str) -> Iterator[dict[str, Any]]:
    """Open a text, and ask everything about each word below its head, which has no secret."""
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
    yield {"method": "textDocument/didOpen", "params": {"textDocument": document}}
    lines = text.splitlines()
    for line, row in [*enumerate(lines)][HEAD.count("\n") :]:
        starts = [i for i, c in enumerate(row) if not row[max(i - 1, 0)].isalnum() and c != " "]
        for column in starts:
            params = {"position": {"line": line, "character": column + 1}}
            yield from ({"method": f"textDocument/{name}", "params": params} for name in REQUESTS)
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": len(lines), "character": 0}}
    asked: dict[str, Any] = {"range": whole, "context": {"diagnostics": []}}
    yield {"method": "textDocument/codeAction", "params": asked}
    yield {"method": "textDocument/documentSymbol", "params": {}}
    yield {"method": "textDocument/hover", "params": {"position": {"line": -1, "character": text}}}


def _said(folder: Path, texts: list[str]) -> str:
    """All that a server says about texts until it ends."""
    root = {"capabilities": {}, "rootUri": folder.as_uri()}
    messages: list[dict[str, Any]] = [
        {"method": "initialize", "params": root, "id": "first"},
        {"method": "initialized", "params": {}},
    ]
    for number, text in enumerate(texts):
        uri = (folder / f"{number}.yaml").as_uri()
        for index, message in enumerate(_about(uri, text)):
            if "Open" not in message["method"]:
                message["params"]["textDocument"] = {"uri": uri}
                message["id"] = f"{number}-{index}"
            messages.append(message)
    messages += [{"method": "shutdown", "id": "last"}, {"method": "exit"}]
    command = [sys.executable, "-m", "clustergen", "lsp"]
    done = subprocess.run(
        command,
        input=_framed(messages),
        capture_output=True,
        cwd=folder,
        check=False,
        timeout=PATIENCE,
    )
    assert b'"last"' in done.stdout
    return (done.stdout + done.stderr).decode()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("target", ["pcs", "eks"])
def test_a_running_server(target: str, tmp_path: Path) -> None:
    planted = Planted(3)
    texts = [spec(target, planted, 2), *broken_specs(planted)]
    token = json.loads(planted.word())
    groups = f"node_groups: [{{name: {token}, count: 2}}]\n"
    queues = f"queues: [{{name: q, node_groups: [{token}]}}]\n"
    said = _said(tmp_path, [*texts, f"{HEAD}{groups}{queues}"])
    assert "SPC060" in said
    assert "node_groups" in said
    assert leaked(said, planted.parts) == []
