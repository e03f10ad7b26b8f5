"""EventBridge Scheduler: one-time schedules of stacks, which call a service when their time comes.

A universal target has the names of the SDK for Java: those of the API with a capital.
https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-targets-universal.html
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from botocore import xform_name
from botocore.validate import ParamValidator

from tests.support import service_models
from tests.support.cloud.answers import Refused, Request

if TYPE_CHECKING:
    from tests.support.cloud.account import Account

_OPERATIONS = {
    "updateNodegroupConfig": "update-nodegroup-config",
    "updateComputeNodeGroup": "update-compute-node-group",
    "updateComputeEnvironment": "update-compute-environment",
}


class Scheduler:
    """The schedules of all stacks, and the time of day."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self.now = datetime(2026, 1, 1, tzinfo=UTC)
        self.done: set[str] = set()
        self.refused: set[str] = set()
        """What a service rejected, and the scheduler calls again until it is too old."""

    def schedules(self) -> dict[str, tuple[datetime, Mapping[str, Any]]]:
        """The schedules that exist, by stack and logical id: when, and what."""
        return {
            f"{stack.name}/{name}": (_time(resource), resource["Properties"]["Target"])
            for stack in self.account.cloudformation.stacks.values()
            for name, resource in stack.resources.items()
            if resource["Type"] == "AWS::Scheduler::Schedule"
            and stack.parameters[f"{resource['Condition']}IsAhead"] == "yes"
        }

    def rejection(self, resources: Mapping[str, Any], parameters: Mapping[str, str]) -> str:
        """The logical id of a schedule in the past, which AWS rejects."""
        for name, resource in resources.items():
            if resource["Type"] == "AWS::Scheduler::Schedule":
                given = parameters.get(f"{resource['Condition']}IsAhead", "yes")
                if given == "yes" and _time(resource) <= self.now:
                    return name
        return ""

    def advance(self, to: datetime) -> list[str]:
        """Call what is planned until then; what was called, in order."""
        called = []
        for name, (at, target) in sorted(self.schedules().items(), key=lambda each: each[1][0]):
            key = f"{name} {at}"
            age = timedelta(seconds=target["RetryPolicy"]["MaximumEventAgeInSeconds"])
            late = key in self.refused and to - at > age
            if at > to or late or key in self.done:
                continue
            try:
                called.append(self._call(name.partition("/")[0], target))
                self.done.add(key)
            except Refused:
                self.refused.add(key)
        self.now = to
        return called

    def _call(self, stack: str, target: Mapping[str, Any]) -> str:
        *_, service, operation = target["Arn"]["Fn::Sub"].split(":")
        given = target["Input"]
        text = given["Fn::Sub"] if isinstance(given, dict) else given
        values = self.account.cloudformation.stacks[stack].parameters
        input = _lowered(json.loads(re.sub(r"\$\{(\w+)\}", lambda found: values[found[1]], text)))
        _validate(service, operation, input)
        options = {xform_name(key, "-"): [_word(value)] for key, value in input.items()}
        request = Request(service, _OPERATIONS[operation], options, [])
        if service == "pcs":
            options["compute-node-group-identifier"][0] = (
                "pcs-" + options["compute-node-group-identifier"][0]
            )
        getattr(getattr(self.account, service), request.operation.replace("-", "_"))(request)
        return f"{service} {operation} {json.dumps(input)}"


def _time(resource: Mapping[str, Any]) -> datetime:
    text = resource["Properties"]["ScheduleExpression"].removeprefix("at(").removesuffix(")")
    assert resource["Properties"]["ScheduleExpressionTimezone"] == "UTC"
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def _lowered(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    assert all(key[0].isupper() for key in value), value
    return {key[0].lower() + key[1:]: _lowered(inner) for key, inner in value.items()}


def _validate(service: str, operation: str, input: Mapping[str, Any]) -> None:
    """By the service's own model."""
    model = service_models.model(service)
    shape = model.operation_model(operation[0].upper() + operation[1:]).input_shape
    assert not (report := ParamValidator().validate(input, shape)).has_errors(), (
        report.generate_report()
    )


def _word(value: Any) -> str:
    if isinstance(value, dict):
        return ",".join(f"{key}={inner}" for key, inner in value.items())
    return str(value)
