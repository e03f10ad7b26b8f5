"""The exit status of every command, and the error that ends one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clustergen.base.findings import Finding

OK = 0
"""Nothing to report."""
FOUND = 1
"""Findings, or a difference."""
INTERRUPTED = 130
"""Ctrl-C: 128 plus the number of SIGINT, as in shells."""
FAILED = 2
"""The command could not run: bad arguments, or a file that cannot be read or written."""


class UsageError(Exception):
    """Arguments, a project file or a spec that are not valid; the message says what would be."""

    def __init__(self, message: str, findings: Sequence[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = findings
