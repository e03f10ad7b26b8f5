"""The process: installation, messages that are no requests, the end."""

import subprocess
import sys
from pathlib import Path

import pytest

from clustergen.cli import main
from tests.editor.client import Client
from tests.support.waiting import PATIENCE


def test_without_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in [each for each in sys.modules if each.startswith("clustergen.editor")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pygls", None)
    assert main(["lsp"]) == 2
    assert capsys.readouterr().err == (
        "clustergen: the language server needs pygls: pip install 'pygls>=2,<3'\n"
    )


def test_nonsense_does_not_end_it(tmp_path: Path) -> None:
    client = Client(tmp_path)
    client.send_raw(b"Content-Length: 5\r\n\r\n{nope")
    client.send_raw(b'Content-Length: 33\r\n\r\n{"jsonrpc": "2.0", "method": 5.0}')
    client.change("never-opened.yaml", "x", wait=False)
    assert "NET003" in [d.code for d in client.open("a.yaml", "version: 1\nregion: x\n")]
    assert client.leave() == 0


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "sent",
    [b"", b'Content-Length: 36\r\n\r\n{"jsonrpc": "2.0", "method": "exit"}'],
    ids=["closed", "exit"],
)
def test_it_ends_with_its_client(sent: bytes) -> None:
    command = [sys.executable, "-m", "clustergen", "lsp"]
    done = subprocess.run(command, input=sent, capture_output=True, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"Traceback" not in done.stderr
