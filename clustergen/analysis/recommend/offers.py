"""The ways to get what is needed: instance type x region x purchase option x service."""

import datetime
import enum
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from clustergen import targets
from clustergen.analysis.cost.model import FEATURES
from clustergen.analysis.recommend.need import Need, nodes_of
from clustergen.facts.catalog import InstanceType, blocks, prices, regions, services
from clustergen.facts.catalog.prices import RECORDED, Book, Price, place_of
from clustergen.plan.model import CapacityKind
from clustergen.services.cost.nodes import OPTIONS
from clustergen.targets import Target


class Certainty(enum.IntEnum):
    """Whether the nodes can be had, the best first."""

    GUARANTEED = 0
    """Once bought, they are there from start to end."""
    CHEAP_UNTIL_INTERRUPTED = 1
    """Usually available; work has to survive interruptions."""
    USUAL = 2
    HELD = 3
    """Only if AWS has them at that moment; then they stay."""
    UNCERTAIN = 4
    LOTTERY = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One way to get the nodes."""

    type: InstanceType
    nodes: int
    region: str
    zones: tuple[str, ...]
    kind: CapacityKind
    services: tuple[str, ...]
    """Names of targets, which all pay the same for nodes."""
    certainty: Certainty
    hours: int
    """Hours that are paid for."""
    price: Price | None
    """None if it is unknown."""
    usd_hour: float | None
    """Of all nodes; for Spot, the limit."""

    @property
    def usd(self) -> float | None:
        """Of all nodes, for the hours that are paid for."""
        return None if self.usd_hour is None else self.usd_hour * self.hours

    @property
    def upfront(self) -> bool:
        return self.kind in ("capacity-block", "training-plan")


@dataclass(frozen=True, slots=True)
class Dropped:
    """A way that does not exist, and why."""

    type: str
    why: str
    kind: CapacityKind | None = None
    region: str = ""
    service: str = ""
    """The title of a target, if it is the only one that the reason is about."""

    @property
    def what(self) -> str:
        """``p5.48xlarge as Spot in us-east-1``."""
        return f"{self.type}{self.how}{f' in {self.region}' if self.region else ''}"

    @property
    def how(self) -> str:
        """How it would be bought; empty if the reason is the same for all."""
        option = f" as {OPTIONS[self.kind]}" if self.kind else ""
        return f"{option}{f', {self.service}' if self.service else ''}"


def offers(need: Need, book: Book = RECORDED) -> Iterator[Offer | Dropped]:
    """All offers for a need, and what was dropped."""
    for type in need.types:
        if type.own:
            yield Dropped(type.name, "nothing says where EC2 offers it, nor its price")
            continue
        places = [region for region in need.regions if _zones(type, region)]
        if not places:
            yield _absent(type, need)
        for kind in FEATURES:
            if reason := _impossible(type, kind, need):
                yield Dropped(type.name, reason, kind)
                continue
            for region in places:
                yield from _in_region(type, kind, region, need, book)


def _absent(type: InstanceType, need: Need) -> Dropped:
    asked = need.regions[0] if len(need.regions) == 1 else "the regions"
    elsewhere = ", ".join(type.regions) or "no surveyed region"
    return Dropped(type.name, f"not in {asked}; it is in {elsewhere}")


def _zones(type: InstanceType, region: str) -> tuple[str, ...]:
    return tuple(zone for zone in type.zone_ids if regions.region_of_zone(zone) == region)


def _impossible(type: InstanceType, kind: CapacityKind, need: Need) -> str:
    """Why no region and no service can have it; empty if some may."""
    nodes = nodes_of(type, need.count)
    if kind == "capacity-block":
        return _no_block(type, nodes, need)
    if kind == "training-plan":
        if not type.training_plan:
            return "training plans do not have it"
        return "" if nodes <= blocks.MOST_IN_ALL else _too_many(nodes)
    if kind == "spot":
        if not type.spot:
            return "not sold as Spot"
        return "" if need.interruptible else "Spot interrupts nodes; --interruptible allows it"
    if "on-demand" not in type.usage_classes:
        return "not sold On-Demand"
    if kind == "reservation" and not type.capacity_block:
        return "On-Demand costs the same, and can usually be had"
    return ""


def _no_block(type: InstanceType, nodes: int, need: Need) -> str:
    if not type.capacity_block:
        return "not sold in Capacity Blocks"
    if nodes > blocks.MOST_IN_ALL:
        return _too_many(nodes)
    if blocks.days(need.hours) is None:
        return f"none lasts longer than {blocks.LONGEST_DAYS} days; blocks can be extended"
    latest = need.today + datetime.timedelta(weeks=blocks.EARLIEST_WEEKS)
    if need.start and need.start > latest:
        buy = need.start - datetime.timedelta(weeks=blocks.EARLIEST_WEEKS)
        return f"starts at most {blocks.EARLIEST_WEEKS} weeks ahead: on sale from {buy}"
    return ""


def _too_many(nodes: int) -> str:
    return f"{nodes} nodes; an account has at most {blocks.MOST_IN_ALL} at a time"


def _in_region(
    type: InstanceType, kind: CapacityKind, region: str, need: Need, book: Book
) -> Iterator[Offer | Dropped]:
    for sagemaker in (False, True):
        named = [targets.load(name) for name in need.targets]
        group = [target for target in named if target.traits.sagemaker == sagemaker]
        able = [target for target in group if _supports(target, type, kind, region)]
        if able:
            yield _offer(type, kind, region, need, book=book, able=able)


def _supports(target: Target, type: InstanceType, kind: CapacityKind, region: str) -> bool:
    place = target.limits.region
    if place and services.available(place.service, region) is False:
        return False
    if target.traits.sagemaker and type.hyperpod is None:
        return False
    return target.support[FEATURES[kind]].level != "none"


def _offer(  # noqa: PLR0913 the parts of an offer
    type: InstanceType,
    kind: CapacityKind,
    region: str,
    need: Need,
    *,
    book: Book,
    able: Sequence[Target],
) -> Offer | Dropped:
    sagemaker = able[0].traits.sagemaker
    zones = _zones(type, region)
    place = place_of(region, zones[0])
    nodes = nodes_of(type, need.count)
    rate, factor = _rate(type, kind, place, book, sagemaker=sagemaker)
    if rate is None and kind == "capacity-block":
        return Dropped(type.name, "AWS lists no rate there", kind, region)
    if kind == "training-plan" and region not in blocks.PLAN_REGIONS.get(type.family, ()):
        why = "no training plans were listed there in 2025-06"
        return Dropped(type.name, why, kind, region)
    if kind == "on-demand" and sagemaker and type.family in blocks.PLAN_ONLY:
        return Dropped(type.name, "HyperPod has it in training plans only", kind, region)
    if rate is None and not sagemaker and not prices.is_known(f"EC2 {type.name}"):
        why = "it has no On-Demand price: sold in blocks only"
        return Dropped(type.name, why, kind)
    days = blocks.days(need.hours) if kind in ("capacity-block", "training-plan") else None
    return Offer(
        type=type,
        nodes=nodes,
        region=region,
        zones=zones,
        kind=kind,
        services=tuple(target.name for target in able),
        certainty=_certainty(type, kind),
        hours=days * blocks.DAY_HOURS if days else need.hours,
        price=rate,
        usd_hour=rate.usd * factor * nodes if rate else None,
    )


def _rate(
    type: InstanceType, kind: CapacityKind, place: str, book: Book, *, sagemaker: bool
) -> tuple[Price | None, float]:
    """The price, and by what it is multiplied for one node."""
    if kind in ("capacity-block", "training-plan"):
        found = blocks.rate(type.name, place, book)
        extra = blocks.PLAN_FACTOR if kind == "training-plan" else 1
        return (found[0], found[1] * extra) if found else (None, 1)
    if sagemaker:
        return (None if kind == "spot" else book.find(f"HyperPod {type.ml_name}", place)), 1
    return book.find(f"EC2 {type.name}", place), 1


def _certainty(type: InstanceType, kind: CapacityKind) -> Certainty:
    """Types that are sold in Capacity Blocks are the ones that are short."""
    if kind in ("capacity-block", "training-plan"):
        return Certainty.GUARANTEED
    if kind == "spot":
        return Certainty.LOTTERY if type.capacity_block else Certainty.CHEAP_UNTIL_INTERRUPTED
    if not type.capacity_block:
        return Certainty.USUAL
    return Certainty.HELD if kind == "reservation" else Certainty.UNCERTAIN


def split(found: Iterable[Offer | Dropped]) -> tuple[list[Offer], list[Dropped]]:
    """The offers, and what was dropped, each reason once."""
    both = list(found)
    dropped = dict.fromkeys(each for each in both if isinstance(each, Dropped))
    kept = [each for each in both if isinstance(each, Offer)]
    return [each for each in kept if not any(_better(other, each) for other in kept)], list(dropped)


def _better(one: Offer, other: Offer) -> bool:
    """Whether ``one`` is the same with fewer nodes for less."""
    alike = (one.kind, one.services, one.region) == (other.kind, other.services, other.region)
    if not alike or one.nodes >= other.nodes:
        return False
    if one.usd is None or other.usd is None:
        return one.usd == other.usd
    return one.usd <= other.usd
