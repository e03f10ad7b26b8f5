"""Runbook entries that both HyperPod targets share."""

from __future__ import annotations

from typing import Final

from clustergen.plan.model import Plan
from clustergen.runbook import WAIT

LOGS: Final = (
    "CloudWatch has `/aws/sagemaker/Clusters/NAME/ID`, with a stream "
    "`LifecycleConfig/GROUP/INSTANCE-ID` for the scripts of each node"
)
PAUSE: Final = (
    "`./deploy.sh --pause` sets the worker groups to zero instances, and `--resume` restores "
    "them. {rest} and storage continue to cost money, and so does a training plan. Local data "
    "on the "
    "nodes is lost"
)
WAITS: Final = (
    "the foundation takes up to 40 minutes with file systems, the cluster 10 to 30, and deep "
    f"health checks up to 90 more; `deploy.sh` waits up to three hours for the cluster. {WAIT}"
)


def events(plan: Plan) -> str:
    """The command that lists events of the cluster's nodes."""
    return f"`aws sagemaker list-cluster-events --region {plan.region} --cluster-name {plan.name}`"
