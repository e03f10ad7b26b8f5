"""Answers: offers with their whole cost, limits, what each service loses, and how to verify."""

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from clustergen import targets
from clustergen.analysis.recommend import verifying
from clustergen.analysis.recommend.need import Need
from clustergen.analysis.recommend.offers import Certainty, Dropped, Offer, offers, split
from clustergen.analysis.recommend.spec_text import Draft, NewSpec
from clustergen.base.findings import Severity, errors
from clustergen.checking import compiler
from clustergen.checking.compiler import Checked
from clustergen.facts.catalog import blocks, quotas, ultraservers
from clustergen.facts.catalog.prices import RECORDED, Book
from clustergen.plan import features
from clustergen.services import cost
from clustergen.services.cost.formatting import duration

WHY = {
    Certainty.GUARANTEED: "guaranteed from start to end, once an offering is found and bought",
    Certainty.CHEAP_UNTIL_INTERRUPTED: (
        "usually available below the On-Demand price; EC2 may take nodes back with two minutes' "
        "notice"
    ),
    Certainty.USUAL: "usually available, and paid for only while it runs",
    Certainty.HELD: "only if AWS has the nodes at that moment; then they stay until cancelled",
    Certainty.UNCERTAIN: "each start of a node may fail for lack of capacity",
    Certainty.LOTTERY: "rarely available, and EC2 may take nodes back with two minutes' notice",
}


@dataclass(frozen=True, slots=True)
class Service:
    """One service that can run an offer."""

    target: str
    losses: tuple[str, ...]
    """What it does not do, or does differently, of what the spec uses."""
    warnings: tuple[str, ...]
    usd: float | None
    """Of the whole cluster, for the time that is paid for; None without the price of the nodes."""
    holes: tuple[str, ...]
    """Parts that ``usd`` lacks because their price is unknown."""


@dataclass(frozen=True, slots=True)
class Answer:
    offer: Offer
    elsewhere: tuple[Offer, ...]
    services: tuple[Service, ...]
    """The best first; never empty."""
    limits: tuple[str, ...]
    unknown: tuple[str, ...]
    verify: str
    spec: str
    """The spec for the first service."""


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The answers to a need, the best first."""

    need: Need
    answers: tuple[Answer, ...]
    dropped: tuple[Dropped, ...]

    @property
    def within_budget(self) -> bool:
        """Whether the first answer fits the budget, if there is one."""
        budget = self.need.budget
        if budget is None or not self.answers:
            return True
        return (self.answers[0].services[0].usd or 0) <= budget


def recommend(
    need: Need, draft: Draft | None = None, top: int = 5, book: Book = RECORDED
) -> Recommendation:
    """The best answers to a need, at most ``top``, each with the spec of ``draft``."""
    draft = draft or NewSpec(need)
    found, dropped = split(offers(need, book))
    answers: list[Answer] = []
    for group in _ranked(need, found):
        if len(answers) == top:
            break
        answer, lost = _answer(group, need, draft, book)
        dropped += lost
        answers += [answer] if answer else []
    return Recommendation(need, tuple(answers), tuple(dict.fromkeys(dropped)))


def _ranked(need: Need, offers: Sequence[Offer]) -> list[list[Offer]]:
    """The offers of each type, option and kind of service, those of the best region first.

    First what can be had, then what costs less; those over the budget last.
    """
    groups: dict[tuple[str, str, bool], list[Offer]] = {}
    for offer in offers:
        hyperpod = offer.services[0].startswith("hyperpod")
        groups.setdefault((offer.type.name, offer.kind, hyperpod), []).append(offer)
    by_region = [sorted(group, key=_by_region) for group in groups.values()]
    return sorted(by_region, key=lambda group: _key(need, group[0]))


def _by_region(offer: Offer) -> tuple[bool, float, int, int]:
    """Cheap, with many services and zones."""
    return offer.usd is None, offer.usd or 0, -len(offer.services), -len(offer.zones)


def _key(need: Need, offer: Offer) -> tuple[bool, bool, int, float, int, bool]:
    over = need.budget is not None and (offer.usd or 0) > need.budget
    # Equal otherwise: few large nodes, and for a time that is not known to be used in full,
    # instances that are paid for only while they run.
    held = offer.kind == "reservation" and not offer.type.capacity_block
    return over, offer.usd is None, offer.certainty, offer.usd or 0, offer.nodes, held


def _answer(
    group: Sequence[Offer], need: Need, draft: Draft, book: Book
) -> tuple[Answer | None, list[Dropped]]:
    offer, *elsewhere = group
    services: list[Service] = []
    dropped: list[Dropped] = []
    for name in offer.services:
        checked = compiler.check_text(draft.text(offer, name), targets=[name])
        if failed := errors(checked.findings):
            why, title = failed[0].message, targets.load(name).title
            dropped.append(Dropped(offer.type.name, why, offer.kind, service=title))
        else:
            services.append(_service(name, offer, draft.group(offer), checked, book))
    services.sort(key=lambda one: (len(one.warnings), len(one.losses)))
    if not services:
        return None, dropped
    best = services[0].target
    answer = Answer(
        offer,
        tuple(elsewhere),
        tuple(services),
        tuple(_limits(offer, need)),
        tuple(_unknown(offer)),
        verifying.command(offer, need),
        draft.text(offer, best),
    )
    return answer, dropped


def _service(name: str, offer: Offer, group: str, checked: Checked, book: Book) -> Service:
    target, plan = targets.load(name), checked.plans[name]
    answers = [(feature, target.support[feature.id].of(plan)) for feature, _ in features.used(plan)]
    losses = tuple(f"{f.title}: {s.how}" for f, s in answers if s.level in ("partial", "none"))
    warned = (f.message for f in checked.findings if f.severity is Severity.WARNING)
    bill = cost.bill(plan, target.fees, book)
    usd: float | None = bill.usd_of_use(offer.hours)[1]
    unknown = [line for line in bill.unknown if (line.part, line.name) != ("nodes", group)]
    if len(unknown) < len(bill.unknown):
        usd = None if usd is None or offer.usd is None else usd + offer.usd
    holes = tuple(line.name for line in unknown)
    return Service(name, losses, tuple(dict.fromkeys(warned)), usd, holes)


def _limits(offer: Offer, need: Need) -> Iterator[str]:
    if offer.kind == "capacity-block":
        yield from _of_blocks(offer, need)
    if offer.upfront:
        yield from _of_time(offer, need)
    servers = ultraservers.containing(offer.type.name)
    if servers and offer.type.nvlink_domain:
        yield f"UltraServers are sold whole: {servers[0].instances} nodes, or twice as many"
    if any(name.startswith("hyperpod") for name in offer.services):
        yield "HyperPod's default quotas are 20 nodes in a cluster and 30 in an account"
    elif offer.kind in ("on-demand", "reservation", "spot"):
        yield _quota(offer)


def _of_blocks(offer: Offer, need: Need) -> Iterator[str]:
    if offer.nodes > blocks.MOST_INSTANCES:
        parts = -(-offer.nodes // blocks.MOST_INSTANCES)
        yield (
            f"a block has at most {blocks.MOST_INSTANCES} nodes: {parts} blocks, which are not "
            "one fabric and may differ in zone; ask for one zone"
        )
    elif offer.nodes & (offer.nodes - 1) and not offer.type.ultraserver:
        lower = 1 << offer.nodes.bit_length() - 1
        yield f"AWS may offer only {lower} or {2 * lower} nodes: counts that are powers of two"
    if need.start is None:
        yield f"a block starts at most {blocks.EARLIEST_WEEKS} weeks ahead"


def _of_time(offer: Offer, need: Need) -> Iterator[str]:
    minutes = blocks.END_MINUTES
    if offer.type.nvlink_domain:
        minutes = blocks.ULTRASERVER_END_MINUTES
    dates = ""
    if need.start:
        dates = f"; from {need.start} to {need.start + datetime.timedelta(hours=offer.hours)}"
    yield f"ends at 11:30 UTC, and nodes stop {minutes} minutes before{dates}"
    if offer.hours > need.hours:
        days = offer.hours // blocks.DAY_HOURS
        yield f"sold for {days} d, the next length after {duration(need.hours)}"


def _quota(offer: Offer) -> str:
    spot = offer.kind == "spot"
    quota = offer.type.quota
    code = quota.spot if spot else quota.on_demand
    default = quotas.DEFAULT_VCPUS.get(quota.family, 0)
    how = "Spot" if spot else f"On-Demand, by default {default}"
    vcpus = offer.type.vcpus * offer.nodes
    return f"quota {code or 'of unknown code'} ({quota.family}, {how}): {vcpus:,} vCPUs"


def _unknown(offer: Offer) -> Iterator[str]:
    if offer.upfront:
        yield "whether AWS has an offering at that time"
    if offer.kind == "training-plan":
        yield f"the fee: estimated as {blocks.PLAN_FACTOR} x the Capacity Block rate"
    if offer.price is None:
        yield "the price of the nodes"
    elif offer.kind == "spot":
        yield "the price: the amounts are the limit, On-Demand"
    elif offer.price.source.confidence != "high":
        yield f"the price: {offer.price.source.note or offer.price.source.confidence}"
    if offer.kind in ("on-demand", "reservation") and offer.type.capacity_block:
        yield "whether AWS has the capacity"


def advice(found: Recommendation) -> Iterator[str]:
    """What would change the answer."""
    need, answers = found.need, found.answers
    if not answers:
        return
    first = answers[0].offer
    if not found.within_budget and need.budget is not None:
        yield from _cheaper(first, need.budget)
    yield from _certainty_only([answer.offer for answer in answers])
    longer = blocks.days(need.hours)
    if first.upfront and longer and longer * blocks.DAY_HOURS > need.hours:
        shorter = longer - (1 if longer <= blocks.SINGLE_DAYS else blocks.WEEK_DAYS)
        less = (first.usd_hour or 0) * blocks.DAY_HOURS * shorter
        yield f"{shorter} days instead of {longer}: {less:,.0f} USD for the nodes"
    if need.start is None and first.upfront:
        yield "the start: offerings differ by day; --start narrows the search"


_CLOSE: Final = 1.02


def _certainty_only(found: Sequence[Offer]) -> Iterator[str]:
    """Blocks that cost as much as reservations, which can be cancelled."""
    held = {offer.type.name: offer for offer in found if offer.kind == "reservation"}
    for block in found:
        other = held.get(block.type.name)
        if block.kind != "capacity-block" or other is None:
            continue
        if block.usd_hour and other.usd_hour and other.usd_hour <= block.usd_hour * _CLOSE:
            yield (
                f"{block.type.name} costs the same per hour in a reservation, which can be "
                "cancelled: the block buys certainty, not a lower price"
            )


def _cheaper(offer: Offer, budget: float) -> Iterator[str]:
    """What fits the budget: fewer nodes, or less time."""
    usd = offer.usd
    if not usd:
        return
    yield f"nothing fits the budget of {budget:,.0f} USD"
    nodes = int(offer.nodes * budget / usd)
    if nodes:
        yield f"{nodes} nodes of {offer.type.name} for the same time fit it"
    hours = int(offer.hours * budget / usd)
    if hours >= blocks.DAY_HOURS:
        days = hours // blocks.DAY_HOURS
        if days > blocks.SINGLE_DAYS:
            days -= days % blocks.WEEK_DAYS
        yield f"{offer.nodes} nodes for {days} days fit it"


def parts(need: Need, answers: Sequence[Answer]) -> str:
    """A sentence on the need and its number of answers."""
    days = duration(need.hours)
    where = need.regions[0] if len(need.regions) == 1 else f"{len(need.regions)} regions"
    start = f", from {need.start}" if need.start else ""
    count = f"{len(answers)} answer{'s' if len(answers) != 1 else ''}"
    return f"{need.count:,} {need.what} for {days} in {where}{start}: {count}"
