"""Log groups in CloudWatch Logs."""

from collections.abc import Sequence
from typing import Any, Literal

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn
from clustergen.services.aws.members import filled

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


Policy = Literal["Delete", "Retain", "RetainExceptOnCreate"]


def group(plan: Plan, name: Any, policy: Policy) -> Json:
    """A log group with the retention of the spec; ``policy`` is what its stack leaves of it.

    ``Retain`` suits names that the next cluster of the same name has, too: its stack takes over
    what there is, also after a failed creation. Names with the id of a cluster are never needed
    again, so a failed creation leaves none with ``RetainExceptOnCreate``.
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-automatically.html
    """
    days = retention(plan.monitoring.log_retention_days)
    properties = {
        "LogGroupName": name,
        **filled(RetentionInDays=days or None, Tags=cfn.tags(plan.tags)),
    }
    made = cfn.resource("AWS::Logs::LogGroup", properties)
    if policy == "Delete":
        return made
    return {**made, "DeletionPolicy": policy, "UpdateReplacePolicy": "Retain"}
