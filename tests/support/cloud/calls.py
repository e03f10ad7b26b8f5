"""What sends the calls of a deployment to an account in this process."""

import functools
import io
import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore.validate import ParamValidator

from clustergen.base import account as refusals
from clustergen.commands import deploy
from clustergen.commands.arguments import parsed
from clustergen.commands.exit_status import FAILED, UsageError
from clustergen.deployment import printing
from clustergen.deployment.programs import Ended, Told
from tests.support import service_models
from tests.support.cloud.account import Account
from tests.support.cloud.answers import Pages, Refused
from tests.support.scripts import completed

_CONSENT = ("--allow", "replaces-nodes", "--allow", "removes-nodes")
_OPTIONS = {"--allow-replacement": _CONSENT, "--destroy": ("--yes",)}
"""What other targets need no option for."""
_OPTIONS["--destroy-foundation"] = _OPTIONS["--destroy"]


@dataclass(frozen=True, slots=True)
class Calls:
    """A transport: requests and answers have the form of the service's model."""

    account: Account
    folder: Path
    tools: Path
    region: str

    def send(self, call: str, arguments: Mapping[str, Any]) -> Any:
        answer = next(iter(self.pages(call, arguments)))
        _check_answer(call, answer)
        return answer

    def pages(self, call: str, arguments: Mapping[str, Any]) -> Iterator[Any]:
        _check_request(call, arguments)
        words = printing.aws(call, arguments, self.region)
        try:
            found = self.account.call(words, self.folder)
            yield from found if isinstance(found, Pages) else [found]
        except Refused as refused:
            raise _error(call, refused) from None

    def time(self) -> float:
        """The time that a test has set beside the programs, or the real one."""
        now = self.tools / "now"
        return float(now.read_text()) if now.exists() else time.time()

    def has(self, name: str) -> bool:
        return (self.tools / name).exists()

    def run(
        self, words: Sequence[str], folder: Path, more: Mapping[str, str], told: Told | None = None
    ) -> Ended:
        """Programs ask the account in this process, scripts of the bundle in their own."""
        if words[0] == "bash":
            path = f"{self.tools}{os.pathsep}/usr/bin:/bin"
            done = completed(*words, cwd=folder, env={"PATH": path, **more})
            ended = Ended(done.returncode, done.stdout, done.stderr)
        else:
            found = self.account.run(words[0], list(words[1:]), folder)
            ended = Ended(found.status, found.out, found.err)
        if told:
            for line in (*ended.err.splitlines(), *ended.out.splitlines()):
                told(line)
        return ended

    def attach(self, words: Sequence[str]) -> int:
        return self.account.run(words[0], list(words[1:]), self.folder).status

    def sleep(self, seconds: float) -> None:
        self.account.run("sleep", [str(seconds)], self.folder)


def _error(call: str, refused: Refused) -> refusals.CallError:
    error = refusals.refusal({"Code": refused.code, "Message": refused.message}, call)
    error.call = call
    return error


@functools.cache
def _shapes(call: str) -> tuple[Any, Any]:
    service, _, operation = call.partition(":")
    model = service_models.model(service).operation_model(operation)
    return model.input_shape, model.output_shape


def _check_request(call: str, arguments: Mapping[str, Any]) -> None:
    report = ParamValidator().validate(dict(arguments), _shapes(call)[0])
    assert not report.has_errors(), f"{call}: {report.generate_report()}"


def _check_answer(call: str, answer: Any) -> None:
    """An account that answers with members that the service does not have would prove nothing."""
    known = set(_shapes(call)[1].members) if _shapes(call)[1] else set()
    assert set(answer) <= known, f"{call}: {set(answer) - known}"


def deployed(
    account: Account, folder: Path, cwd: Path, arguments: tuple[str, ...]
) -> subprocess.CompletedProcess[str]:
    """A run of ``clustergen deploy``, as ``deploy.sh`` starts it."""
    words = [word for each in arguments for word in (each, *_OPTIONS.get(each, ()))]
    out, err = io.StringIO(), io.StringIO()
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        try:
            args = parsed(["deploy", os.fspath(folder), *words])
            connect = functools.partial(Calls, account, folder, cwd)
            status = deploy.deployed(args, connect, connect(""), connect(""))
        except UsageError as error:
            err.write(f"clustergen: {error}\n")
            status = FAILED
        except SystemExit as ended:
            status = int(ended.code or 0)
    return subprocess.CompletedProcess(arguments, status, out.getvalue(), err.getvalue())
