"""The exit status of every command."""

OK = 0
"""Nothing to report."""
FOUND = 1
"""Findings, or a difference."""
FAILED = 2
"""The command could not do what it was asked to do."""
