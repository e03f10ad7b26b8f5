"""Controls: whether real programs run here at all, asked before the tests that use them.

Debian's packages change, and may be broken on a day. Then a failure says nothing about a bundle:
tests that need them are skipped, and the end of the run counts them.
"""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from pathlib import Path

import pytest

BEGINS = "control: "
"""What the reason of such a skipped test begins with."""
_failed: dict[Path, str] = {}


def need(works: Path, control: Callable[[], str]) -> None:
    """Skip the test if `control` says why programs do not run; `works` is kept once it does not.

    Several workers ask at the same time. A failure is kept for the process only.
    """
    with works.with_name(f"{works.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if works.exists():
            return
        if works not in _failed:
            _failed[works] = control()
        if not _failed[works]:
            works.touch()
            return
    broken(_failed[works])


def broken(why: str) -> None:
    """Skip the test, for a reason that no change of this repository can mend."""
    pytest.skip(BEGINS + why)
