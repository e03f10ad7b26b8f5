"""The network of a cluster that exists, from the ids of its subnets."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.base.findings import Path
from clustergen.base.patterns import pattern
from clustergen.facts.catalog import regions
from clustergen.importing.answers import STAND_IN_VPC, Answers
from clustergen.importing.cloudformation.functions import UNKNOWN, as_text
from clustergen.importing.companion_files import Beside
from clustergen.importing.machines import items, number
from clustergen.importing.notes import Notes

_OF_ZONE = pattern(r"PrivateSubnet(Az[0-9]+|[A-Z])Id")
"""The outputs of :func:`clustergen.plan.network.zone_stem`."""
_RULE, _RULES = "AWS::EC2::SecurityGroupIngress", "SecurityGroupIngress"
_SOURCES = ("CidrIp", "CidrIpv6", "SourcePrefixListId")
_SSH, _EVERY = 22, "-1"
"""A port, and the word for all protocols."""


def network(
    found: Iterable[object], place: Path, silence: str, answers: Answers, notes: Notes
) -> Json:
    """The VPC and private subnets of a spec; asks for the VPC, which no file names.

    ``place`` is what of the file the question is about, ``silence`` its text.
    """
    subnets = list(dict.fromkeys(id for id in found if isinstance(id, str)))
    # Those of a foundation of clustergen, or of eksctl.
    if not subnets or any("${" in id for id in subnets):
        return {"zone": answers.zones.get("") or f"{answers.region}a"}
    if not answers.vpc:
        help = f"use --vpc; `aws ec2 describe-subnets --subnet-ids {subnets[0]}` shows it"
        notes.asked(place, silence, help, "network")
    return {
        "vpc": answers.vpc or STAND_IN_VPC,
        "private_subnets": [with_zone(id, answers) for id in subnets],
    }


def ssh_from(groups: Iterable[Any], beside: Beside, notes: Notes) -> Json:
    """Who may use SSH: what the rules of the security groups of nodes allow."""
    found = {each.id: each for group in groups if (each := beside.resource(group))}
    rules = [each for group in found.values() for each in items(group.properties, _RULES)]
    for rule in beside.of_type(_RULE):
        group = beside.resource(rule.properties.get("GroupId"))
        rules += [rule.properties] if group and group.id in found else []
    opened = [each for each in rules if isinstance(each, Mapping) and _opens_ssh(each)]
    sources = [as_text(each[key]) for each in opened for key in _SOURCES if key in each]
    if unknown := [UNKNOWN.sub(r"\1", each) for each in sources if UNKNOWN.search(each)]:
        text = f"a rule allows SSH from {unknown[0]}, which no file says"
        notes.asked((), text, "use --parameter, or write it to network.ssh_from", "network")
    known = [each for each in sources if not UNKNOWN.search(each)]
    return {"ssh_from": list(dict.fromkeys(known))} if known else {}


def _opens_ssh(rule: Mapping[str, Any]) -> bool:
    low, high = (number(rule.get(key), -1) for key in ("FromPort", "ToPort"))
    return str(rule.get("IpProtocol")) == _EVERY or low <= _SSH <= high


def with_zone(id: str, answers: Answers) -> Json | str:
    """A subnet of a spec, with its zone where that is known."""
    zone = answers.zones.get(id) or answers.zones.get("")
    return {"id": id, "zone": zone} if zone else id


def own_places(subnets: Sequence[Any], shared: Json, region: str) -> Json:
    """The zone or the subnets of a node group, where they are not those of the network."""
    if zones := [zone for each in subnets if (zone := _zone(each, region))]:
        return {"zone": zones[0]}
    private = shared.get("private_subnets", [])
    common = [each["id"] if isinstance(each, Mapping) else each for each in private]
    named = [each for each in subnets if isinstance(each, str) and "${" not in each]
    return {"subnets": named} if named and named != common else {}


def _zone(subnet: Any, region: str) -> str | None:
    """The zone of a subnet that a foundation of clustergen has for node groups there."""
    name = subnet.get("Ref") if isinstance(subnet, Mapping) else subnet
    found = _OF_ZONE.search(str(name))
    if not found:
        return None
    zone = found[1].lower()
    return f"{regions.zone_prefix(region)}-{zone}" if len(zone) > 1 else f"{region}{zone}"
