"""Programs that a deployment runs besides AWS: kubectl, and scripts of the bundle."""

import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

Told = Callable[[str], None]
"""What gets the lines that a program prints."""


class Ended(NamedTuple):
    """How a program ended."""

    status: int
    out: str = ""
    err: str = ""


class Programs(Protocol):
    """Runs programs."""

    def has(self, name: str) -> bool: ...

    def run(
        self, words: Sequence[str], folder: Path, more: Mapping[str, str], told: Told | None = None
    ) -> Ended:
        """Run a program in a folder, with more variables in its environment.

        ``told`` gets the lines as they come, those of errors too; without it, they are kept.
        """

    def attach(self, words: Sequence[str]) -> int:
        """Give the terminal to a program, Ctrl-C too, and return its status."""


class Installed:
    """The programs of this machine."""

    def has(self, name: str) -> bool:
        return shutil.which(name) is not None

    def run(
        self, words: Sequence[str], folder: Path, more: Mapping[str, str], told: Told | None = None
    ) -> Ended:
        errors = subprocess.STDOUT if told else subprocess.PIPE
        try:
            process = subprocess.Popen(  # noqa: S603, words of ours
                words,
                cwd=folder,
                env={**os.environ, **more},
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        except OSError as error:
            # Of a script, the interpreter may be gone.
            return Ended(127, err=f"{words[0]} cannot be run: {error.strerror}")
        with process:
            if told is None:
                out, err = process.communicate()
                return Ended(process.returncode, out, err)
            for line in process.stdout or ():
                told(line.rstrip("\n"))
        return Ended(process.returncode)

    def attach(self, words: Sequence[str]) -> int:
        # A handler, for a program that starts while a signal is ignored ignores it, too.
        earlier = signal.signal(signal.SIGINT, lambda *_: None)
        try:
            return subprocess.run(words, check=False).returncode  # noqa: S603, words of ours
        finally:
            signal.signal(signal.SIGINT, earlier)
