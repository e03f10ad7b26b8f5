"""Calls and messages of a run: who reads them, who ends the run, and credentials that change."""

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from clustergen import cli
from clustergen.base import account
from clustergen.commands import check, deploy
from clustergen.deployment.screen import Lines, Screen, Text
from clustergen.deployment.world import Botocore, Stop, World


def closed_pipe() -> Any:
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "w")


@pytest.mark.parametrize(
    "make", [lambda: Text(closed_pipe(), closed_pipe()), lambda: Lines(closed_pipe())]
)
def test_a_reader_who_leaves_does_not_stop_a_run(make: Callable[[], Screen]) -> None:
    """It would stop between two calls, such as those that lift a policy and set it again."""
    screen = make()
    for _ in range(2):
        screen.note("one\ntwo")
        screen.command(["aws", "sts", "get-caller-identity"])
        screen.progress("half")
        screen.result([["a", "b"]])


def test_a_failure_without_a_reader_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "run", lambda _: print("kept in the buffer") or 2)
    monkeypatch.setattr(sys, "stdout", closed_pipe())
    assert cli.main(["check", "cluster.yaml"]) == 2


ENDED = """
import signal, sys
from clustergen.commands import deploy
# nohup around the tests would have it ignored.
signal.signal({number}, signal.SIG_DFL)
deploy.end_in_order()
# A signal that is lost fails the test, and does not hold it forever.
signal.alarm(60)
try:
    print("ready", flush=True)
    signal.pause()
finally:
    signal.raise_signal({number})
    print("closed", flush=True)
"""


def test_an_empty_answer_is_not_an_absent_thing() -> None:
    silent: Any = SimpleNamespace(send=lambda *_: {})
    with pytest.raises(Stop, match="answered this with nothing"):
        World("us-east-1", silent, Lines(sys.stderr)).need("pcs:GetCluster", "cluster")


@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_lets_a_run_close_what_it_has_opened(number: signal.Signals) -> None:
    words = [sys.executable, "-c", ENDED.format(number=int(number))]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as ran:
        assert ran.stdout
        assert ran.stdout.readline() == "ready\n"
        ran.send_signal(number)
        assert ran.stdout.read() == "closed\n"


def test_nohup_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "getsignal", lambda _: signal.SIG_IGN)
    monkeypatch.setattr(signal, "signal", lambda *_: pytest.fail("handles an ignored signal"))
    deploy.end_in_order()


def test_an_answer_may_not_come(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Standard output is for answers of programs; Ctrl-D consents to nothing."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert deploy._answer("Continue? [y/N] ") == ""
    assert capsys.readouterr() == ("", "Continue? [y/N] ")


class Client:
    def __init__(self, *, knows: bool) -> None:
        self.knows = knows

    def get_caller_identity(self) -> dict[str, str]:
        if not self.knows:
            raise account.NoCredentials("expired")
        return {"Account": "111122223333"}


@pytest.mark.parametrize("renewed", [True, False])
def test_credentials_are_looked_up_again(monkeypatch: pytest.MonkeyPatch, renewed: bool) -> None:
    """A file of credentials may get new ones during the hours of a run."""
    made: list[str] = []

    def client(service: str, _: str) -> Client:
        made.append(service)
        return Client(knows=renewed and len(made) > 1)

    monkeypatch.setattr(account, "clients", client)
    world = Botocore("us-east-1")
    if renewed:
        assert world.send("sts:GetCallerIdentity", {}) == {"Account": "111122223333"}
    else:
        with pytest.raises(account.NoCredentials):
            world.send("sts:GetCallerIdentity", {})
    assert made == ["sts", "sts"]
