"""Controls: whether real programs run here at all, asked before the tests that use them.

Debian's packages change, and may be broken on a day. Then a failure says nothing about a bundle:
tests that need them are skipped, and the end of the run counts them.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.scripts import completed
from tests.validators import shared

BEGINS = "control: "
"""What the reason of such a skipped test begins with."""


def need(control: Callable[..., str], *words: str) -> None:
    """Skip the test if `control(*words)`, asked once in a run, says why programs do not run."""
    if why := shared.answer(control, *words):
        broken(why)


def broken(why: str) -> None:
    """Skip the test, for a reason that no change of this repository can mend."""
    pytest.skip(BEGINS + why)


def failure(*command: str | Path) -> str:
    """What a program says that cannot do something simple; empty if it can."""
    done = completed(*command)
    lines = (done.stderr.strip() or done.stdout.strip() or f"status {done.returncode}").splitlines()
    return f"{Path(command[0]).name}: {lines[-1]}" if done.returncode else ""
