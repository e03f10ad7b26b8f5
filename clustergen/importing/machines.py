"""What launch templates say about nodes, in the words of the language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from clustergen.findings import Path
from clustergen.importing.notes import Notes
from clustergen.importing.settings import LAUNCH_TEMPLATE, NO_GROUP, Json, own_group

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


def stand_in(place: Path, notes: Notes) -> Json:
    """In place of node groups, of which a spec has at least one."""
    text = "the cluster has no node groups, and a spec needs one"
    help = "write the nodes that your jobs need; none starts as long as no job waits"
    notes.asked(place, text, help, "node_groups")
    return {"name": NO_GROUP, "instance_type": "m7i.4xlarge", "count": {"min": 0, "max": 1}}


def words(data: Json) -> Json:
    """What the data of a launch template says in words."""
    return {
        "efa": _efa(data),
        "efa_layout": _layout(data),
        "placement": _placement(data),
        "root_volume": _root_volume(data),
        "security_groups": [],
    }


def tags(group: Json, cluster: str, shared: Json, name: str) -> Json:
    """The tags of a group's nodes, besides those of the cluster and the name that all have."""
    known = {**shared, "Name": f"{cluster}-{name}"}
    specified = [section({"": each}, "") for each in items(template(group), "TagSpecifications")]
    own = [items(each, "Tags") for each in specified if each.get("ResourceType") == "instance"]
    found = {str(tag.get("Key")): tag.get("Value") for tag in (own[0] if own else ())}
    if not specified:
        found = section(group, "Tags")
    return {key: value for key, value in found.items() if known.get(key) != value}


def reservation(data: Json) -> Json:
    """The reservation that nodes start in."""
    target = section(data, "CapacityReservationSpecification", "CapacityReservationTarget")
    market = section(data, "InstanceMarketOptions").get("MarketType")
    id = target.get("CapacityReservationId")
    if id:
        key = {
            "capacity-block": "capacity_block",
            "interruptible-capacity-reservation": "interruptible_reservation",
        }
        return {key.get(str(market), "reservation"): id}
    group = target.get("CapacityReservationResourceGroupArn")
    return {"reservation_group": group} if group else {}


def interface_types(data: Json) -> list[str]:
    """The types of the network interfaces, by network card."""
    cards = (each for each in items(data, "NetworkInterfaces") if isinstance(each, Mapping))
    return [str(card.get("InterfaceType", "interface")) for card in cards]


def _efa(data: Json) -> bool:
    return any(type in _EFA for type in interface_types(data))


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


def _root_volume(data: Json) -> Json:
    volumes = [section(each, "Ebs") for each in items(data, "BlockDeviceMappings")]
    root = volumes[0] if volumes else {}
    size, kind = root.get("VolumeSize"), root.get("VolumeType", "gp3")
    return {
        "size": f"{size}GiB" if size else None,
        "type": kind if kind != "gp3" else None,
        "iops": root.get("Iops"),
        "throughput": root.get("Throughput"),
        "encrypted": False if root.get("Encrypted") is False else None,
        "kms_key": root.get("KmsKeyId"),
        "on_delete": "retain" if root.get("DeleteOnTermination") is False else None,
    }
