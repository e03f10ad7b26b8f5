"""The runbook of the target: what to do in common situations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clustergen.runbook import Runbook

QUESTIONS: Final[Mapping[str, str]] = {
    "logs": "Where logs are",
    "access": "A shell on a node",
    "failed_boot": "A node fails to boot",
    "drain": "Keep jobs off a node",
    "replace": "Replace a node",
    "users": "Add a user",
    "pause": "Stop paying for compute",
    "waits": "How long it takes",
}


def answers(runbook: Runbook) -> str:
    """A paragraph for each topic that the target's runbook covers."""
    given = runbook._asdict()
    return "\n\n".join(
        f"**{question}**: {given[name]}." for name, question in QUESTIONS.items() if given[name]
    )
