"""Security group rules of CloudFormation as EC2's Authorize... requests."""

from collections.abc import Iterator
from typing import Any

Properties = dict[str, Any]

_INGRESS = "AuthorizeSecurityGroupIngress"
_EGRESS = "AuthorizeSecurityGroupEgress"
_GROUP = "sg-0a1b2c3d"  # the id of a group that is about to be created

# The property that names the other side of a rule: the list of IpPermissions, its member.
_PEERS = {
    "CidrIp": ("IpRanges", "CidrIp"),
    "CidrIpv6": ("Ipv6Ranges", "CidrIpv6"),
    "SourcePrefixListId": ("PrefixListIds", "PrefixListId"),
    "DestinationPrefixListId": ("PrefixListIds", "PrefixListId"),
    "SourceSecurityGroupId": ("UserIdGroupPairs", "GroupId"),
    "DestinationSecurityGroupId": ("UserIdGroupPairs", "GroupId"),
}


def rules_of_group(properties: Properties) -> Iterator[tuple[str, str, Properties]]:
    """The rules written inside a security group."""
    for rule in properties.get("SecurityGroupIngress", []):
        yield "ec2", _INGRESS, _authorization({"GroupId": _GROUP, **rule})
    for rule in properties.get("SecurityGroupEgress", []):
        yield "ec2", _EGRESS, _authorization({"GroupId": _GROUP, **rule})


def ingress_rule(properties: Properties) -> Iterator[tuple[str, str, Properties]]:
    """An inward rule that is a resource of its own."""
    yield "ec2", _INGRESS, _authorization(properties)


def egress_rule(properties: Properties) -> Iterator[tuple[str, str, Properties]]:
    """An outward rule that is a resource of its own."""
    yield "ec2", _EGRESS, _authorization(properties)


def _authorization(rule: Properties) -> Properties:
    """The request; a property that no rule has stays at the top, where the model rejects it."""
    ports = {key: rule[key] for key in ("IpProtocol", "FromPort", "ToPort") if key in rule}
    peers = {key: rule[key] for key in _PEERS if key in rule}
    described = {"Description": rule["Description"]} if "Description" in rule else {}
    others = {_PEERS[key][0]: [{_PEERS[key][1]: peer, **described}] for key, peer in peers.items()}
    known = {*ports, *peers, "Description"}
    rest = {key: value for key, value in rule.items() if key not in known}
    return {**rest, "IpPermissions": [{**ports, **others}]}
