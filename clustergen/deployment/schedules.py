"""Capacity that starts and ends: the stack of schedules, and the clock."""

from typing import Final, Literal

from clustergen.deployment.run import Run

Phase = Literal["before", "during", "over"]
_AHEAD_SECONDS: Final = 60
"""AWS rejects a schedule in the past: what comes within a minute has come."""


def is_ahead(run: Run, at: int) -> bool:
    """Whether a time, in seconds since 1970, is still ahead."""
    return at > run.world.clock.time() + _AHEAD_SECONDS


def phase(run: Run, group: str) -> Phase:
    """Whether the capacity of a group has begun, and has ended; during for groups without dates.

    Deploy the schedules first: a time then has a schedule, or has come.
    """
    period = run.bundle.periods.get(group)
    if period is None:
        return "during"
    if period.starts and is_ahead(run, period.starts):
        return "before"
    return "over" if period.ends and not is_ahead(run, period.ends) else "during"
