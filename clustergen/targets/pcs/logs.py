"""Delivery of scheduler logs, which explain rejected Slurm settings.

https://docs.aws.amazon.com/pcs/latest/userguide/monitoring_scheduler-logs.html
https://docs.aws.amazon.com/pcs/latest/userguide/monitoring_job-completion-logs.html
"""

from collections.abc import Iterator

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn
from clustergen.services.aws.logs import group
from clustergen.services.aws.members import filled
from clustergen.targets.pcs import names

LOG_TYPES = {"Scheduler": "PCS_SCHEDULER_LOGS", "Jobs": "PCS_JOBCOMP_LOGS"}
"""Stem of the logical ids, and the log type."""
NAMES = (
    *(f"/aws/vendedlogs/pcs/cluster/{type}/CLUSTER-ID" for type in LOG_TYPES.values()),
    "/aws/pcs/CLUSTER-ID/lifecycle",
)
"""Of the log groups, with a word for the id."""


def resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    """For each type of log: log group, delivery source, destination and delivery.

    AWS's logging script writes logs of node scripts to its own log group. All of these belong to
    the cluster: an existing one may have them, and its nodes create the log group that they miss.
    """
    if not plan.creates_cluster:
        return
    for stem, type in LOG_TYPES.items():
        yield from _delivery(plan, stem, type).items()
    yield names.NODE_LOG_GROUP, _log_group(plan, "/aws/pcs/${Cluster.Id}/lifecycle")


def _log_group(plan: Plan, name: str) -> Json:
    return group(plan, cfn.sub(name), "RetainExceptOnCreate")


def _delivery(plan: Plan, stem: str, type: str) -> Json:
    logged, source, destination = f"{stem}LogGroup", f"{stem}LogSource", f"{stem}LogDestination"
    cluster_id = f"${{{names.CLUSTER}.Id}}"
    return {
        # Resource policies for services have limited size; log groups with this prefix need no
        # entry.
        # https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-and-resource-policy.html
        logged: _log_group(plan, f"/aws/vendedlogs/pcs/cluster/{type}/{cluster_id}"),
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
            DestinationResourceArn=cfn.get_att(logged, "Arn"),
        ),
        f"{stem}LogDelivery": _resource(
            plan,
            "AWS::Logs::Delivery",
            DeliverySourceName=cfn.ref(source),
            DeliveryDestinationArn=cfn.get_att(destination, "Arn"),
        ),
    }


def _resource(plan: Plan, type: str, **properties: object) -> Json:
    return {"Type": type, "Properties": {**properties, **filled(Tags=cfn.tags(plan.tags))}}
