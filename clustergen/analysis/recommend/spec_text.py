"""The spec of an offer, to check, to price and to write."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from clustergen import targets
from clustergen.analysis.recommend.need import Need, plain
from clustergen.analysis.recommend.offers import Offer
from clustergen.base.yaml_text import yaml_text
from clustergen.facts.catalog import blocks, fsx, regions, ultraservers
from clustergen.services.cost.nodes import OPTIONS

_RESERVATION = "cr-0123456789abcdef"
_PLAN = "arn:aws:sagemaker:{region}:111122223333:training-plan/replace-me"
_SHORTEST: Final = 2
MARK: Final = "# <-"
"""Marks what to replace, as in the presets of ``init``."""


@dataclass(frozen=True, slots=True)
class NewSpec:
    """A new spec, with storage that suits the nodes."""

    need: Need

    def text(self, offer: Offer, target: str) -> str:
        return "\n".join(_lines(offer, self.need, target)) + "\n"

    def group(self, offer: Offer) -> str:
        """The name of the node group that the offer is for."""
        return group_name(offer)


@dataclass(frozen=True, slots=True)
class ChangedSpec:
    """A spec with other nodes in one of its groups."""

    data: Mapping[str, Any]
    index: int
    name: str

    def text(self, offer: Offer, target: str) -> str:
        data = copy.deepcopy(dict(self.data))
        group = data["node_groups"][self.index]
        group.pop("instance_types", None)
        group |= {"instance_type": offer.type.name, "count": offer.nodes}
        group["capacity"] = _dated(_bought(offer), group.get("capacity"))
        data["region"] = offer.region
        network = data.setdefault("network", {})
        if offer.zones and network.get("zone") not in offer.zones:
            network["zone"] = offer.zones[0]
        data["targets"] = {target: (data.get("targets") or {}).get(target) or {}}
        return yaml_text(data)

    def group(self, offer: Offer) -> str:  # noqa: ARG002 the same for all offers
        return self.name


Draft = NewSpec | ChangedSpec
"""Writes the spec of an offer."""


def group_name(offer: Offer) -> str:
    """``h200`` for nodes with H200; the family of nodes without accelerators."""
    device = offer.type.accelerator
    name = plain(device.name if device else offer.type.family)
    return name if len(name) > _SHORTEST else f"{name}-nodes"


def _lines(offer: Offer, need: Need, target: str) -> Iterator[str]:
    group = group_name(offer)
    slurm = targets.load(target).traits.scheduler == "slurm"
    yield f"# {need.count} {need.what}: {offer.nodes} x {offer.type.name}, {OPTIONS[offer.kind]}."
    yield f"# Replace what is marked with {MARK[2:]}, then: clustergen check"
    yield from ("version: 1", f"name: {group}-{need.count}", f"region: {offer.region}")
    yield f"network: {{zone: {offer.zones[0]}}}  {MARK} the zone of the capacity"
    if slurm and offer.type.arch == "arm64":
        yield "head_node: {instance_type: m7g.4xlarge}"
    parts = _parts(offer)
    names = [group if len(parts) == 1 else f"{group}-{n}" for n in range(1, len(parts) + 1)]
    yield "node_groups:"
    for number, (name, nodes) in enumerate(zip(names, parts, strict=True)):
        yield from _node_group(offer, name, nodes, number, target)
    shared = ", ".join(names)
    whole = ", exclusive: true" if slurm else ""
    yield f"queues: [{{name: train, node_groups: [{shared}]{whole}}}]"
    yield from ("storage:", f"  - {_storage(offer)}")
    yield f"targets: {{{target}: {{}}}}"


def _parts(offer: Offer) -> list[int]:
    """Nodes of each node group: a block has at most 64, and is one UltraServer."""
    most = offer.nodes
    if offer.kind == "capacity-block":
        server = ultraservers.containing(offer.type.name)[-1:]
        most = server[0].instances if server else blocks.MOST_INSTANCES
    full, rest = divmod(offer.nodes, most)
    return [*([most] * full), *([rest] if rest else [])]


def _node_group(offer: Offer, name: str, nodes: int, number: int, target: str) -> Iterator[str]:
    yield f"  - name: {name}"
    yield f"    instance_type: {offer.type.name}"
    yield f"    count: {_count(offer, nodes, target)}"
    yield f"    capacity: {_capacity(offer, number)}"
    if offer.nodes == 1 and offer.type.efa and not target.startswith("hyperpod"):
        yield "    efa: false  # for several nodes only"


def _count(offer: Offer, nodes: int, target: str) -> str:
    """Nodes that are not held start on demand, where the service can do that."""
    limits = targets.load(target).limits
    elastic = not limits.minimum and limits.unscaled is None
    fixed = offer.kind not in ("on-demand", "spot") or not elastic
    return str(nodes) if fixed else f"{{min: 0, max: {nodes}}}"


def _dated(bought: str | dict[str, str], before: Any) -> str | dict[str, str]:
    """With the dates of the capacity that is replaced, where the new one can have them."""
    if isinstance(bought, str) or not isinstance(before, Mapping):
        return bought
    return {**bought, **{name: before[name] for name in ("starts", "ends") if name in before}}


def _bought(offer: Offer, number: int = 0) -> str | dict[str, str]:
    """The value of ``capacity``; ``number`` tells reservations apart."""
    key = offer.kind.replace("-", "_")
    if key not in _NAMES:
        return offer.kind
    is_plan = offer.kind == "training-plan"
    return {key: _PLAN.format(region=offer.region) if is_plan else f"{_RESERVATION}{number:x}"}


def _capacity(offer: Offer, number: int) -> str:
    bought = _bought(offer, number)
    if isinstance(bought, str):
        return bought
    ((key, value),) = bought.items()
    return f'{{{key}: "{value}"}}  {MARK} {_NAMES[key]}'


_NAMES = {
    "capacity_block": "the id of the block",
    "reservation": "the id of the reservation",
    "training_plan": "the ARN of the plan",
}
"""What to write for each key of ``capacity``; other options have no key."""


def _storage(offer: Offer) -> str:
    """Lustre for several nodes, over EFA where region and nodes can do it; otherwise EFS."""
    zone = offer.zones[0]
    there = fsx.persistent_2_in(offer.region, zone if regions.is_local_zone(zone) else "")
    if offer.nodes == 1 or there is None:
        return "{mount: /shared, type: efs}"
    if there is fsx.Persistent2.NONE:
        return "{mount: /fsx, type: fsx-lustre, size: 4800GiB, deployment: scratch-2}"
    efa = there is fsx.Persistent2.FULL and fsx.efa_client(offer.type)
    size = 19200 if efa else 4800
    suffix = ", efa: true" if efa else ""
    return f"{{mount: /fsx, type: fsx-lustre, size: {size}GiB, throughput: 250{suffix}}}"
