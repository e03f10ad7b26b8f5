"""Programs on PATH that ask an ``Account`` in this process: a socket, and bash at its other end."""

import os
import socketserver
import subprocess
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.cloud import calls
from tests.support.cloud.account import Account
from tests.support.cloud.answers import Done
from tests.support.cloud.programs import NAMES

_CLIENT = """#!/bin/bash
exec 9<>/dev/tcp/127.0.0.1/PORT
printf '%s\\0' "$PWD" "${0##*/}" "$#" "$@" >&9
IFS= read -r -d '' status <&9
IFS= read -r -d '' size <&9
IFS= read -r -d '' err <&9
printf %s "$err" >&2
# Bash reads a connection byte by byte.
if ((size > 2000)); then
  cat <&9
elif ((size > 0)); then
  IFS= read -r -d '' out <&9
  printf %s "$out"
fi
exit "$status"
"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """A bundle on disk, and the account that its scripts reach."""

    folder: Path
    account: Account
    tools: Path

    def deploy(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("deploy.sh", *arguments)

    def run(
        self, script: str, *arguments: str, system: str = "/usr/bin:/bin"
    ) -> subprocess.CompletedProcess[str]:
        """Run a script of the bundle from elsewhere; the account notes the calls of this run.

        ``system`` is what PATH has after the programs of the account.
        """
        self.account.forget_calls()
        if script == "deploy.sh":
            return calls.deployed(self.account, self.folder, self.tools, arguments)
        return subprocess.run(
            ["/bin/bash", str(self.folder / script), *arguments],
            env={"PATH": f"{self.tools}{os.pathsep}{system}"},
            cwd=self.tools,
            capture_output=True,
            text=True,
            check=False,
        )

    def deployed(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A run of deploy.sh that has to succeed."""
        return self.succeeds("deploy.sh", *arguments)

    def succeeds(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A run of a script that has to succeed."""
        done = self.run(script, *arguments)
        assert done.returncode == 0, done.stderr
        return done

    def stops(
        self, words: str, *arguments: str, script: str = "deploy.sh", last: bool = False
    ) -> subprocess.CompletedProcess[str]:
        """A run that has to stop and say `words`; with `last`, in the last line."""
        done = self.run(script, *arguments)
        said = done.stderr.strip().splitlines()[-1] if last else done.stderr
        assert (done.returncode, words in said) == (2, True), done.stderr
        return done

    @property
    def calls(self) -> list[str]:
        """What the last run asked."""
        return self.account.calls

    def calling(self, *words: str) -> list[str]:
        return self.account.calling(*words)

    def order(self, *words: str) -> list[str]:
        """Which of `words` the calls hold, in the order of the calls."""
        return [word for line in self.calls for word in words if word in line]

    def render(self, files: Mapping[str, str]) -> None:
        """Write a bundle over what is there, as `clustergen render` does after an edit."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o755 if text.startswith("#!") else 0o644)

    def remove(self, program: str) -> None:
        (self.tools / program).unlink()


@contextmanager
def reaching(folder: Path, files: Mapping[str, str]) -> Iterator[Bundle]:
    """``files`` on disk, and programs that ask a new account, for as long as the block lasts."""
    bundle = Bundle(folder / "a bundle", Account(), folder / "tools")
    bundle.tools.mkdir(parents=True)
    bundle.render(files)
    with _serving(bundle.account) as port:
        for name in NAMES:
            (bundle.tools / name).write_text(_CLIENT.replace("PORT", str(port)))
            (bundle.tools / name).chmod(0o755)
        yield bundle


@contextmanager
def _serving(account: Account) -> Iterator[int]:
    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            cwd, program, count = (self._word() for _ in range(3))
            words = [self._word() for _ in range(int(count))]
            try:
                done = account.run(program, words, Path(cwd))
            except Exception:  # the test shows it as what the command complained
                done = Done(99, err=traceback.format_exc())
            answer = (str(done.status), str(len(done.out)), done.err, done.out)
            self.wfile.write("\0".join(answer).encode())

        def _word(self) -> str:
            found = bytearray()
            while (byte := self.rfile.read(1)) not in (b"\0", b""):
                found += byte
            return found.decode()

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield int(server.server_address[1])
        server.shutdown()
