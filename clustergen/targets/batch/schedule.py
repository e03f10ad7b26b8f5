"""When compute environments accept jobs: a disabled one starts no instances, and ends no jobs.

https://docs.aws.amazon.com/batch/latest/APIReference/API_UpdateComputeEnvironment.html (2026-11)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from clustergen import schedules
from clustergen.artifacts import Artifact
from clustergen.aws import iam
from clustergen.aws.cfn import ref
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.timetable import Phase, timetables
from clustergen.schedules import Call
from clustergen.targets.batch import names, nodes


def files(plan: Plan) -> Iterator[Artifact]:
    """The template of the schedules."""
    outputs = _outputs(plan)
    role = [iam.allow("States", ["batch:UpdateComputeEnvironment"], map(ref, outputs))]
    yield from schedules.files(plan, _calls(plan), role, outputs)


def values(plan: Plan) -> dict[str, Any]:
    """Values for deploy.sh."""
    times = list(timetables(plan))
    dated = [(each.group.name, arn(each.group), nodes.least_vcpus(each.group)) for each in times]
    return {
        **schedules.values(plan, _calls(plan), _outputs(plan), _closing(plan)),
        "dated": [word for each in dated for word in map(str, each)],
    }


def arn(group: NodeGroup) -> str:
    """The output of the cluster's stack that is the environment's ARN."""
    return f"{names.compute_environment(group)}Arn"


def _outputs(plan: Plan) -> Mapping[str, str]:
    groups = [times.group for times in timetables(plan)]
    return {arn(group): f"Compute environment of {group.name}" for group in groups}


def _closing(plan: Plan) -> list[Phase]:
    """Jobs stop starting at the checkpoint: Batch does not know how long they run."""
    return [(t.group.name, t.launches, t.checkpoint) for t in timetables(plan)]


def _calls(plan: Plan) -> list[Call]:
    return [
        _state(times.group, at, state)
        for times in timetables(plan)
        for at, state in ((times.launches, "ENABLED"), (times.checkpoint, "DISABLED"))
        if at
    ]


def _state(group: NodeGroup, at: datetime, state: str) -> Call:
    least = nodes.least_vcpus(group) if state == "ENABLED" else 0
    given = {
        "ComputeEnvironment": f"${{{arn(group)}}}",
        "State": state,
        "ComputeResources": {"MinvCpus": least},
    }
    name = f"{group.name} {'starts' if state == 'ENABLED' else 'stops'}"
    return Call(name, at, "batch", "updateComputeEnvironment", given)
