"""The stack of what happens at certain times: sizes of node groups when capacity starts and ends.

EventBridge Scheduler calls the service. AWS rejects a schedule in the past, so `deploy.sh` reads
the clock, leaves it out and makes the call itself.
https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html (2026-11)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from clustergen.artifacts import Artifact, Json, json_artifact
from clustergen.aws import cfn, iam
from clustergen.plan import timetable
from clustergen.plan.model import Plan
from clustergen.plan.timetable import Phase

PATH: Final = "schedule.template.json"
_ROLE: Final = "ScheduleRole"
_RETRY: Final = {"MaximumEventAgeInSeconds": 1800, "MaximumRetryAttempts": 30}
"""A service rejects a change while another one runs; half an hour later, it would be too late."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of AWS at a time. ``name`` is unique; the keys of ``input`` begin with capitals."""

    name: str
    at: datetime
    service: str
    operation: str
    input: Mapping[str, Any]
    """Values may have ``${Parameter}`` in them."""

    @property
    def id(self) -> str:
        return cfn.logical_id("schedule", self.name)

    @property
    def parameter(self) -> str:
        """The parameter that says whether its time is still ahead."""
        return f"{self.id}IsAhead"


def name(plan: Plan) -> str:
    """The name of the stack: a cluster that moves has one for each target."""
    return plan.stack(f"{plan.target}-schedule")


def files(
    plan: Plan, calls: Sequence[Call], role: Iterable[Json], outputs: Mapping[str, str]
) -> Iterator[Artifact]:
    """The template; nothing without calls. ``role`` are the statements of the role, ``outputs``
    those of other stacks, with descriptions, that calls name."""
    if calls:
        yield json_artifact(PATH, _template(plan, calls, role, outputs))


def values(
    plan: Plan, calls: Sequence[Call], outputs: Iterable[str], phases: Iterable[Phase]
) -> dict[str, Any]:
    """Values of ``shared/schedules.sh.j2``; ``phases`` say when each group runs."""
    return {
        "schedules": [
            word for call in calls for word in (call.parameter, timetable.seconds(call.at))
        ],
        "schedule_stack": name(plan),
        "schedule_outputs": list(outputs),
        "phases": timetable.words(phases),
    }


def _template(
    plan: Plan, calls: Sequence[Call], role: Iterable[Json], outputs: Mapping[str, str]
) -> Json:
    ahead = {
        call.parameter: {
            "Type": "String",
            "AllowedValues": ["yes", "no"],
            "Default": "yes",
            "Description": f"Whether {call.at:%Y-%m-%d %H:%M} UTC is still ahead",
        }
        for call in calls
    }
    return {
        "AWSTemplateFormatVersion": cfn.FORMAT_VERSION,
        "Description": f"When capacity of {plan.name} starts and ends",
        "Parameters": {
            **{
                name: {"Type": "String", "Description": description}
                for name, description in outputs.items()
            },
            **ahead,
        },
        "Conditions": {call.id: {"Fn::Equals": [cfn.ref(call.parameter), "yes"]} for call in calls},
        "Resources": {
            _ROLE: _role(plan, role),
            **{call.id: _schedule(plan, call, outputs) for call in calls},
        },
    }


def _role(plan: Plan, statements: Iterable[Json]) -> Json:
    account = iam.equal({"aws:SourceAccount": cfn.ref("AWS::AccountId")})
    tags = {"Tags": cfn.tags(plan.tags)} if plan.tags else {}
    properties = {
        "AssumeRolePolicyDocument": iam.trust("scheduler", condition=account),
        "Policies": [{"PolicyName": "schedule", "PolicyDocument": iam.document(statements)}],
        **tags,
    }
    return {"Type": "AWS::IAM::Role", "Properties": properties}


def _schedule(plan: Plan, call: Call, outputs: Iterable[str]) -> Json:
    text = json.dumps(call.input)
    refers = any(f"${{{name}}}" in text for name in outputs)
    target = f"arn:${{AWS::Partition}}:scheduler:::aws-sdk:{call.service}:{call.operation}"
    properties = {
        "Description": f"{plan.name}: {call.name}",
        "ScheduleExpression": f"at({call.at:%Y-%m-%dT%H:%M:%S})",
        "ScheduleExpressionTimezone": "UTC",
        "FlexibleTimeWindow": {"Mode": "OFF"},
        "Target": {
            "Arn": cfn.sub(target),
            "RoleArn": cfn.get_att(_ROLE, "Arn"),
            "Input": cfn.sub(text) if refers else text,
            "RetryPolicy": _RETRY,
        },
    }
    return {"Type": "AWS::Scheduler::Schedule", "Condition": call.id, "Properties": properties}
