"""Places in the Python files of custom rules, for findings."""

import os
import traceback
from pathlib import Path

from clustergen.base.findings import Rule, Span
from clustergen.checking.project import legible
from clustergen.spec.source.nodes import Place, Text


def of_rule(rule: Rule) -> Span | None:
    """Where a rule is declared, if its check is a function."""
    code = getattr(rule.check, "__code__", None)
    return at(code.co_filename, code.co_firstlineno) if code else None


def of_error(error: BaseException, file: str) -> Span | None:
    """The line of ``file``, or of a file beside it, that raised ``error``; None if none did."""
    if isinstance(error, SyntaxError):  # of a null byte it says neither file nor line
        place = error.filename or file
        return at(place, error.lineno or 1) if _beside(place, file) else None
    lines = [
        (frame.f_code.co_filename, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if _beside(frame.f_code.co_filename, file)
    ]
    if lines:
        return at(*lines[-1])
    # Before Python 3.11.4, a null byte in ``file`` is a ValueError.
    return at(file, 1) if file and "null bytes" in str(error) else None


def _beside(file: str, other: str) -> bool:
    return bool(other) and Path(file).parent == Path(other).parent


def at(file: str, line: int) -> Span:
    """The text of a line of ``file``, which findings name as seen from the working folder."""
    text = Text.of(os.path.relpath(file), legible(Path(file)))
    row = min(line, len(text.lines)) - 1
    written = text.lines[row]
    start = len(written) - len(written.lstrip())
    return Place(text, row, start, row, len(written.rstrip())).span()
