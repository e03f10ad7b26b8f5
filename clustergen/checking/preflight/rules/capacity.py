"""Reservations, Capacity Blocks and training plans."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from clustergen.base.findings import Problem, Severity, rule
from clustergen.checking.preflight import names, network, reserved
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.reserved import Found, Wanted
from clustergen.checking.preflight.rules import listed
from clustergen.facts.catalog import blocks
from clustergen.plan.model import Plan

EC2: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/"
_USABLE: Final = ("active", "scheduled")
_COMING: Final = ("pending", "payment-pending", "assessing", "delayed", "updating")
_UNPAID: Final = ("pending", "payment-pending", "assessing")
_EFFECTS: Final = {
    **dict.fromkeys(_COMING, ": it may never begin"),
    # A state of Capacity Blocks that AWS lists and does not explain.
    "unavailable": ": no node starts from it now",
}


def _by_hand(plan: Plan) -> str:
    items = reserved.wanted(plan)
    # Neither a block nor a plan has one.
    bound = {item.kind for item in items} - {"capacity-block", "training-plan"}
    what = f"zone{', placement group' if bound else ''}, number of instances, begin and end"
    ids = listed(item.id for item in items)
    return f"{ids}: state, instance type, {what}" if ids else ""


def _each(case: Case) -> Iterator[tuple[Wanted, list[Found]]]:
    for item in reserved.wanted(case.plan):
        yield item, reserved.found(case, item)


def _show(item: Wanted, region: str) -> str:
    """The command that shows reserved capacity."""
    call, id = "ec2 describe-capacity-reservations --capacity-reservation-ids", item.id
    if item.kind == "training-plan":
        call, id = "sagemaker describe-training-plan --training-plan-name", id.rpartition("/")[2]
    elif item.kind == "reservation-group":
        call = "resource-groups list-group-resources --group"
    return f"aws {call} {id} --region {region}"


common_rule = partial(rule, calls=reserved.CALLS, by_hand=_by_hand)


@common_rule(
    "PRE030",
    "The reserved capacity cannot be used",
    why="Nodes of a group with reserved capacity start nowhere else: without it, there are none.",
    source=f"{EC2}capacity-reservations-view.html",
    bad="ec2:DescribeCapacityReservations: {State: expired}",
    good="ec2:DescribeCapacityReservations: {State: scheduled}",
)
def state(case: Case) -> Iterator[Problem]:
    for item, parts in _each(case):
        help = f"write the id of another, or buy one; {_show(item, case.region)}"
        if not parts:
            yield Problem(item.path, f"the account has no {item.id} in {case.region}", help)
        for part in parts:
            known, limits = part.state.lower(), case.plan.limits
            if known in _USABLE:
                continue
            if item.kind == "capacity-block" and known in _UNPAID and limits.scheduled_blocks:
                why = f"{part.id} is {part.state}: {limits.title} creates no node group for it yet"
                wait = "deploy once it is scheduled"
                yield Problem(item.path, why, wait, source=limits.scheduled_blocks)
            else:
                message = f"{part.id} is {part.state}{_EFFECTS.get(known, '')}"
                severity = Severity.WARNING if known in _EFFECTS else None
                yield Problem(item.path, message, help, severity=severity)


@common_rule(
    "PRE031",
    "The reserved capacity is of another kind",
    why="A Capacity Block, an On-Demand Capacity Reservation, an interruptible reservation and a "
    "training plan are requested in different ways.",
    source=f"{EC2}capacity-reservations-using.html",
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


@common_rule(
    "PRE032",
    "The reserved capacity has another instance type",
    why="Only instances of its type start in a reservation.",
    source=f"{EC2}capacity-reservations-using.html",
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


@common_rule(
    "PRE035",
    "The reserved capacity ends soon, or has not begun",
    why="Nodes start when the capacity begins, and are terminated before it ends: 30 minutes with "
    "a Capacity Block, 60 with UltraServers and training plans.",
    source=f"{EC2}ec2-capacity-blocks.html",
    bad="ec2:DescribeCapacityReservations: {EndDate: 2020-01-01T11:30:00Z}",
    good="ec2:DescribeCapacityReservations: {EndDate: 2099-01-01T11:30:00Z}",
    severity=Severity.WARNING,
)
def window(case: Case) -> Iterator[Problem]:
    for item, parts in _each(case):
        if parts and not any(part.end for part in parts):
            yield from _over(case, item)
        for part in parts:
            end, start = part.end, part.start
            if end and end <= case.now:
                message = f"{part.id} ended at {_text(end)}"
                help = "reserve capacity for another time"
                yield Problem(item.path, message, help, severity=Severity.ERROR)
            elif end and end - case.now < timedelta(days=1):
                whole = item.kind == "training-plan" or any(
                    g.type.nvlink_domain for g in item.groups
                )
                minutes = blocks.ULTRASERVER_END_MINUTES if whole else blocks.END_MINUTES
                message = f"{part.id} ends at {_text(end)}, its nodes {minutes} min before"
                yield Problem(item.path, message, "extend it, or keep jobs short")
            elif start and start > case.now:
                message = f"{part.id} begins at {_text(start)}: no nodes before"
                help = "deploy now or then: nodes start with the capacity"
                yield Problem(item.path, message, help, severity=Severity.NOTE)


def _over(case: Case, item: Wanted) -> Iterator[Problem]:
    """What the spec says about the end of capacity that has none: EC2 keeps it until then."""
    for group in item.groups:
        end = group.capacity.ends
        if end and end <= case.now:
            message = f"the spec has an end of {item.id} that is over, {_text(end)}"
            help = "write another time, or remove starts and ends"
            yield Problem(group.at("capacity", "ends"), message, help, severity=Severity.ERROR)


@rule(
    "PRE036",
    "The reserved capacity has other dates than the spec",
    why="The bundle starts nodes and keeps jobs off them by the dates in the spec. Nodes that are "
    "still in use when the capacity ends are terminated with their jobs.",
    source=f"{EC2}capacity-blocks-view.html",
    calls=reserved.CALLS,
    by_hand=lambda plan: _by_hand(plan) if any(g.capacity.dated for g in plan.node_groups) else "",
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


@common_rule(
    "PRE037",
    "The reserved capacity is for other instances",
    why="A reservation takes only instances of its platform, tenancy and placement group. Others "
    "do not start in it.",
    source=f"{EC2}capacity-reservations-using.html",
    bad="ec2:DescribeCapacityReservations: {InstancePlatform: Windows}",
    good="ec2:DescribeCapacityReservations: {InstancePlatform: Linux/UNIX}",
)
def attributes(case: Case) -> Iterator[Problem]:
    help = "use another reservation"
    for item, parts in _each(case):
        for part in parts:
            if part.platform and not _runs_on(case.plan, item, part.platform):
                yield Problem(item.path, f"{part.id} is for {part.platform}", help)
            if part.tenancy not in ("", "default"):
                message = f"{part.id} has {part.tenancy} tenancy, and nodes have shared tenancy"
                yield Problem(item.path, message, help)
            for group in item.groups:
                bound, named = part.placement_group, group.placement.group
                if named and not bound:
                    message = f"{part.id} is not in placement group {named}: nodes may not start"
                    write = "write placement: none, or the id of a reservation in that group"
                    yield Problem(item.path, message, write, severity=Severity.WARNING)
                elif bound and named != bound:
                    message = f"{part.id} is bound to the placement group {bound}"
                    write = f"write `placement: {{group: {bound}}}`, or use another reservation"
                    yield Problem(item.path, message, write)


def _runs_on(plan: Plan, item: Wanted, platform: str) -> bool:
    """Whether nodes may have a platform. Images of your own may have any of Linux."""
    if platform.startswith("Windows"):
        return False
    own = any(group.image for group in item.groups)
    rhel = plan.software.os.startswith("rhel")
    return own or platform == ("Red Hat Enterprise Linux" if rhel else "Linux/UNIX")


@common_rule(
    "PRE038",
    "A training plan of two segments",
    why="HyperPod takes the nodes of such a plan an hour before its first segment ends, with their "
    "jobs and volumes, and adds new ones when the second begins.",
    source="https://docs.aws.amazon.com/sagemaker/latest/dg/reserve-capacity-with-training-plans.html",
    bad="""sagemaker:DescribeTrainingPlan:
  ReservedCapacitySummaries:
  - {ReservedCapacityArn: 'arn:aws:sagemaker:us-east-1:111122223333:reserved-capacity/1',
     InstanceType: ml.p5en.48xlarge, TotalInstanceCount: 2, AvailabilityZoneId: use1-az6,
     Status: Scheduled, StartTime: 2026-12-01T11:30:00Z, EndTime: 2026-12-08T11:30:00Z}
  - {ReservedCapacityArn: 'arn:aws:sagemaker:us-east-1:111122223333:reserved-capacity/2',
     InstanceType: ml.p5en.48xlarge, TotalInstanceCount: 2, AvailabilityZoneId: use1-az6,
     Status: Scheduled, StartTime: 2026-12-15T11:30:00Z, EndTime: 2026-12-22T11:30:00Z}""",
    good="sagemaker:DescribeTrainingPlan: {}",
    severity=Severity.WARNING,
)
def segments(case: Case) -> Iterator[Problem]:
    for item in reserved.wanted(case.plan):
        times = reserved.gap(case, item.id) if item.kind == "training-plan" else None
        if times:
            ends, starts = map(_text, times)
            yield Problem(
                item.path,
                f"{item.id} has no instances from {ends} to {starts}",
                "let jobs end an hour before with a checkpoint, and silence the alerts on nodes "
                "that are down for that time",
            )


def _text(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M} UTC"
