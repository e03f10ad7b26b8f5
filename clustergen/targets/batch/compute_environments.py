"""Compute environments: one for each node group.

They have no name: CloudFormation could not replace one with a fixed name. They have no tags either,
because a change of them is a replacement; the launch template has those of instances.
"""

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.aws import cfn
from clustergen.services.aws.launch_templates import placement_group
from clustergen.services.aws.members import filled, present
from clustergen.targets.batch import (
    images,
    launch_template,
    limits,
    names,
    nodes,
    roles,
    strategies,
)


def resource(plan: Plan, group: NodeGroup) -> Json:
    insights = plan.monitoring.metrics == "cloudwatch"
    properties = {
        "Type": "MANAGED",
        "State": "ENABLED",
        # Otherwise most changes replace it with all its nodes at once.
        "ReplaceComputeEnvironment": False,
        "UpdatePolicy": {
            "TerminateJobsOnUpdate": False,
            "JobExecutionTimeoutMinutes": update_minutes(plan, group),
        },
        "ComputeResources": _resources(plan, group),
        **({"EcsSettings": {"ContainerInsights": "ENABLED"}} if insights else {}),
    }
    return {"Type": "AWS::Batch::ComputeEnvironment", "Properties": properties}


def update_minutes(plan: Plan, group: NodeGroup) -> int:
    """How long jobs may go on when an update replaces nodes: as long as they can run."""
    times = [queue.time_limit for queue in plan.queues if group in queue.node_groups]
    longest = limits.UPDATE_MINUTES[1]
    if not times or None in times:
        return longest
    return min(longest, max(-(-(time or 0) // 60) for time in times) or 1)


def idle_minutes(plan: Plan) -> int | None:
    """How long idle nodes stay; None if the spec has no time, or one that Batch does not have."""
    shortest, longest = limits.IDLE_MINUTES
    minutes = -(-(plan.slurm.idle_timeout or 0) // 60)
    written = plan.wrote("slurm", "idle_timeout")
    return minutes if written and shortest <= minutes <= longest else None


def _resources(plan: Plan, group: NodeGroup) -> Json:
    minutes = idle_minutes(plan)
    return {
        "Type": "SPOT" if group.capacity.kind == "spot" else "EC2",
        "AllocationStrategy": strategies.strategy(group),
        "MinvCpus": nodes.least_vcpus(group),
        "MaxvCpus": nodes.most_vcpus(group),
        "InstanceTypes": [type.name for type in group.types],
        "Subnets": [cfn.value(subnet.id) for subnet in plan.subnets_of(group)],
        **_security_groups(plan, group),
        "InstanceRole": roles.profile(group),
        **present(PlacementGroup=placement_group(group, names.placement_group(group))),
        "Ec2Configuration": [images.configuration(group)],
        "LaunchTemplate": {
            "LaunchTemplateId": cfn.ref(names.launch_template(group)),
            # Batch resolves $Latest once; a number is a change that it notices.
            "Version": cfn.get_att(names.launch_template(group), "LatestVersionNumber"),
        },
        **({"ScalingPolicy": {"MinScaleDownDelayMinutes": minutes}} if minutes else {}),
        **filled(Tags=dict(group.labels)),
    }


def _security_groups(plan: Plan, group: NodeGroup) -> Json:
    if launch_template.has_interfaces(group):
        return {}
    return {"SecurityGroupIds": launch_template.security_groups(plan, group)}
