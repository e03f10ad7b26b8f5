"""The node groups that eksctl makes, as settings of EKS."""

from collections.abc import Iterator
from typing import Any, Final

from clustergen.base.patterns import pattern
from clustergen.base.text_lists import word_set
from clustergen.facts import catalog
from clustergen.importing.eks.form import CLUSTER, EFFECTS
from clustergen.importing.eksctl.bootstrap import FAMILY, user_data
from clustergen.importing.eksctl.cluster import subnets, version, zones_of_subnets
from clustergen.importing.eksctl.keys import SELF_MANAGED, Keys
from clustergen.importing.machines import filled
from clustergen.importing.notes import Notes
from clustergen.importing.settings import LAUNCH_TEMPLATE, Json, link, placement_group
from clustergen.services.eks import images

# https://docs.aws.amazon.com/eks/latest/eksctl/schema.html, read on 2026-11-22.
_TYPE: Final = "m5.large"
_NODES: Final = 2
_VOLUME_GIB: Final = 80
_HOPS: Final = 2
_NAME: Final = pattern(r"^[0-9A-Za-z][A-Za-z0-9_-]{0,62}$")
_WAYS: Final = word_set("auto auto-ssm static")
_EFFECTS: Final = {word: theirs for theirs, word in EFFECTS.items()}
_STAND_IN: Final = "ami-" + "0" * 17
_ACTIONS: Final = {"Restart": "Reboot", "Terminate": "Replace"}
"""Words of eksctl's examples for actions of EKS."""
_FAMILIES: Final = {
    "Bottlerocket": ("BOTTLEROCKET_x86_64", "BOTTLEROCKET_ARM_64"),
    "AmazonLinux2": ("AL2_x86_64", "AL2_ARM_64"),
    "WindowsServer2019CoreContainer": ("WINDOWS_CORE_2019_x86_64",) * 2,
    "WindowsServer2019FullContainer": ("WINDOWS_FULL_2019_x86_64",) * 2,
    "WindowsServer2022CoreContainer": ("WINDOWS_CORE_2022_x86_64",) * 2,
    "WindowsServer2022FullContainer": ("WINDOWS_FULL_2022_x86_64",) * 2,
}


def groups(config: Keys, name: str, notes: Notes) -> Json:
    """The managed node groups, and those that EC2 Auto Scaling runs, as managed ones."""
    found: Json = {}
    for group in config.groups():
        own = _name(group, found, notes)
        if SELF_MANAGED in group.path:
            text = f"{own} is self-managed; clustergen makes it a managed node group"
            notes.rewritten(group.path, text)
        found[own] = _group(group, own, config, name, notes)
        family = group.take("amiFamily")
        if _image(group) == _STAND_IN:
            text = f"eksctl looks up the image of {own}, of {family}"
            path = (*group.path, "amiFamily")
            notes.asked(path, text, "write the id of that image", "node_groups")
        _report(group, own, notes)
    return found


def _report(group: Keys, name: str, notes: Notes) -> None:
    """What only says how eksctl works."""
    for key in ("instancePrefix", "instanceName"):
        if group.take(key):
            text = f"{key} of {name}: clustergen names nodes by their group"
            notes.dropped((*group.path, key), text)
    if group.take("containerRuntime"):
        text = f"containerRuntime of {name}: EKS has only containerd"
        notes.dropped((*group.path, "containerRuntime"), text)
    ssh = group.section("ssh")
    if ssh.value("enableSsm") is True:
        ssh.take("enableSsm")
        text = f"ssh.enableSsm of {name}: nodes always have the agent of Systems Manager"
        notes.dropped(ssh.path, text)
    if ssh.value("allow") is True and ssh.value("publicKeyName"):
        text = (
            f"ssh.allow of {name} opens port 22 of the nodes: the spec has the key pair, and no "
            "such rule; connect with Session Manager, or add a group to security_groups"
        )
        notes.rewritten(ssh.path, text)


def _name(group: Keys, known: Json, notes: Notes) -> str:
    """The name of a group; a stand-in, where a placeholder is in its place."""
    name = str(group.take("name"))
    if _NAME.match(name):
        return name
    made = f"nodes-{len(known) + 1}"
    text = f"{name} is not a valid name of a node group"
    notes.asked((*group.path, "name"), text, f"replace {made} by its name", "node_groups")
    return made


def _group(group: Keys, name: str, config: Keys, cluster: str, notes: Notes) -> Json:
    types = _types(group)
    efa = group.take("efaEnabled") is True
    block = group.section("instanceMarketOptions").take("marketType") == "capacity-block"
    spot = group.take("spot") is True or _only_spot(group.section("instancesDistribution"))
    properties = {
        "NodegroupName": name,
        "ClusterName": link(CLUSTER, cluster),
        "Version": version(config, Notes()) if _image(group) is None else None,
        "NodeRole": group.section("iam").take("instanceRoleARN"),
        "InstanceTypes": [] if block else types,
        "CapacityType": "CAPACITY_BLOCK" if block else "SPOT" if spot else "ON_DEMAND",
        "ScalingConfig": _scaling(group),
        "AmiType": _ami_type(group, types[0]),
        "Labels": {key: str(each) for key, each in group.table("labels").items()},
        "Taints": [*_taints(group)],
        "Subnets": _subnets(group, config, notes, efa=efa),
        "UpdateConfig": _update(group.section("updateConfig")),
        "NodeRepairConfig": _repair(group.section("nodeRepairConfig")),
        "Tags": config.section("metadata").table("tags") | group.table("tags"),
        "ReleaseVersion": group.take("releaseVersion"),
    }
    if "launchTemplate" in group:
        given = group.section("launchTemplate")
        existing = {"Id": given.take("id"), "Version": given.take("version") or "$Default"}
        return {**filled(properties), "LaunchTemplate": filled(existing)}
    data = {**_data(group), **_network(group, types, (name, cluster), efa=efa)}
    if block:
        data["InstanceMarketOptions"] = {"MarketType": "capacity-block"}
        data["InstanceType"] = types[0]
    return {**filled(properties), LAUNCH_TEMPLATE: {"LaunchTemplateData": filled(data)}}


def _types(group: Keys) -> list[str]:
    several = group.section("instancesDistribution").texts("instanceTypes")
    one = str(group.take("instanceType") or _TYPE)
    return group.texts("instanceTypes") or several or [one]


def _only_spot(mixed: Keys) -> bool:
    """Whether all nodes of a group of several types are spot; EC2 starts none without a share.

    https://docs.aws.amazon.com/eks/latest/eksctl/spot-instances.html
    """
    shares = ("onDemandBaseCapacity", "onDemandPercentageAboveBaseCapacity")
    base, percentage = (mixed.value(each) for each in shares)
    spot = base in (None, 0) and percentage == 0
    if spot or (base is None and percentage in (None, 100)):
        for each in shares:
            mixed.take(each)
    return spot


def _scaling(group: Keys) -> Json:
    low, wanted, high = (group.number(key) for key in ("minSize", "desiredCapacity", "maxSize"))
    given = [each for each in (wanted, low, high) if each is not None]
    first = given[0] if given else _NODES
    low = low if low is not None else min(first, high) if high is not None else first
    high = high if high is not None else max(first, low)
    return {"MinSize": low, "MaxSize": high, "DesiredSize": wanted if wanted is not None else low}


def _image(group: Keys) -> str | None:
    """The id of the image; other words name ways in which eksctl finds one.

    EKS has no type for images of other families.
    """
    image = str(group.value("ami") or "")
    if image.startswith("ami-") or image in _WAYS:
        group.take("ami")
    if image.startswith("ami-"):
        return image
    known = str(group.value("amiFamily") or FAMILY) in (FAMILY, *_FAMILIES)
    return None if known else _STAND_IN


def _ami_type(group: Keys, type: str) -> str | None:
    if _image(group) is not None:
        return None
    family = str(group.value("amiFamily") or FAMILY)
    known = catalog.find(type)
    arm = known is not None and known.arch == "arm64"
    if family == FAMILY:
        return images.ami_type(known) if known else "AL2023_x86_64_STANDARD"
    made = _FAMILIES[family][arm]
    nvidia = known and known.accelerator and known.accelerator.manufacturer == "NVIDIA"
    return f"{made}_NVIDIA" if nvidia and family == "Bottlerocket" else made


def _taints(group: Keys) -> Iterator[Json]:
    given = group.take("taints")
    if isinstance(given, dict):  # the older form, key: value:effect
        for key, text in given.items():
            value, _, effect = str(text).rpartition(":")
            yield {"Key": key, "Value": value or None, "Effect": _EFFECTS.get(effect, effect)}
    for each in given if isinstance(given, list) else []:
        if isinstance(each, dict):
            effect = str(each.get("effect"))
            given_value = each.get("value")
            yield {
                "Key": each.get("key"),
                "Value": None if given_value is None else str(given_value),
                "Effect": _EFFECTS.get(effect, effect),
            }


def _subnets(group: Keys, config: Keys, notes: Notes, *, efa: bool) -> list[str]:
    """The existing subnets; none in a VPC that eksctl makes."""
    found = _all_subnets(group, config)
    if efa and len(found) > 1:
        # As eksctl does where a file names zones: https://docs.aws.amazon.com/eks/latest/eksctl/
        text = f"EFA stays in one zone: of its subnets, {group.take('name')} has {found[0]}"
        notes.decided(group.path, text, "node_groups")
        return found[:1]
    return found


def _all_subnets(group: Keys, config: Keys) -> list[str]:
    private = group.take("privateNetworking") is True
    named, zones = group.texts("subnets"), group.texts("availabilityZones")
    ids = {**subnets(config, "private"), **subnets(config, "public")}
    if named:
        return [ids.get(each, each) for each in named]
    existing = subnets(config, "private" if private else "public")
    if not zones:
        return list(existing.values())
    by_zone = zones_of_subnets(config)
    return [id for id in existing.values() if by_zone.get(id) in zones] or list(existing.values())


def _update(update: Keys) -> Json:
    return {
        "MaxUnavailable": update.number("maxUnavailable"),
        "MaxUnavailablePercentage": update.number("maxUnavailablePercentage"),
        "UpdateStrategy": update.take("updateStrategy"),
    }


def _repair(repair: Keys) -> Json:
    counts = (
        "maxUnhealthyNodeThresholdPercentage",
        "maxUnhealthyNodeThresholdCount",
        "maxParallelNodesRepairedPercentage",
        "maxParallelNodesRepairedCount",
    )
    overrides = [
        {
            "NodeMonitoringCondition": each.take("nodeMonitoringCondition"),
            "NodeUnhealthyReason": each.take("nodeUnhealthyReason"),
            "MinRepairWaitTimeMins": each.number("minRepairWaitTimeMins"),
            "RepairAction": _ACTIONS.get(action := str(each.take("repairAction")), action),
        }
        for each in repair.sections("nodeRepairConfigOverrides")
    ]
    return {
        "Enabled": repair.take("enabled"),
        **{name[0].upper() + name[1:]: repair.number(name) for name in counts},
        "NodeRepairConfigOverrides": overrides,
    }


def _data(group: Keys) -> Json:
    device = str(group.take("volumeName") or "/dev/xvda")
    reservation = group.section("capacityReservation")
    target = reservation.section("capacityReservationTarget")
    return {
        "MetadataOptions": {
            "HttpTokens": "optional" if group.take("disableIMDSv1") is False else "required",
            "HttpPutResponseHopLimit": 1 if group.take("disablePodIMDS") is True else _HOPS,
        },
        "BlockDeviceMappings": [{"DeviceName": device, "Ebs": _volume(group)}],
        "ImageId": _image(group),
        "KeyName": _key(group.section("ssh")),
        "CapacityReservationSpecification": {
            "CapacityReservationPreference": reservation.take("capacityReservationPreference"),
            "CapacityReservationTarget": {
                "CapacityReservationId": target.take("capacityReservationID"),
                "CapacityReservationResourceGroupArn": target.take(
                    "capacityReservationResourceGroupARN"
                ),
            },
        },
        "EbsOptimized": group.take("ebsOptimized"),
        "Monitoring": {"Enabled": group.take("enableDetailedMonitoring")},
        "UserData": {"Fn::Base64": data} if (data := user_data(group)) else None,
    }


def _volume(group: Keys) -> Json:
    return {
        "VolumeSize": group.number("volumeSize") or _VOLUME_GIB,
        "VolumeType": group.take("volumeType") or "gp3",
        "Iops": group.number("volumeIOPS"),
        "Throughput": group.number("volumeThroughput"),
        "Encrypted": group.take("volumeEncrypted"),
        "KmsKeyId": group.take("volumeKmsKeyID"),
    }


def _key(ssh: Keys) -> Any:
    """The key pair, of those that EC2 has; eksctl makes one of other keys."""
    name = ssh.take("publicKeyName")
    if name or ssh.value("allow") is not True:  # eksctl makes a key pair of a local file
        ssh.take("allow")
    return name if ssh.value("allow") is not False else None


def _network(group: Keys, types: list[str], names: tuple[str, str], *, efa: bool) -> Json:
    name, cluster = names
    own = link(CLUSTER, cluster, "ClusterSecurityGroupId")
    groups = [own, *group.section("securityGroups").texts("attachIDs")]
    placed = group.section("placement").take("groupName")
    if not efa:
        return {"SecurityGroupIds": groups, "Placement": {"GroupName": placed}}
    known = [type for type in map(catalog.find, types) if type]
    cards = min((len(type.cards) for type in known), default=1)
    reserved = "capacityReservation" in group
    placed = None if reserved else placed or placement_group(name)
    return {
        "NetworkInterfaces": [
            {
                "NetworkCardIndex": card,
                "DeviceIndex": min(card, 1),
                "InterfaceType": "efa",
                "Groups": groups,
            }
            for card in range(max(cards, 1))
        ],
        "Placement": {"GroupName": placed},
    }
