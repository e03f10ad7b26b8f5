"""What CloudFormation knows of stacks: questions, which change nothing."""

from collections.abc import Mapping
from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment.run import Outputs
from clustergen.deployment.world import World

STACK_MINUTES: Final = 360
UNUSED: Final = ("", "REVIEW_IN_PROGRESS", "ROLLBACK_COMPLETE")
"""The status of a stack without resources."""


def describe(world: World, name: str) -> Json | None:
    """A stack as CloudFormation shows it; None if it does not exist."""
    found: Json | None = world.need("cloudformation:DescribeStacks", "Stacks.0", StackName=name)
    return found


def status(world: World, name: str) -> str:
    """Empty if the stack does not exist."""
    path = "Stacks.0.StackStatus"
    return world.need("cloudformation:DescribeStacks", path, StackName=name) or ""


def outputs(world: World, name: str) -> Outputs:
    """Nothing if the stack does not exist."""
    found = describe(world, name) or {}
    return {each["OutputKey"]: each["OutputValue"] for each in found.get("Outputs") or ()}


def parameters(world: World, name: str) -> Mapping[str, str]:
    """The values of its parameters, public parameters resolved; nothing without the stack."""
    found = describe(world, name) or {}
    return {
        each["ParameterKey"]: each.get("ResolvedValue") or each.get("ParameterValue", "")
        for each in found.get("Parameters") or ()
    }


def resources(world: World, name: str) -> list[Json]:
    """The resources of a stack, those that it has deleted left out; none without the stack."""
    call, member = "cloudformation:ListStackResources", "StackResourceSummaries"
    found = world.ask_all(call, member, StackName=name) or []
    return [each for each in found if each.get("ResourceStatus") != "DELETE_COMPLETE"]


def made(world: World, name: str, type: str) -> list[str]:
    """The ids of the resources of a type that a stack has: the end of an ARN or of a path."""
    found = resources(world, name)
    ids = (each.get("PhysicalResourceId") for each in found if each["ResourceType"] == type)
    return [id.replace("|", "/").rpartition("/")[2] for id in ids if id]


def deployed_template(world: World, name: str) -> Json | str | None:
    """The template as it was deployed: text if it is not JSON; None if the stack has nothing."""
    if status(world, name) in UNUSED:
        return None
    names = {"StackName": name, "TemplateStage": "Original"}
    body: Json | str | None = world.need("cloudformation:GetTemplate", "TemplateBody", **names)
    return body


def is_usable(world: World, name: str) -> bool:
    """Whether a stack is there, and can be updated."""
    found = status(world, name)
    return found.endswith("_COMPLETE") and found not in ("ROLLBACK_COMPLETE", "DELETE_COMPLETE")


def settled_status(world: World, name: str, idle: str = "REVIEW_IN_PROGRESS") -> str:
    """The status of a stack once no operation runs; in an ``idle`` one, none does."""

    def runs(found: str) -> bool:
        return found.endswith("_IN_PROGRESS") and found != idle

    return world.settled(STACK_MINUTES, f"the stack {name}", lambda: status(world, name), runs)


def explain(world: World, name: str) -> None:
    """Say why the latest operation failed, without resources that were only cancelled."""
    world.screen.note(f"CloudFormation reports for {name}:")
    # The latest page: events of earlier operations are on others.
    answer = world.ask("cloudformation:DescribeStackEvents", StackName=name) or {}
    failed = (
        (each.get("LogicalResourceId"), each.get("ResourceStatusReason"))
        for each in answer.get("StackEvents", ())
        if each.get("ResourceStatus", "").endswith("_FAILED")
    )
    told = [f"{id}\t{why}" for id, why in failed if why and "cancelled" not in why]
    for line in told[:10]:
        world.screen.note(line)
