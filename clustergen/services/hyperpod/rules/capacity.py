"""Training plans."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.rules import rule

_PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/p5en-fortnight"


@rule(
    "CAP301",
    "Instance type that no training plan reserves",
    why="Training plans are for large accelerated instances.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_ReservedCapacityOffering.html",
    bad=f"""node_groups:
  - {{name: h200, instance_type: g6e.48xlarge, capacity: {{training_plan: "{_PLAN}"}}}}""",
    good=f"""node_groups:
  - {{name: h200, instance_type: p5en.48xlarge, capacity: {{training_plan: "{_PLAN}"}}}}""",
)
def reserved_type(plan: Plan) -> Iterator[Problem]:
    for group in _planned(plan):
        for type in group.types:
            if not type.training_plan and type.hyperpod:
                yield Problem(
                    group.at("capacity", "training_plan"),
                    f"no training plan reserves {type.name}",
                    help="write capacity: on-demand",
                    fix=unsafe(put(group.at("capacity"), "on-demand")),
                )


@rule(
    "CAP302",
    "Not a training plan of this region",
    why="The instances of a training plan are in its region.",
    source=f"{limits.INSTANCE_GROUP}#sagemaker-Type-ClusterInstanceGroupSpecification-TrainingPlanArn",
    bad="node_groups: [{name: h200, capacity: "
    "{training_plan: 'arn:aws:sagemaker:us-west-2:111122223333:training-plan/p5en-fortnight'}}]",
    good=f"node_groups: [{{name: h200, capacity: {{training_plan: '{_PLAN}'}}}}]",
)
def plan_arn(plan: Plan) -> Iterator[Problem]:
    for group in _planned(plan):
        if (region := (group.capacity.id or "").split(":")[3]) != plan.region:
            yield Problem(
                group.at("capacity", "training_plan"),
                f"the training plan is in {region}, the cluster in {plan.region}",
                help=f"write region: {region}, or the ARN of a plan in {plan.region}",
            )


def _planned(plan: Plan) -> Iterator[NodeGroup]:
    return (group for group in plan.node_groups if group.capacity.kind == "training-plan")
