"""Reservations, Capacity Blocks and training plans."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from clustergen.catalog import blocks
from clustergen.findings import Problem, Severity
from clustergen.plan.model import Plan
from clustergen.preflight import names, network, reserved
from clustergen.preflight.case import Case
from clustergen.preflight.reserved import Found, Wanted
from clustergen.preflight.rules import listed, rule

EC2: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/"
_USABLE: Final = ("active", "scheduled")
_COMING: Final = (
    *("pending", "payment-pending", "assessing", "delayed"),
    "updating",
)
_GONE_FOR_NOW: Final = "unavailable"
"""A state of Capacity Blocks that AWS lists and does not explain."""


def _by_hand(plan: Plan) -> str:
    ids = listed(item.id for item in reserved.wanted(plan))
    return f"{ids}: state, instance type, zone, number of instances, begin and end" if ids else ""


def _each(case: Case) -> Iterator[tuple[Wanted, list[Found]]]:
    for item in reserved.wanted(case.plan):
        yield item, reserved.found(case, item)


def _show(item: Wanted, region: str) -> str:
    """The command that shows reserved capacity."""
    match item.kind:
        case "training-plan":
            call = "sagemaker describe-training-plan --training-plan-name"
        case "reservation-group":
            call = "resource-groups list-group-resources --group"
        case _:
            call = "ec2 describe-capacity-reservations --capacity-reservation-ids"
    id = item.id.rpartition("/")[2] if item.kind == "training-plan" else item.id
    return f"aws {call} {id} --region {region}"


@rule(
    "PRE030",
    "The reserved capacity cannot be used",
    why="Nodes of a group with reserved capacity start nowhere else: without it, there are none.",
    source=f"{EC2}capacity-reservations-view.html",
    calls=reserved.CALLS,
    by_hand=_by_hand,
    bad="ec2:DescribeCapacityReservations: {State: expired}",
    good="ec2:DescribeCapacityReservations: {State: scheduled}",
)
def state(case: Case) -> Iterator[Problem]:
    for item, parts in _each(case):
        help = f"write the id of another, or buy one; {_show(item, case.region)}"
        if not parts:
            yield Problem(item.path, f"the account has no {item.id} in {case.region}", help)
        for part in parts:
            known = part.state.lower()
            if known in _COMING:
                message = f"{part.id} is {part.state}: it may never begin"
                yield Problem(item.path, message, help, severity=Severity.WARNING)
            elif known == _GONE_FOR_NOW:
                message = f"{part.id} is {part.state}: no node starts from it now"
                yield Problem(item.path, message, help, severity=Severity.WARNING)
            elif known not in _USABLE:
                yield Problem(item.path, f"{part.id} is {part.state}", help)


@rule(
    "PRE031",
    "The reserved capacity is of another kind",
    why="A Capacity Block, an On-Demand Capacity Reservation, an interruptible reservation and a "
    "training plan are requested in different ways.",
    source=f"{EC2}capacity-reservations-using.html",
    calls=reserved.CALLS,
    by_hand=_by_hand,
    bad="ec2:DescribeCapacityReservations: {ReservationType: default}",
    good="ec2:DescribeCapacityReservations: {ReservationType: capacity-block}",
)
def kind(case: Case) -> Iterator[Problem]:
    for item, parts in _each(case):
        for part in parts:
            if item.kind in ("reservation-group", part.kind):
                continue
            field = reserved.FIELDS.get(part.kind)
            help = f"write `capacity: {{{field}: {part.id}}}`" if field else "buy one for HyperPod"
            meant = part.kind.replace("-", " ") if field else "training plan for other targets"
            yield Problem(item.path, f"{part.id} is a {meant}", help)


@rule(
    "PRE032",
    "The reserved capacity has another instance type",
    why="Only instances of its type start in a reservation.",
    source=f"{EC2}capacity-reservations-using.html",
    calls=reserved.CALLS,
    by_hand=_by_hand,
    bad="ec2:DescribeCapacityReservations: {InstanceType: m7i.large}",
    good="ec2:DescribeCapacityReservations: {}",
)
def instance_type(case: Case) -> Iterator[Problem]:
    for item, parts in _each(case):
        types = {part.type for part in parts if part.type}
        for group in item.groups:
            if types and types.isdisjoint(type.name for type in group.types):
                text = ", ".join(sorted(types))
                message = f"{item.id} reserves {text}, and {group.name} is {group.type.name}"
                help = f"write instance_type: {text}, or another reservation"
                yield Problem(group.at("instance_type"), message, help)


@rule(
    "PRE033",
    "The reserved capacity is in another zone",
    why="A reservation is in one zone, so the subnet of its nodes has to be in that zone.",
    source=f"{EC2}capacity-reservations-using.html",
    calls=(*reserved.CALLS, network.ZONES, network.SUBNETS),
    by_hand=_by_hand,
    bad="ec2:DescribeCapacityReservations: {AvailabilityZoneId: use1-az99}",
    good="ec2:DescribeCapacityReservations: {}",
)
def zone(case: Case) -> Iterator[Problem]:
    for item, parts in _each(case):
        reserved_in = {part.zone_id for part in parts if part.zone_id}
        for group in item.groups:
            zones = network.zones_of_group(case, group)
            if zones and reserved_in and zones.isdisjoint(network.as_ids(case, reserved_in)):
                there, here = ", ".join(sorted(reserved_in)), ", ".join(sorted(zones))
                message = f"{item.id} is in {there}, and the nodes of {group.name} in {here}"
                help = f"write `network: {{zone: {there}}}`, or a subnet in that zone"
                yield Problem(item.path, message, help)


@rule(
    "PRE034",
    "The reserved capacity has too few instances",
    why="Nodes beyond the reservation do not start. Instances that others run in it count too.",
    source=f"{EC2}capacity-reservations-using.html",
    calls=(*reserved.CALLS, *names.DEPLOYED),
    by_hand=_by_hand,
    bad="ec2:DescribeCapacityReservations: {TotalInstanceCount: 1, AvailableInstanceCount: 1}",
    good="ec2:DescribeCapacityReservations: {TotalInstanceCount: 64, AvailableInstanceCount: 64}",
)
def count(case: Case) -> Iterator[Problem]:
    for item, parts in _each(case):
        if not parts:
            continue
        total, free = reserved.total(parts), sum(part.free for part in parts)
        if total < item.nodes:
            message = f"{item.id} has {total:,.0f} instances, and its node groups {item.nodes:,}"
            help = f"write count: {total:,.0f}, or reserve more"
            yield Problem(item.path, message, help)
        elif free < item.nodes and not names.is_deployed(case):
            message = f"{item.id} has {free:,.0f} free instances, and its groups {item.nodes:,}"
            help = f"stop what else uses it; {_show(item, case.region)}"
            yield Problem(item.path, message, help, severity=Severity.WARNING)


@rule(
    "PRE035",
    "The reserved capacity ends soon, or has not begun",
    why="Nodes start when the capacity begins, and are terminated before it ends: 30 minutes with "
    "a Capacity Block, 60 with UltraServers and training plans.",
    source=f"{EC2}ec2-capacity-blocks.html",
    calls=reserved.CALLS,
    by_hand=_by_hand,
    bad="ec2:DescribeCapacityReservations: {EndDate: 2020-01-01T11:30:00Z}",
    good="ec2:DescribeCapacityReservations: {EndDate: 2099-01-01T11:30:00Z}",
    severity=Severity.WARNING,
)
def window(case: Case) -> Iterator[Problem]:
    for item, parts in _each(case):
        for part in parts:
            end, start = part.end, part.start
            if end and end <= case.now:
                message = f"{part.id} ended at {_time(part, 'end')}"
                help = "reserve capacity for another time"
                yield Problem(item.path, message, help, severity=Severity.ERROR)
            elif end and end - case.now < timedelta(days=1):
                minutes = _grace_minutes(item)
                message = f"{part.id} ends at {_time(part, 'end')}, its nodes {minutes} min before"
                yield Problem(item.path, message, "extend it, or keep jobs short")
            elif start and start > case.now:
                message = f"{part.id} begins at {_time(part, 'start')}: no nodes before"
                help = "deploy now or then: nodes start with the capacity"
                yield Problem(item.path, message, help, severity=Severity.NOTE)


def _dated_by_hand(plan: Plan) -> str:
    return _by_hand(plan) if any(group.capacity.dated for group in plan.node_groups) else ""


@rule(
    "PRE036",
    "The reserved capacity has other dates than the spec",
    why="The bundle starts nodes and keeps jobs off them by the dates in the spec. Nodes that are "
    "still in use when the capacity ends are terminated with their jobs.",
    source=f"{EC2}capacity-blocks-view.html",
    calls=reserved.CALLS,
    by_hand=_dated_by_hand,
    bad="ec2:DescribeCapacityReservations: {EndDate: 2098-12-31T11:30:00Z}",
    good="ec2:DescribeCapacityReservations: {}",
)
def dates(case: Case) -> Iterator[Problem]:
    for item, parts in _each(case):
        starts = [part.start for part in parts if part.start]
        ends = [part.end for part in parts if part.end]
        for group in item.groups:
            for field, said, actual in (
                ("starts", group.capacity.starts, min(starts, default=None)),
                ("ends", group.capacity.ends, max(ends, default=None)),
            ):
                if said and actual and said != actual:
                    too_late = field == "ends" and said > actual
                    yield Problem(
                        group.at("capacity", field),
                        f"{item.id} {field} at {_text(actual)}, the spec has {_text(said)}",
                        f"write {field}: {actual:%Y-%m-%dT%H:%M:%SZ}, and render again",
                        severity=Severity.ERROR if too_late else Severity.WARNING,
                    )


def _time(part: Found, which: str) -> str:
    return _text(getattr(part, which))


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"


def _grace_minutes(item: Wanted) -> int:
    whole = item.kind == "training-plan" or any(g.type.nvlink_domain for g in item.groups)
    return blocks.ULTRASERVER_END_MINUTES if whole else blocks.END_MINUTES
