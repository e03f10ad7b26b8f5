"""The stack of what happens at certain times: sizes of node groups when capacity starts and ends.

EventBridge Scheduler calls the service. AWS rejects a schedule in the past, so `deploy.sh` reads
the clock, leaves it out and makes the call itself.
https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html (2026-11)
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from clustergen.base.artifacts import Artifact, Json
from clustergen.deployment.model import Period, Source
from clustergen.plan import timetable
from clustergen.plan.model import Plan
from clustergen.plan.timetable import Phase
from clustergen.services.aws import cfn, iam, marks
from clustergen.services.aws.members import filled

PATH: Final = "schedule.template.json"
_GROUP: Final = "ScheduleGroup"
_ROLE: Final = "ScheduleRole"
RETRY_SECONDS: Final = 1800
"""A service rejects a change while another one runs; half an hour later, it would be too late."""
MAX_RETRIES: Final = (86400, 185)
"""The most seconds and attempts.
https://docs.aws.amazon.com/scheduler/latest/APIReference/API_RetryPolicy.html (2026-11)
"""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of AWS at a time. ``name`` is unique; the keys of ``input`` begin with capitals."""

    name: str
    at: datetime
    service: str
    operation: str
    input: Mapping[str, Any]
    """Values may have ``${Parameter}`` in them."""
    retry_seconds: int = RETRY_SECONDS

    @property
    def id(self) -> str:
        # Others than before the group: CloudFormation cannot move a schedule to another group.
        return cfn.logical_id("call", self.name)

    @property
    def parameter(self) -> str:
        """The parameter that says whether its time is still ahead."""
        return f"{self.id}IsAhead"


def name(plan: Plan) -> str:
    """The name of the stack: a cluster that moves has one for each target."""
    return plan.stack(what(plan))


def what(plan: Plan) -> str:
    """The last word of its name."""
    return f"{plan.target}-schedule"


def files(
    plan: Plan, calls: Sequence[Call], role: Iterable[Json], outputs: Mapping[str, str]
) -> Iterator[Artifact]:
    """The template; nothing without calls. ``role`` are the statements of the role, ``outputs``
    those of other stacks, with descriptions, that calls name."""
    if calls:
        yield marks.artifact(PATH, _template(plan, calls, role, outputs), plan)


def sources(calls: Iterable[Call]) -> dict[str, Source]:
    """Of the parameters that say whether times are ahead."""
    return {call.parameter: Source(ahead=int(call.at.timestamp())) for call in calls}


def periods(phases: Iterable[Phase]) -> dict[str, Period]:
    """When the nodes of each group run."""
    return {
        group: Period(int(timetable.seconds(launch)), int(timetable.seconds(stop)))
        for group, launch, stop in phases
    }


def _template(
    plan: Plan, calls: Sequence[Call], role: Iterable[Json], outputs: Mapping[str, str]
) -> Json:
    ahead = {
        call.parameter: cfn.text(
            f"Whether {call.at:%Y-%m-%d %H:%M} UTC is still ahead",
            AllowedValues=["yes", "no"],
            Default="yes",
        )
        for call in calls
    }
    return cfn.template(
        marks.descriptions(plan)[what(plan)],
        {
            _GROUP: _group(plan),
            _ROLE: _role(plan, role),
            **{call.id: _schedule(plan, call, outputs) for call in calls},
        },
        parameters={**{name: cfn.text(why) for name, why in outputs.items()}, **ahead},
        conditions={call.id: {"Fn::Equals": [cfn.ref(call.parameter), "yes"]} for call in calls},
    )


def _group(plan: Plan) -> Json:
    """The group of the schedules; a stack that follows another has another name for its group."""
    stack = {"Fn::Select": [2, {"Fn::Split": ["/", cfn.ref("AWS::StackId")]}]}
    unique = {"Fn::Select": [0, {"Fn::Split": ["-", stack]}]}
    name = cfn.sub(f"{plan.name[:40]}-${{Unique}}", Unique=unique)
    properties = {"Name": name, **filled(Tags=cfn.tags(plan.tags))}
    return cfn.resource("AWS::Scheduler::ScheduleGroup", properties)


def _role(plan: Plan, statements: Iterable[Json]) -> Json:
    """Only schedules of this group use it: to pass it to another schedule gives no permissions.

    https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
    """
    group = {"aws:SourceArn": cfn.get_att(_GROUP, "Arn")}
    own = iam.equal({"aws:SourceAccount": cfn.ref("AWS::AccountId"), **group})
    properties = {
        "AssumeRolePolicyDocument": iam.trust("scheduler", condition=own),
        "Policies": [{"PolicyName": "schedule", "PolicyDocument": iam.document(statements)}],
        **filled(Tags=cfn.tags(plan.tags)),
    }
    return iam.role(plan, properties)


def _schedule(plan: Plan, call: Call, outputs: Iterable[str]) -> Json:
    text = json.dumps(call.input)
    refers = any(f"${{{name}}}" in text for name in outputs)
    _, retries = MAX_RETRIES
    target = f"arn:${{AWS::Partition}}:scheduler:::aws-sdk:{call.service}:{call.operation}"
    properties = {
        "Description": f"{plan.name}: {call.name}",
        "GroupName": cfn.ref(_GROUP),
        "ScheduleExpression": f"at({call.at:%Y-%m-%dT%H:%M:%S})",
        "ScheduleExpressionTimezone": "UTC",
        "FlexibleTimeWindow": {"Mode": "OFF"},
        "Target": {
            "Arn": cfn.sub(target),
            "RoleArn": cfn.get_att(_ROLE, "Arn"),
            "Input": cfn.sub(text) if refers else text,
            "RetryPolicy": {
                "MaximumEventAgeInSeconds": call.retry_seconds,
                "MaximumRetryAttempts": 30 if call.retry_seconds <= RETRY_SECONDS else retries,
            },
        },
    }
    return {"Type": "AWS::Scheduler::Schedule", "Condition": call.id, "Properties": properties}
