"""What the account has under the names of a plan: stacks and clusters."""

from typing import Final

from clustergen.base.account import Answer
from clustergen.checking.preflight.case import Case
from clustergen.plan.model import Plan
from clustergen.services.foundation import deployment

STACKS: Final = "cloudformation:DescribeStacks"
HYPERPOD: Final = "sagemaker:DescribeCluster"
DEPLOYED: Final = (STACKS, HYPERPOD)
"""The calls of :func:`is_deployed`."""


def stack(case: Case, name: str) -> Answer | None:
    answer = case.find(STACKS, StackName=name)
    stacks = answer.get("Stacks", ()) if answer else ()
    return next((each for each in stacks if each["StackStatus"] != "DELETE_COMPLETE"), None)


def cluster_stacks(plan: Plan) -> list[str]:
    """The names of the stacks that are the cluster."""
    if plan.target == "parallelcluster":
        return [plan.name]
    others = ("foundation", "monitoring")
    return [each.name for role, each in deployment.stacks(plan).items() if role not in others]


def existing_hyperpod(plan: Plan) -> str:
    """The existing HyperPod cluster to which instance groups are added; empty for a new one."""
    return plan.existing.cluster if plan.sagemaker else ""


def existing_groups(case: Case) -> list[str]:
    """Instance groups that an existing HyperPod cluster has under names of the plan."""
    found = case.find(HYPERPOD, ClusterName=existing_hyperpod(case.plan)) or {}
    there = {group["InstanceGroupName"] for group in found.get("InstanceGroups", ())}
    return [group.name for group in case.plan.node_groups if group.name in there]


def is_deployed(case: Case) -> bool:
    """Whether the cluster runs already, so that its own nodes use addresses and reservations."""
    if existing_hyperpod(case.plan):
        return bool(existing_groups(case))
    if case.plan.sagemaker:
        return case.find(HYPERPOD, ClusterName=case.plan.name) is not None
    return any(stack(case, name) is not None for name in cluster_stacks(case.plan))
