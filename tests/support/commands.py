"""Commands as users run them."""

from collections.abc import Callable
from typing import NamedTuple

import pytest

from clustergen.cli import main


class Ran(NamedTuple):
    """What a command answered."""

    status: int
    out: str
    err: str


Run = Callable[..., Ran]


def runner(capsys: pytest.CaptureFixture[str], *command: str) -> Run:
    """Runs the command line with these arguments, and those of each call."""

    def run(*arguments: str) -> Ran:
        try:
            status = main([*command, *arguments])
        except SystemExit as exit:  # argparse leaves this way
            status = int(exit.code or 0)
        return Ran(status, *capsys.readouterr())

    return run
