"""What launch templates say about nodes, in the words of the language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from clustergen.base.findings import Path
from clustergen.importing.notes import Notes
from clustergen.importing.settings import LAUNCH_TEMPLATE, NO_GROUP, Json, own_group
from clustergen.services.aws import launch_templates
from clustergen.services.fields import read

_EFA: Final = ("efa", "efa-only")


def section(node: Any, *keys: str) -> Json:
    """The mapping at ``keys``; empty if there is none."""
    for key in keys:
        node = node.get(key) if isinstance(node, Mapping) else None
    return dict(node) if isinstance(node, Mapping) else {}


def items(node: Any, *keys: str) -> list[Any]:
    """The list at ``keys``; empty if there is none."""
    found = section(node, *keys[:-1]).get(keys[-1])
    return list(found) if isinstance(found, list) else []


def mappings(node: Any, *keys: str) -> list[Json]:
    return [dict(each) for each in items(node, *keys) if isinstance(each, Mapping)]


def tag_map(node: Any) -> Json:
    """The values of the tags of ``node``, by their keys."""
    return {str(tag.get("Key")): tag.get("Value") for tag in mappings(node, "Tags")}


def filled(value: Any) -> Any:
    """``value`` without keys that say nothing."""
    if isinstance(value, Mapping):
        inner = {key: filled(each) for key, each in value.items()}
        return {key: each for key, each in inner.items() if each not in (None, {}, [])}
    return [filled(each) for each in value] if isinstance(value, list) else value


def template(node: Json) -> Json:
    """The data of the launch template of a node group."""
    return section(node, LAUNCH_TEMPLATE, "LaunchTemplateData")


def number(value: Any, default: int = 0) -> int:
    """A count, however it is written."""
    return int(value) if str(value).isdigit() else default


def count(low: Any, high: Any) -> Json | int:
    """Number of nodes."""
    low, high = number(low), number(high)
    return high if low == high else {"min": low, "max": max(low, high)}


def missing_group(place: Path, notes: Notes) -> Json:
    """In place of node groups, of which a spec has at least one."""
    text = "the cluster has no node groups, and a spec needs one"
    help = "write the nodes that your jobs need; none starts as long as no job waits"
    notes.asked(place, text, help, "node_groups")
    return {"name": NO_GROUP, "instance_type": "m7i.4xlarge", "count": {"min": 0, "max": 1}}


def fields(data: Json) -> Json:
    """What the data of a launch template says in words."""
    volumes = [section(each, "Ebs") for each in items(data, "BlockDeviceMappings")]
    return {
        "efa": any(type in _EFA for type in interface_types(data)),
        "efa_layout": _layout(data),
        "placement": _placement(data),
        "root_volume": read(launch_templates.ROOT_VOLUME, volumes[0] if volumes else {}),
        **read(launch_templates.CPU, data),
    }


def volumes(node: Json) -> list[Any]:
    """The devices of the volumes of a node group."""
    return [each.get("DeviceName") for each in mappings(template(node), "BlockDeviceMappings")]


def options(groups: Iterable[Json], hops: int) -> Json:
    """The options of a target for the launch templates of all groups, where these agree.

    ``hops`` is the target's own limit of hops.
    """
    found = [read(launch_templates.options(hops), template(each)) for each in groups]
    return {
        name: value
        for name, value in (found[0] if found else {}).items()
        if all(each.get(name) == value for each in found)
    }


def security_groups(node: Json) -> list[Any]:
    """The security groups of a node group, in its launch template or in ``node``."""
    data = template(node)
    interfaces = mappings(data, "NetworkInterfaces")
    first = items(interfaces[0], "Groups") if interfaces else items(data, "SecurityGroupIds")
    return first or items(node, "SecurityGroupIds")


class Security(NamedTuple):
    """The security groups of a cluster's nodes."""

    shared: list[str]
    """Those of all nodes."""
    own: list[list[str]]
    """Those that each node group has besides."""
    left_out: list[str]
    """The word for node groups with none but their own."""

    @classmethod
    def of(cls, groups: Iterable[Sequence[Any]], given: Sequence[Any] | None = None) -> Security:
        """Of the groups of each node group.

        ``given`` are those of the cluster itself; without them, what all nodes have is shared.
        """
        lists = [list(each) for each in groups]
        named = [_named(each) for each in lists]
        alike = len(set(map(tuple, named))) == 1 and not any(map(has_reference, lists))
        shared = _named(given) if given is not None else named[0] if alike else []
        own = [[id for id in each if id not in shared] for each in named]
        among = (
            has_reference(every) or bool(set(every) & set(shared))
            for every, each in zip(lists, own, strict=True)
            if each
        )
        return cls(shared, own, ["security-groups"] if any(own) and not any(among) else [])


def _named(groups: Sequence[Any]) -> list[str]:
    return [str(each) for each in groups if str(each).startswith("sg-")]


def has_reference(groups: Sequence[Any]) -> bool:
    """Whether nodes are in the group of a foundation of clustergen's."""
    return any(isinstance(each, Mapping) for each in groups)


def tags(group: Json, cluster: str, shared: Json, name: str) -> Json:
    """The tags of a group's nodes, besides those of the cluster and the name that all have."""
    known = {**shared, "Name": f"{cluster}-{name}"}
    specified = mappings(template(group), "TagSpecifications")
    own = [tag_map(each) for each in specified if each.get("ResourceType") == "instance"]
    found = (own or [{}])[0] if specified else section(group, "Tags")
    return {key: value for key, value in found.items() if known.get(key) != value}


def reservation(data: Json) -> Json:
    """The reservation that nodes start in."""
    target = section(data, "CapacityReservationSpecification", "CapacityReservationTarget")
    market = section(data, "InstanceMarketOptions").get("MarketType")
    kinds = launch_templates.RESERVATIONS
    found = [kind for kind, member in kinds.items() if target.get(member)]
    exact = [kind for kind in found if launch_templates.MARKETS.get(kind) == market]
    return {kind.replace("-", "_"): target[kinds[kind]] for kind in (exact or found)[:1]}


def interface_types(data: Json) -> list[str]:
    """The types of the network interfaces, by network card."""
    cards = mappings(data, "NetworkInterfaces")
    return [str(card.get("InterfaceType", "interface")) for card in cards]


def _layout(data: Json) -> str | None:
    further = interface_types(data)[1:]
    if not any(type in _EFA for type in further):
        return None
    return "efa-only" if "efa" not in further else "efa"


def _placement(data: Json) -> Json | str:
    name = section(data, "Placement").get("GroupName")
    if own_group(name):
        return "cluster"
    return {"group": name} if name else "none"
