"""When compute environments accept jobs: a disabled one starts no instances, and ends no jobs.

https://docs.aws.amazon.com/batch/latest/APIReference/API_UpdateComputeEnvironment.html (2026-11)
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from math import inf

from clustergen.base.artifacts import Artifact
from clustergen.deployment.kinds import Dated
from clustergen.deployment.model import Period, Source
from clustergen.plan import timetable
from clustergen.plan.model import NodeGroup, Plan
from clustergen.plan.timetable import Phase, Timetable, timetables
from clustergen.services import schedules
from clustergen.services.aws import iam
from clustergen.services.aws.cfn import ref
from clustergen.services.schedules import Call
from clustergen.targets.batch import names, nodes


def files(plan: Plan) -> Iterator[Artifact]:
    outputs = _outputs(plan)
    role = [iam.allow("States", ["batch:UpdateComputeEnvironment"], map(ref, outputs))]
    yield from schedules.files(plan, _calls(plan), role, outputs)


def sources(plan: Plan) -> dict[str, Source]:
    """Of the parameters of the template."""
    environments = {output: Source(output=output) for output in _outputs(plan)}
    return {**environments, **schedules.sources(_calls(plan))}


def dated(plan: Plan) -> dict[str, Dated]:
    """The compute environments whose state depends on the time, by node group."""
    groups = (times.group for times in timetables(plan))
    return {group.name: Dated(arn(group), nodes.least_vcpus(group)) for group in groups}


def phases(plan: Plan) -> list[str]:
    """Words for ``shared/phase.sh.j2``."""
    return timetable.arguments(_closing(plan))


def periods(plan: Plan) -> dict[str, Period]:
    """When jobs can start."""
    return schedules.periods(_closing(plan))


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
        _state(times, at, state)
        for times in timetables(plan)
        for at, state in ((times.launches, "ENABLED"), (times.checkpoint, "DISABLED"))
        if at
    ]


def _state(times: Timetable, at: datetime, state: str) -> Call:
    group, starts = times.group, state == "ENABLED"
    given = {
        "ComputeEnvironment": f"${{{arn(group)}}}",
        "State": state,
        "ComputeResources": {"MinvCpus": nodes.least_vcpus(group) if starts else 0},
    }
    name = f"{group.name} {'starts' if starts else 'stops'}"
    retry = _start_seconds(times, at) if starts else schedules.MAX_RETRIES[0]
    return Call(name, at, "batch", "updateComputeEnvironment", given, retry)


def _start_seconds(times: Timetable, at: datetime) -> int:
    """Batch rejects changes while an update waits for jobs, for hours. The stop outlasts that, and
    no start comes after it."""
    open_seconds = (times.checkpoint - at).total_seconds() if times.checkpoint else inf
    return int(max(60, min(schedules.RETRY_SECONDS, open_seconds)))
