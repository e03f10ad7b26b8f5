"""When node groups get and lose their nodes, besides what PCS does for Capacity Blocks.

PCS keeps the nodes of a block in maintenance until it starts, and does nothing before it ends:
https://docs.aws.amazon.com/pcs/latest/userguide/capacity-blocks-faq.html (2026-11)
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from clustergen.base.artifacts import Artifact, Json
from clustergen.base.text_lists import words
from clustergen.deployment.kinds import Size
from clustergen.deployment.model import Source
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.sizes import kept_by_slurm, waits
from clustergen.plan.timetable import timetables
from clustergen.services import foundation, schedules
from clustergen.services.aws import cfn, iam
from clustergen.services.foundation import access
from clustergen.services.schedules import Call


def files(plan: Plan) -> Iterator[Artifact]:
    roles = _roles(plan)
    passed = [cfn.ref(name) for name in roles] or _ANY_NODE_ROLE
    outputs = {"ClusterId": "Id of the cluster", **roles}
    yield from schedules.files(plan, list(_calls(plan)), _statements(passed), outputs)


def sources(plan: Plan) -> dict[str, Source]:
    """Of the parameters of the template that are no outputs of the foundation."""
    return {"ClusterId": Source(output="ClusterId"), **schedules.sources(_calls(plan))}


def sizes(plan: Plan) -> dict[str, Size]:
    """Of groups with dates: the minimum before the start, and the maximum."""
    dated = (each.group for each in timetables(plan))
    return {group.name: Size(kept_by_slurm(group), group.max) for group in dated}


def _calls(plan: Plan) -> Iterator[Call]:
    for times in timetables(plan):
        group = times.group
        if waits(group) and times.launches:
            yield _size(group, times.launches, group.max)
        if times.stops:
            yield _size(group, times.stops, 0)


def _size(group: NodeGroup, at: datetime, size: int) -> Call:
    given = {
        # The role may change the cluster with this id: a name could be another resource to IAM.
        "ClusterIdentifier": "${ClusterId}",
        "ComputeNodeGroupIdentifier": group.name,
        "ScalingConfiguration": {"MinInstanceCount": size, "MaxInstanceCount": size},
    }
    what = "starts" if size else "stops"
    return Call(f"{group.name} {what}", at, "pcs", "updateComputeNodeGroup", given)


def _roles(plan: Plan) -> Mapping[str, str]:
    """The outputs with the roles of the groups, and what they are; none if others made one."""
    known = foundation.outputs(plan)
    found = [access.pcs_role_output(times.group) for times in timetables(plan)]
    own = all(name in known for name in found) and "IamInstanceProfileArn" not in str(plan.overlay)
    return {name: known[name] for name in dict.fromkeys(found)} if own else {}


# What the caller of UpdateComputeNodeGroup needs, and the names that roles of nodes have:
# https://docs.aws.amazon.com/pcs/latest/userguide/security-min-permissions.html (2026-11)
_READ = words("""
    DescribeVpcs DescribeSubnets DescribeSecurityGroups DescribeLaunchTemplates
    DescribeLaunchTemplateVersions DescribeInstanceTypes DescribeInstanceTypeOfferings
    DescribeCapacityReservations DescribeCapacityBlocks DescribeCapacityBlockStatus
""")
# What a start names is in the region: images have no account, reservations may be in groups.
_USED = [
    cfn.sub("arn:${AWS::Partition}:ec2:${AWS::Region}:*:*/*"),
    cfn.sub("arn:${AWS::Partition}:resource-groups:${AWS::Region}:${AWS::AccountId}:group/*"),
]
_ACCOUNT = "arn:${AWS::Partition}:iam::${AWS::AccountId}"
_ANY_NODE_ROLE = [
    cfn.sub(f"{_ACCOUNT}:role/{name}")
    for name in ("AWSPCS*", "*/AWSPCS*", "aws-pcs/*", "*/aws-pcs/*")
]


def _statements(roles: Iterable[Json]) -> Iterator[Json]:
    """Without a role to pass, an instance that is started is no way to more permissions."""
    cluster = "arn:${AWS::Partition}:pcs:${AWS::Region}:${AWS::AccountId}:cluster/${ClusterId}"
    own = [cfn.sub(cluster), cfn.sub(f"{cluster}/*")]
    yield iam.allow("Sizes", ["pcs:UpdateComputeNodeGroup"], own)
    yield iam.allow("Reads", iam.actions("ec2", *_READ), ["*"])
    yield iam.allow("Launches", ["ec2:RunInstances", "ec2:CreateFleet"], _USED)
    # The same as for PCS's own role.
    # https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSPCSServiceRolePolicy.html
    creating = words("RunInstances CreateLaunchTemplate CreateFleet CreateNetworkInterface")
    while_created = iam.equal({"ec2:CreateAction": list(creating)})
    yield iam.allow("Tags", ["ec2:CreateTags"], ["*"], while_created)
    profile = [cfn.sub(f"{_ACCOUNT}:instance-profile/*")]
    yield iam.allow("Profiles", ["iam:GetInstanceProfile"], profile)
    to_ec2 = iam.equal({"iam:PassedToService": cfn.sub("ec2.${AWS::URLSuffix}")})
    yield iam.allow("Roles", ["iam:PassRole"], roles, to_ec2)
