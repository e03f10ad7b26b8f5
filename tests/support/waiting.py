"""Waiting for other programs: for long, since the machine may be busy, and never in silence."""

import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 180
"""Seconds that a program may take for what it does in one on an idle machine."""
_PAUSE_SECONDS = 0.05


class TimedOut(AssertionError):
    """What a test waits for did not happen; the message has what was seen last."""


def until(look: Callable[[], T], is_so: Callable[[T], bool], what: str) -> T:
    """What `look` returns as soon as it is as wanted.

    :raises TimedOut: if it is not within :data:`PATIENCE`.
    """
    end = time.monotonic() + PATIENCE
    while not is_so(seen := look()):
        if time.monotonic() > end:
            raise TimedOut(f"not within {PATIENCE} s: {what}\nlast seen: {seen}")
        time.sleep(_PAUSE_SECONDS)
    return seen


def until_said(say: Callable[[], str], expected: str, what: str) -> str:
    """The text of an output, without space around it, once the pattern `expected` is in it."""
    return until(
        lambda: say().strip(),
        lambda said: bool(re.search(expected, said)),
        f"{what}\nshould say {expected!r}",
    )


@contextmanager
def own_port() -> Iterator[int]:
    """A port of localhost that the kernel gives to no other program until the end of the block.

    It is bound, but nothing listens: a server that reuses addresses, as those of Go and Python do,
    can.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]
