"""When node groups get and lose their nodes, besides what PCS does for Capacity Blocks.

PCS keeps the nodes of a block in maintenance until it starts, and does nothing before it ends:
https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-faq.html (2026-11)
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from clustergen import schedules
from clustergen.artifacts import Artifact, Json
from clustergen.aws import cfn, iam
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.timetable import phases, timetables
from clustergen.schedules import Call
from clustergen.slurm import timetable
from clustergen.targets.pcs import pcs_cluster


def files(plan: Plan) -> Iterator[Artifact]:
    """The template of the schedules."""
    yield from schedules.files(plan, _calls(plan), _statements(), {})


def values(plan: Plan) -> dict[str, Any]:
    """Values for deploy.sh."""
    dated = (each.group for each in timetables(plan))
    sizes = ((each.name, str(timetable.least_nodes(each)), str(each.max)) for each in dated)
    return {
        **schedules.values(plan, _calls(plan), (), phases(plan)),
        "dated": [word for size in sizes for word in size],
    }


def _calls(plan: Plan) -> list[Call]:
    return list(_each(plan))


def _each(plan: Plan) -> Iterator[Call]:
    for times in timetables(plan):
        group = times.group
        if timetable.waits(group) and times.launches:
            yield _size(plan, group, times.launches, group.max)
        if times.stops:
            yield _size(plan, group, times.stops, 0)


def _size(plan: Plan, group: NodeGroup, at: datetime, size: int) -> Call:
    given = {
        "ClusterIdentifier": plan.name if plan.creates_cluster else pcs_cluster.id(plan),
        "ComputeNodeGroupIdentifier": group.name,
        "ScalingConfiguration": {"MinInstanceCount": size, "MaxInstanceCount": size},
    }
    what = "starts" if size else "stops"
    return Call(f"{group.name} {what}", at, "pcs", "updateComputeNodeGroup", given)


# What the caller of UpdateComputeNodeGroup needs:
# https://docs.aws.amazon.com/pcs/latest/userguide/security-min-permissions.html (2026-11)
_EC2 = (
    *("DescribeVpcs", "DescribeSubnets", "DescribeSecurityGroups", "DescribeLaunchTemplates"),
    *("DescribeLaunchTemplateVersions", "DescribeInstanceTypes", "DescribeInstanceTypeOfferings"),
    *("DescribeCapacityReservations", "RunInstances", "CreateFleet", "CreateTags"),
)


def _statements() -> Iterator[Json]:
    cluster = "arn:${AWS::Partition}:pcs:${AWS::Region}:${AWS::AccountId}:cluster/*"
    yield iam.allow("Sizes", ["pcs:UpdateComputeNodeGroup"], [cfn.sub(cluster)])
    yield iam.allow("Launches", iam.actions("ec2", *_EC2), ["*"])
    account = "arn:${AWS::Partition}:iam::${AWS::AccountId}"
    profile = [cfn.sub(f"{account}:instance-profile/*")]
    yield iam.allow("Profiles", ["iam:GetInstanceProfile"], profile)
    to_ec2 = iam.equal({"iam:PassedToService": cfn.sub("ec2.${AWS::URLSuffix}")})
    yield iam.allow("Roles", ["iam:PassRole"], [cfn.sub(f"{account}:role/*")], to_ec2)
