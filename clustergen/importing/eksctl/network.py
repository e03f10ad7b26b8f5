"""The network of a configuration: an existing VPC, or the one that eksctl makes."""

from __future__ import annotations

from clustergen.importing.answers import Answers
from clustergen.importing.eksctl.cluster import subnets, zones_of_subnets
from clustergen.importing.eksctl.keys import Keys
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json


def answered(config: Keys, answers: Answers, notes: Notes) -> Answers:
    """The answers, with what the file says about the VPC and its zones."""
    vpc, zones = config.section("vpc").take("id"), _zones(config, answers.region)
    known = {
        subnet: zone for subnet, zone in zones_of_subnets(config) if zone.startswith(answers.region)
    }
    if zones and not known:
        known[""] = zones[0]
    if not _has_subnets(config):
        notes.rewritten(
            ("metadata",),
            "eksctl makes a VPC with public and private subnets in several zones; clustergen makes "
            "one whose nodes are in private subnets of one zone",
        )
    return answers._replace(vpc=answers.vpc or str(vpc or ""), zones={**known, **answers.zones})


def _zones(config: Keys, region: str) -> list[str]:
    """The zones that the file names: those of node groups come first."""
    own = [
        zone
        for key in ("managedNodeGroups", "nodeGroups")
        for group in config.sections(key)
        for zone in group.texts("availabilityZones")
    ]
    named = [*own, *config.texts("availabilityZones")]
    return [zone for zone in named if zone.startswith(region)]


def _has_subnets(config: Keys) -> bool:
    return bool(subnets(config, "private") or subnets(config, "public"))


def words(config: Keys) -> Json:
    """What the file says about a new VPC."""
    cidr = config.section("vpc").take("cidr")
    return {"cidr": str(cidr)} if cidr else {}
