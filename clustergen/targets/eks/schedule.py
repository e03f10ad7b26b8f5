"""When managed node groups get and lose their nodes.

Karpenter watches reservations itself. EKS empties the group of a Capacity Block at the same time as
the call here: https://docs.aws.amazon.com/eks/latest/userguide/capacity-blocks-mng.html
"""

from collections.abc import Iterator
from datetime import datetime

from clustergen.base.artifacts import Artifact
from clustergen.deployment.model import Source
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.timetable import Timetable, timetables
from clustergen.services import schedules
from clustergen.services.aws import cfn, iam
from clustergen.services.kubernetes import karpenter
from clustergen.services.schedules import Call


def files(plan: Plan) -> Iterator[Artifact]:
    groups = [times.group.name for times in _managed(plan)]
    arn = "arn:${AWS::Partition}:eks:${AWS::Region}:${AWS::AccountId}:nodegroup"
    arns = [cfn.sub(f"{arn}/{plan.cluster_name}/{name}/*") for name in groups]
    role = [iam.allow("Sizes", ["eks:UpdateNodegroupConfig"], arns)]
    yield from schedules.files(plan, _calls(plan), role, {})


def sources(plan: Plan) -> dict[str, Source]:
    """Of the parameters of the template."""
    return schedules.sources(_calls(plan))


def _managed(plan: Plan) -> list[Timetable]:
    return [t for t in timetables(plan) if not karpenter.is_karpenter(plan, t.group)]


def _calls(plan: Plan) -> list[Call]:
    return [
        _size(plan, times.group, at, size)
        for times in _managed(plan)
        for at, size in ((times.launches, times.group.max), (times.stops, 0))
        if at
    ]


def _size(plan: Plan, group: NodeGroup, at: datetime, size: int) -> Call:
    # EKS keeps the bounds that a call does not name.
    sizes = {"DesiredSize": size} if size else {"MinSize": 0, "DesiredSize": 0}
    names = {"ClusterName": plan.cluster_name, "NodegroupName": group.name}
    what = "starts" if size else "stops"
    return Call(
        f"{group.name} {what}",
        at,
        "eks",
        "updateNodegroupConfig",
        {**names, "ScalingConfig": sizes},
    )
