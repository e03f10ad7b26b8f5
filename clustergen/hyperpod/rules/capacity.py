"""Instance types and training plans."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.catalog import InstanceType
from clustergen.findings import Finding, Path, Rule
from clustergen.hyperpod import limits, names
from clustergen.plan.model import NodeGroup, Plan

_PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/p5en-fortnight"

TYPE = Rule(
    code="CAP300",
    title="Instance type that HyperPod lacks",
    why="HyperPod knows instance types by names of its own, such as ml.p5en.48xlarge, and not all "
    "types of EC2 have one.",
    source=f"{limits.INSTANCE_GROUP}#sagemaker-Type-ClusterInstanceGroupSpecification-InstanceType",
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, instance_type: c7i.8xlarge}]",
    good="node_groups: [{name: h200, instance_type: c6i.8xlarge}]",
)
PLANNED_TYPE = Rule(
    code="CAP301",
    title="Instance type that no training plan reserves",
    why="Training plans are for large accelerated instances.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ReservedCapacityOffering.html",
    target="hyperpod-slurm",
    bad=f"""node_groups:
  - {{name: h200, instance_type: g6e.48xlarge, capacity: {{training_plan: "{_PLAN}"}}}}""",
    good=f"""node_groups:
  - {{name: h200, instance_type: p5en.48xlarge, capacity: {{training_plan: "{_PLAN}"}}}}""",
)
PLAN_ARN = Rule(
    code="CAP302",
    title="Not a training plan of this region",
    why="A group takes the ARN of a training plan, whose instances are in the plan's own region.",
    source=f"{limits.INSTANCE_GROUP}#sagemaker-Type-ClusterInstanceGroupSpecification-TrainingPlanArn",
    target="hyperpod-slurm",
    bad="node_groups: [{name: h200, capacity: "
    "{training_plan: 'arn:aws:sagemaker:us-west-2:111122223333:training-plan/p5en-fortnight'}}]",
    good=f"node_groups: [{{name: h200, capacity: {{training_plan: '{_PLAN}'}}}}]",
)
PLAN_TYPES = Rule(
    code="CAP303",
    title="A training plan is for one instance type",
    why="The other types of the group could never start.",
    source=limits.TRAINING_PLANS,
    target="hyperpod-slurm",
    bad=f"""node_groups:
  - name: h200
    instance_type: null
    instance_types: [p5en.48xlarge, p6-b200.48xlarge]
    efa: false
    capacity: {{training_plan: "{_PLAN}"}}""",
    good=f"""node_groups:
  - {{name: h200, capacity: {{training_plan: "{_PLAN}"}}}}""",
)
RULES = (TYPE, PLANNED_TYPE, PLAN_ARN, PLAN_TYPES)

# The support table has already said that HyperPod lacks the whole family.
_SAID = ("inf", "hpc")


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    for path, type in types(plan):
        if type.hyperpod is None and not type.family.startswith(_SAID):
            yield TYPE.at(path, f"HyperPod has no {type.name}", help=names.alternatives(type))
    for group in plan.node_groups:
        if group.capacity.kind == "training-plan":
            yield from _planned(plan, group)


def types(plan: Plan) -> Iterator[tuple[Path, InstanceType]]:
    """Every instance type of the cluster, and where the spec says it."""
    for machine in (plan.head, plan.login):
        if machine:
            yield (*machine.path, "instance_type"), machine.type
    for group in plan.node_groups:
        several = plan.wrote(*group.at("instance_types"))
        for index, type in enumerate(group.types):
            yield group.at("instance_types", index) if several else group.at("instance_type"), type


def _planned(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    for type in group.types:
        if not type.training_plan and type.hyperpod:
            yield PLANNED_TYPE.at(
                group.at("capacity", "training_plan"),
                f"no training plan reserves {type.name}",
                help="write capacity: on-demand",
            )
    if len(group.types) > 1:
        yield PLAN_TYPES.at(
            group.at("instance_types"),
            f"{group.name} has {len(group.types)} types and a training plan",
            help=f"write instance_type: {group.type.name}",
        )
    yield from _arn(plan, group)


def _arn(plan: Plan, group: NodeGroup) -> Iterator[Finding]:
    arn = group.capacity.id or ""
    path = group.at("capacity", "training_plan")
    start = f"arn:{plan.partition}:sagemaker:{plan.region}:ACCOUNT:training-plan/NAME"
    if not re.fullmatch(limits.TRAINING_PLAN, arn):
        yield PLAN_ARN.at(path, f"{arn} is not the ARN of a training plan", help=f"write {start}")
    elif (region := arn.split(":")[3]) != plan.region:
        yield PLAN_ARN.at(
            path,
            f"the training plan is in {region}, the cluster in {plan.region}",
            help=f"write region: {region}, or a plan of {plan.region}",
        )
