"""Reservations, blocks and training plans of a plan, in one form."""

import datetime
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from clustergen.base.account import Answer, Missing
from clustergen.base.findings import Path
from clustergen.checking.preflight.case import Case
from clustergen.plan.model import CapacityKind, NodeGroup, Plan

RESERVATIONS: Final = "ec2:DescribeCapacityReservations"
MEMBERS: Final = "resource-groups:ListGroupResources"
PLANS: Final = "sagemaker:DescribeTrainingPlan"
CALLS: Final = (RESERVATIONS, MEMBERS, PLANS)

FIELDS: Final[Mapping[CapacityKind, str]] = {
    "reservation": "reservation",
    "reservation-group": "reservation_group",
    "capacity-block": "capacity_block",
    "interruptible-reservation": "interruptible_reservation",
    "training-plan": "training_plan",
}
"""The field of `capacity` with the id of each kind."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Capacity that the spec names, and the node groups that use it."""

    kind: CapacityKind
    id: str
    groups: tuple[NodeGroup, ...]

    @property
    def path(self) -> Path:
        return self.groups[0].at("capacity", FIELDS[self.kind])

    @property
    def nodes(self) -> int:
        """All nodes that use it."""
        return sum(group.max for group in self.groups)


@dataclass(frozen=True, slots=True)
class Found:
    """Reserved capacity of one instance type in one zone."""

    id: str
    kind: CapacityKind
    state: str
    type: str
    zone_id: str
    count: float
    """All instances; infinite if it is not known yet."""
    free: float
    start: datetime.datetime | None
    end: datetime.datetime | None
    platform: str = ""
    tenancy: str = ""
    placement_group: str = ""
    """The name of the placement group that it is bound to."""


def wanted(plan: Plan) -> list[Wanted]:
    """Everything reserved in the spec, each once."""
    found: dict[tuple[CapacityKind, str], tuple[NodeGroup, ...]] = {}
    for group in plan.node_groups:
        capacity = group.capacity
        if capacity.reserved and capacity.id:
            key = capacity.kind, capacity.id
            found[key] = (*found.get(key, ()), group)
    return [Wanted(kind, id, groups) for (kind, id), groups in found.items()]


def found(case: Case, item: Wanted) -> list[Found]:
    """What the account has under the id: several reservations of a group, none if unknown."""
    try:
        if item.kind == "training-plan":
            return [*_of_plan(case, item.id)]
        ids = _members(case, item.id) if item.kind == "reservation-group" else [item.id]
        return [each for id in ids for each in _reservations(case, id)]
    except Missing:
        return []


def _members(case: Case, group: str) -> Iterator[str]:
    for resource in case.every(MEMBERS, "Resources", Group=group):
        arn = resource.get("Identifier", {}).get("ResourceArn", "")
        if ":capacity-reservation/" in arn:
            yield arn.rpartition("/")[2]


def _reservations(case: Case, id: str) -> Iterator[Found]:
    for each in case.every(RESERVATIONS, "CapacityReservations", CapacityReservationIds=[id]):
        total = _total(each)
        yield Found(
            id=each["CapacityReservationId"],
            kind=_kind(each),
            state=each.get("State", ""),
            type=each.get("InstanceType", ""),
            zone_id=each.get("AvailabilityZoneId", ""),
            count=total,
            free=each.get("AvailableInstanceCount", 0) if each.get("State") == "active" else total,
            start=each.get("StartDate"),
            end=each.get("EndDate"),
            platform=each.get("InstancePlatform", ""),
            tenancy=each.get("Tenancy", ""),
            placement_group=each.get("PlacementGroupArn", "").rpartition("/")[2],
        )


def _kind(reservation: Answer) -> CapacityKind:
    if reservation.get("ReservationType") == "capacity-block":
        return "capacity-block"
    return "interruptible-reservation" if reservation.get("Interruptible") else "reservation"


# A block that is not active yet has its size in a tag, and a reservation for later in its
# commitment: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-view.html,
# .../cr-concepts.html (2026-11)
_SIZE_TAG: Final = "aws:ec2capacityreservation:incrementalRequestedQuantity"


def _total(reservation: Answer) -> float:
    """The instances of a reservation; infinite if it does not say how many it will have."""
    tags = {tag["Key"]: tag["Value"] for tag in reservation.get("Tags", ())}
    committed = reservation.get("CommitmentInfo", {}).get("CommittedInstanceCount", 0)
    said = reservation.get("TotalInstanceCount", 0) or committed or int(tags.get(_SIZE_TAG, 0))
    if said or reservation.get("State") == "active":
        return float(said)
    return math.inf


def _of_plan(case: Case, arn: str) -> Iterator[Found]:
    """The parts of a training plan, which is named by the last part of its ARN."""
    plan = case.ask(PLANS, TrainingPlanName=arn.rpartition("/")[2])
    targets = plan.get("TargetResources", ("hyperpod-cluster",))
    for part in plan.get("ReservedCapacitySummaries", ()):
        yield Found(
            id=arn,
            kind="training-plan" if "hyperpod-cluster" in targets else "on-demand",
            state=plan.get("Status", ""),
            type=part.get("InstanceType", "").removeprefix("ml."),
            zone_id=part.get("AvailabilityZoneId", "") or part.get("AvailabilityZone", ""),
            count=part.get("TotalInstanceCount", 0),
            free=plan.get("AvailableInstanceCount", part.get("TotalInstanceCount", 0)),
            start=plan.get("StartTime"),
            end=plan.get("EndTime"),
        )


def gap(case: Case, arn: str) -> tuple[datetime.datetime, datetime.datetime] | None:
    """When a training plan of two segments has no instances, if it has two."""
    plan = case.find(PLANS, TrainingPlanName=arn.rpartition("/")[2]) or {}
    times = sorted(
        (part["StartTime"], part["EndTime"])
        for part in plan.get("ReservedCapacitySummaries", ())
        if "StartTime" in part and "EndTime" in part
    )
    gaps = ((one[1], other[0]) for one, other in pairwise(times) if one[1] < other[0])
    return next(gaps, None)


def total(parts: Iterable[Found]) -> float:
    """The instances of all parts: those of a training plan are segments in time, not more nodes."""
    parts = [*parts]
    plans = [part.count for part in parts if part.kind == "training-plan"]
    return min(plans) if plans else sum(part.count for part in parts)
