"""The exit status of every command."""

OK = 0
"""Nothing to report."""
FOUND = 1
"""Findings, or a difference."""
INTERRUPTED = 130
"""Ctrl-C: 128 plus the number of SIGINT, as in shells."""
FAILED = 2
"""The command could not run: bad arguments, or a file that cannot be read or written."""
