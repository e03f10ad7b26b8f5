"""Answers of the runbook that hold for Slurm wherever it runs."""

from __future__ import annotations

from typing import Final

# https://slurm.schedmd.com/scontrol.html
DRAIN: Final = (
    '`sudo scontrol update nodename=NODE state=drain reason="WHY"` lets the running job finish '
    "and starts no other; `state=resume` takes the node back. `sinfo -R` lists drained nodes with "
    "their reasons, also those that a health check drained"
)
