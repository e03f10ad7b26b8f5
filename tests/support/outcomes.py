"""How a program ended, and what it printed."""

from subprocess import CompletedProcess


def succeeded(done: CompletedProcess[str], *words: str) -> str:
    """What a program that has to succeed printed on stderr, these words among it."""
    return _ended(done, 0, words)


def rejected(done: CompletedProcess[str], *words: str) -> str:
    """What a program that has to reject its call printed on stderr, these words among it."""
    return _ended(done, 2, words)


def _ended(done: CompletedProcess[str], status: int, words: tuple[str, ...]) -> str:
    missing = [each for each in words if each not in done.stderr]
    assert (done.returncode, missing) == (status, []), f"{done.stdout}{done.stderr}"
    return done.stderr
