"""Delivery of the scheduler's logs: without them a refused Slurm setting cannot be explained.

https://docs.aws.amazon.com/pcs/latest/userguide/monitoring_scheduler-logs.html
https://docs.aws.amazon.com/pcs/latest/userguide/monitoring_job-completion-logs.html
"""

from __future__ import annotations

from clustergen import cfn
from clustergen.plan.model import Plan
from clustergen.targets.pcs import limits, names

LOG_TYPES = {"Scheduler": "PCS_SCHEDULER_LOGS", "Jobs": "PCS_JOBCOMP_LOGS"}
"""Stem of the resources' names, and the log type."""


def resources(plan: Plan) -> cfn.Json:
    """A log group, a source, a destination and what joins them, for each type of log."""
    return {
        name: resource
        for stem, type in LOG_TYPES.items()
        for name, resource in _delivery(plan, stem, type).items()
    }


def _delivery(plan: Plan, stem: str, type: str) -> cfn.Json:
    group, source, destination = f"{stem}LogGroup", f"{stem}LogSource", f"{stem}LogDestination"
    cluster_id = f"${{{names.CLUSTER}.Id}}"
    return {
        group: _resource(
            plan,
            "AWS::Logs::LogGroup",
            # Under this prefix the service may write without a resource policy, of which a region
            # has ten: https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-and-resource-policy.html
            LogGroupName=cfn.sub(f"/aws/vendedlogs/pcs/cluster/{type}/{cluster_id}"),
            RetentionInDays=limits.retention(plan.monitoring.log_retention_days),
        ),
        source: _resource(
            plan,
            "AWS::Logs::DeliverySource",
            Name=cfn.sub(f"{cluster_id}-{stem.lower()}"),
            LogType=type,
            ResourceArn=cfn.get_att(names.CLUSTER, "Arn"),
        ),
        destination: _resource(
            plan,
            "AWS::Logs::DeliveryDestination",
            Name=cfn.sub(f"{cluster_id}-{stem.lower()}"),
            DestinationResourceArn=cfn.get_att(group, "Arn"),
        ),
        f"{stem}LogDelivery": _resource(
            plan,
            "AWS::Logs::Delivery",
            DeliverySourceName=cfn.ref(source),
            DeliveryDestinationArn=cfn.get_att(destination, "Arn"),
        ),
    }


def _resource(plan: Plan, type: str, **properties: object) -> cfn.Json:
    tags = {"Tags": cfn.tags(plan.tags)} if plan.tags else {}
    return {"Type": type, "Properties": {**properties, **tags}}
