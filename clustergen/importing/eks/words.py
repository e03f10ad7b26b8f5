"""An EKS cluster in the words of the language, as far as it has them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from clustergen import catalog
from clustergen.eks import images
from clustergen.importing import machines
from clustergen.importing.answers import Answers
from clustergen.importing.eks.form import ACCESS, ADDONS, CLUSTER, NODE_GROUPS
from clustergen.importing.machines import items, section
from clustergen.importing.network import network
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json
from clustergen.kubernetes.labels_and_taints import SYSTEM
from clustergen.words import word_set

_EFFECTS: Final = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}
_ADDED: Final = (
    f"clustergen adds a node group {SYSTEM} for DNS and its controllers, besides those of the "
    "original"
)
_NEEDED: Final = word_set("vpc-cni coredns kube-proxy")
_ALSO: Final = (
    "clustergen also installs the add-ons that it needs; EKS adopts those that run already"
)
_ZONES: Final = 2
_KARPENTER: Final = "KarpenterNodeAccess"
"""What templates of clustergen have for the nodes that Karpenter starts."""
_ADMIN: Final = "AmazonEKSClusterAdminPolicy"
_EVERYONE: Final = ["0.0.0.0/0"]


def spec(settings: Json, answers: Answers, notes: Notes) -> Json:
    """The spec of the settings of a cluster, without an overlay."""
    ((name, cluster),) = list(section(settings, CLUSTER).items())[:1]
    groups = section(settings, NODE_GROUPS)
    system = SYSTEM if SYSTEM in groups else ""
    if not answers.adopt:
        _report_additions(name, settings, notes)
    found = {
        "version": 1,
        "name": name,
        "region": answers.region,
        "tags": _tags(cluster),
        "network": _network(cluster, groups, answers, notes),
        "node_groups": [
            group(key, each) | {"tags": machines.tags(each, name, _tags(cluster), key)}
            for key, each in groups.items()
            if key != system
        ]
        or [machines.stand_in((CLUSTER, name), notes)],
        "kubernetes": {
            "autoscaler": "karpenter" if _KARPENTER in section(settings, ACCESS) else None,
            "version": _text(cluster.get("Version")) or None,
            "support": _text(section(cluster, "UpgradePolicy").get("SupportType")).lower() or None,
            "system_nodes": _machine(groups[system]) if system else None,
            "admins": list(_admins(section(settings, ACCESS))),
            "public_endpoint_from": _public(section(cluster, "ResourcesVpcConfig")),
        },
        "resilience": resilience(groups.values()),
    }
    written = {key: machines.filled(value) for key, value in found.items()}
    kept = {key: value for key, value in written.items() if value not in (None, {}, [])}
    protected = str(cluster.get("DeletionProtection")).lower() == "true"
    options = {"deletion_protection": True} if protected else {}
    return kept | {"targets": {"eks": options | software(answers, notes)}}


def _report_additions(name: str, settings: Json, notes: Notes) -> None:
    if SYSTEM not in section(settings, NODE_GROUPS):
        notes.decided((CLUSTER, name), _ADDED, "kubernetes")
    if not set(section(settings, ADDONS)) >= _NEEDED:
        notes.decided((CLUSTER, name), _ALSO, "targets")


def software(answers: Answers, notes: Notes) -> Json:
    """A cluster that runs keeps the software that it has, until more is asked for."""
    if not answers.adopt:
        return {}
    notes.decided(
        (),
        "deploy.sh installs no software in the cluster; with `install: script`, it also installs "
        "what install.sh has: compare that with `helm list --all-namespaces` first",
        "targets",
    )
    return {"install": "none"}


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _tags(cluster: Json) -> Json:
    return {
        str(section({"": tag}, "").get("Key")): str(section({"": tag}, "").get("Value"))
        for tag in items(cluster, "Tags")
    }


def resilience(groups: Iterable[Json]) -> Json:
    repaired = [section(group, "NodeRepairConfig").get("Enabled") for group in groups]
    wanted = any(str(each).lower() == "true" for each in repaired)
    return {} if wanted or not repaired else {"replace_failed_nodes": False}


def _public(vpc: Json) -> list[str]:
    """The blocks that reach the endpoint from outside; none if it is private."""
    if str(vpc.get("EndpointPublicAccess", True)).lower() == "false":
        return []
    return [str(block) for block in vpc.get("PublicAccessCidrs") or _EVERYONE]


def _admins(entries: Json) -> Iterable[str]:
    for principal, entry in entries.items():
        policies = [section({"": each}, "") for each in items(entry, "AccessPolicies")]
        if any(str(each.get("PolicyArn")).endswith(_ADMIN) for each in policies):
            yield principal


def _network(cluster: Json, groups: Json, answers: Answers, notes: Notes) -> Json:
    own = [s for group in groups.values() for s in items(group, "Subnets") if isinstance(s, str)]
    control = items(cluster, "ResourcesVpcConfig", "SubnetIds")
    control = [subnet for subnet in control if isinstance(subnet, str)]
    found = network(own or control, CLUSTER, "no file names the VPC", answers, notes)
    if "vpc" not in found:
        return found
    return {**found, "control_plane_subnets": _control_plane(control, answers, notes)}


def _control_plane(subnets: Sequence[str], answers: Answers, notes: Notes) -> list[Json]:
    """The subnets of the control plane, which EKS has in two zones at least."""
    known = {id: answers.zones.get(id) or answers.zones.get("") for id in subnets}
    if len(subnets) > 1 and len({zone for zone in known.values() if zone}) < _ZONES:
        text = "the zones of the subnets of the control plane are a guess"
        help = f"use --zone; `aws ec2 describe-subnets --subnet-ids {subnets[0]} ...` shows them"
        notes.asked((CLUSTER,), text, help, "network")
        letters = (chr(ord("a") + number % _ZONES) for number in range(len(subnets)))
        known = {id: f"{answers.region}{each}" for id, each in zip(subnets, letters, strict=False)}
    return [{"id": id, "zone": zone} for id, zone in known.items()]


def _types(group: Json) -> list[str]:
    named = [str(each) for each in items(group, "InstanceTypes")]
    return named or [_text(machines.template(group).get("InstanceType")) or "t3.medium"]


def _machine(group: Json) -> Json:
    low = machines.number(section(group, "ScalingConfig").get("MinSize"), 1)
    return {"instance_type": _types(group)[0], "count": max(low, 1)}


def group(name: str, group: Json) -> Json:
    scaling, types = section(group, "ScalingConfig"), _types(group)
    high = machines.number(scaling.get("MaxSize"), 1)
    return {
        "name": name,
        **({"instance_type": types[0]} if len(types) == 1 else {"instance_types": types}),
        "count": machines.count(scaling.get("MinSize"), high),
        "capacity": _capacity(group),
        **machines.words(machines.template(group)),
        "image": _image(group, types[0]),
        "labels": {str(k): _text(v) for k, v in section(group, "Labels").items()},
        "taints": [_taint(section({"": each}, "")) for each in items(group, "Taints")],
    }


def _image(group: Json, type: str) -> Any:
    known = catalog.find(type)
    image = machines.template(group).get("ImageId")
    if known and group.get("AmiType") in (None, images.ami_type(known), "CUSTOM") and image:
        return image if str(image).startswith("ami-") else None
    return None


def _taint(taint: Json) -> Json:
    return {
        "key": taint.get("Key"),
        "value": taint.get("Value") or None,
        "effect": _EFFECTS.get(_text(taint.get("Effect"))),
    }


def _capacity(group: Json) -> Json | str | None:
    if group.get("CapacityType") == "SPOT":
        return "spot"
    return machines.reservation(machines.template(group)) or None
