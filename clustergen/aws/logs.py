"""Retention of logs in CloudWatch Logs."""

from __future__ import annotations

from collections.abc import Sequence

# https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html
# (2026-11-20)
RETENTION_DAYS = (
    1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731,
    1096, 1827, 2192, 2557, 2922, 3288, 3653,
)  # fmt: skip


def retention(days: int, allowed: Sequence[int] = RETENTION_DAYS) -> int:
    """The shortest allowed retention of at least ``days``, or else the longest.

    0 means forever. ``allowed`` lists days in ascending order, for services that accept fewer
    values than CloudWatch Logs.
    """
    return 0 if days == 0 else next((kept for kept in allowed if kept >= days), allowed[-1])
