"""Runbook entries for Slurm."""

from __future__ import annotations

from typing import Final

from clustergen.runbook import SCONTROL

# https://slurm.schedmd.com/scontrol.html
DRAIN: Final = (
    f'`{SCONTROL} update nodename=NODE state=drain reason="WHY"` lets the running job finish '
    "and keeps new ones off the node; `state=resume` returns it to service. `sinfo -R` lists "
    "drained nodes with their reasons, including those that a health check drained"
)
