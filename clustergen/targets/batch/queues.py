"""Job queues, and the policy that divides them between accounts."""

import re
from collections.abc import Iterator, Mapping

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan, Queue
from clustergen.services.aws import cfn
from clustergen.targets.batch import names

DEFAULT_PRIORITY = 1

_DAY_SECONDS = 86400
_TEN_MINUTES_SECONDS = 600
CAPACITY = "CAPACITY:INSUFFICIENT_INSTANCE_CAPACITY"
# Jobs that can never start would block the others of the queue.
# https://docs.aws.amazon.com/batch/latest/userguide/job_stuck_in_runnable_time_limit_actions.html
_IMPOSSIBLE = (
    "MISCONFIGURATION:COMPUTE_ENVIRONMENT_MAX_RESOURCE",
    "MISCONFIGURATION:JOB_RESOURCE_REQUIREMENT",
)


def resource(plan: Plan, queue: Queue) -> Json:
    """A queue; its compute environments are in the order of its node groups."""
    environments = [
        {"Order": order, "ComputeEnvironment": cfn.ref(names.compute_environment(group))}
        for order, group in enumerate(queue.node_groups, 1)
    ]
    policy = cfn.get_att(names.SCHEDULING_POLICY, "Arn")
    properties = {
        "JobQueueName": names.queue(plan, queue),
        "State": "ENABLED",
        "Priority": DEFAULT_PRIORITY if queue.priority is None else queue.priority,
        "ComputeEnvironmentOrder": environments,
        **({"SchedulingPolicyArn": policy} if plan.slurm.accounts else {}),
    }
    if not plan.options.leaves_out("stuck-jobs"):
        properties["JobStateTimeLimitActions"] = [
            {"Reason": reason, "State": "RUNNABLE", "MaxTimeSeconds": seconds, "Action": "CANCEL"}
            for reason, seconds in _limits(queue)
        ]
    return {"Type": "AWS::Batch::JobQueue", "Properties": properties}


def _limits(queue: Queue) -> Iterator[tuple[str, int]]:
    """How long the first job of a queue may wait, by the reason."""
    if waits_a_day(queue):
        yield CAPACITY, _DAY_SECONDS
    yield from ((reason, _TEN_MINUTES_SECONDS) for reason in _IMPOSSIBLE)


def waits_a_day(queue: Queue) -> bool:
    """Whether jobs wait a day for capacity; those for reserved capacity wait until it begins."""
    return not any(group.reserved for group in queue.node_groups)


def share_identifiers(plan: Plan) -> Mapping[str, str]:
    """Account -> its share identifier, which has letters and digits only."""
    return {each.name: re.sub(r"[^A-Za-z0-9]", "", each.name) for each in plan.slurm.accounts}


def policy(plan: Plan) -> Json:
    """The fair-share policy of all queues: a lower weight is a larger share."""
    identifiers = share_identifiers(plan)
    shares = [
        {
            "ShareIdentifier": identifiers[each.name],
            "WeightFactor": round(1 / each.fair_share, 4) if each.fair_share else 999,
        }
        for each in plan.slurm.accounts
    ]
    return {
        "Type": "AWS::Batch::SchedulingPolicy",
        "Properties": {
            "FairsharePolicy": {"ShareDecaySeconds": _DAY_SECONDS, "ShareDistribution": shares}
        },
    }
