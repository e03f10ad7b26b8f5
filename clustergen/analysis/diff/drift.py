"""What was changed outside the stacks of a cluster, as CloudFormation detects it.

A deployment does not undo it: CloudFormation compares templates with each other.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/using-cfn-stack-drift.html
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from clustergen.base.artifacts import Json

_POLL_SECONDS: Final = 5
_POLLS: Final = 120
_FOUND: Final = ("MODIFIED", "DELETED")

Ask = Callable[..., Json | None]
"""Makes a call; None if the resource does not exist."""


class Drifted(NamedTuple):
    """A resource, or one of its properties, that differs from the template of its stack."""

    stack: str
    resource: str
    type: str
    property: str
    """Dotted; empty if the resource was deleted."""
    expected: str
    actual: str


class Drift(NamedTuple):
    """What was found, and what could not be looked at."""

    found: tuple[Drifted, ...] = ()
    unread: tuple[str, ...] = ()


def of(stack: str, ask: Ask, wait: Callable[[float], None]) -> Drift:
    """The drift of a stack; of a stack that does not exist, none."""
    started = ask("cloudformation:DetectStackDrift", StackName=stack)
    if started is None:
        return Drift()
    status = _finished(started["StackDriftDetectionId"], ask, wait)
    unread: tuple[str, ...] = ()
    if status["DetectionStatus"] != "DETECTION_COMPLETE":
        # There are results for the resources that CloudFormation could read.
        unread = (f"{stack}: {status.get('DetectionStatusReason') or 'not all resources'}",)
    return Drift(tuple(_drifted(stack, ask)), unread)


def _finished(id: str, ask: Ask, wait: Callable[[float], None]) -> Json:
    status: Json = {}
    for _ in range(_POLLS):
        call = "cloudformation:DescribeStackDriftDetectionStatus"
        status = ask(call, StackDriftDetectionId=id) or {}
        if status.get("DetectionStatus") != "DETECTION_IN_PROGRESS":
            break
        wait(_POLL_SECONDS)
    return {"DetectionStatus": "DETECTION_FAILED", **status}


def _drifted(stack: str, ask: Ask) -> Iterator[Drifted]:
    more: dict[str, Any] = {}
    while True:
        page = ask(
            "cloudformation:DescribeStackResourceDrifts",
            StackName=stack,
            StackResourceDriftStatusFilters=list(_FOUND),
            **more,
        )
        for each in (page or {}).get("StackResourceDrifts", ()):
            yield from _of_resource(stack, each)
        if not page or not page.get("NextToken"):
            return
        more = {"NextToken": page["NextToken"]}


def _of_resource(stack: str, found: Json) -> Iterator[Drifted]:
    resource = stack, found["LogicalResourceId"], found["ResourceType"]
    if found["StackResourceDriftStatus"] == "DELETED":
        yield Drifted(*resource, "", "", "")
    for each in found.get("PropertyDifferences", ()):
        path = each["PropertyPath"].strip("/").replace("/", ".")
        yield Drifted(*resource, path, each["ExpectedValue"], each["ActualValue"])
