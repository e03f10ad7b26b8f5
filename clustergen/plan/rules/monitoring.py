"""Retention of logs."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, rule, unsafe
from clustergen.spec import Spec


@rule(
    "LIM012",
    "Logs kept for no time",
    why="CloudWatch Logs keeps logs for a day or longer. No retention time means that it keeps "
    "them forever, which 0d does not show.",
    source="https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html",
    bad="monitoring: {log_retention: 0d}",
    good="monitoring: {log_retention: forever}",
)
def no_retention(spec: Spec) -> Iterator[Problem]:
    if spec.monitoring.log_retention == 0:
        yield Problem(
            ("monitoring", "log_retention"),
            "CloudWatch does not keep logs for zero days",
            help="write 1d or more, or forever",
            fix=unsafe(put(("monitoring", "log_retention"), "1d")),
        )
