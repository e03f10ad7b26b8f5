"""The network of a configuration: an existing VPC, or the one that eksctl makes."""

from collections.abc import Mapping

from clustergen.facts.catalog.regions import partition_of
from clustergen.importing.answers import Answers
from clustergen.importing.eksctl import cluster
from clustergen.importing.eksctl.keys import Keys
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json


def answered(config: Keys, answers: Answers, notes: Notes) -> Answers:
    """The answers, with what the file says about the VPC and its zones."""
    vpc = config.section("vpc").take("id")
    zones = [zone for zone in _named_zones(config) if zone.startswith(answers.region)]
    of_subnets = cluster.zones_of_subnets(config).items()
    known = {subnet: zone for subnet, zone in of_subnets if zone.startswith(answers.region)}
    if zones and not known:
        known[""] = zones[0]
    elif named := [each for each in _named_zones(config) if not zones and not known]:
        text = f"{named[0]} is no zone of {answers.region}"
        notes.asked(("availabilityZones",), text, "use --zone", "network")
    if not _has_subnets(config):
        notes.rewritten(
            ("metadata",),
            "eksctl makes a VPC with public and private subnets in several zones; clustergen makes "
            "one whose nodes are in private subnets of one zone",
        )
    return answers._replace(vpc=answers.vpc or str(vpc or ""), zones={**known, **answers.zones})


def _named_zones(config: Keys) -> list[str]:
    """The zones that the file names: those of node groups come first."""
    own = [zone for group in config.groups() for zone in group.texts("availabilityZones")]
    return [*own, *config.texts("availabilityZones")]


def _has_subnets(config: Keys) -> bool:
    return bool(cluster.subnets(config, "private") or cluster.subnets(config, "public"))


def fields(config: Keys, known: Json, notes: Notes) -> Json:
    """What the file says about the network, besides the words that its subnets gave."""
    vpc = config.section("vpc")
    if "vpc" not in known:
        _report_new(vpc, notes)
        block = vpc.take("cidr")
        return {**({"cidr": str(block)} if block else {}), **_internet(config)}
    subnets_of_vpc = cluster.existing_subnets(config, "private", "public")
    blocks = {str(each["id"]): str(each["cidr"]) for _, each in subnets_of_vpc if each.get("cidr")}
    if vpc.take("cidr"):
        notes.dropped((*vpc.path, "cidr"), "vpc.cidr: the VPC exists, and keeps its block")
    found = {
        key: [_with_block(each, blocks) for each in known.get(key, [])]
        for key in ("private_subnets", "control_plane_subnets")
    }
    return {key: each for key, each in found.items() if each} | _internet(config)


def registry(config: Keys, region: str, notes: Notes) -> Json:
    """Where the nodes of a private cluster pull images from; eksctl installs nothing."""
    if not cluster.is_private(config):
        return {}
    path, account = ("privateCluster",), "0" * 12
    suffix = partition_of(region).dns_suffix
    text = "the file does not say from which registry private nodes pull the cluster's software"
    notes.asked(path, text, f"replace {account}, and run the bundle's mirror.sh", "software")
    if _has_subnets(config) and not config.section("privateCluster").take("skipEndpointCreation"):
        text = "the VPC exists, and clustergen creates no endpoints in it: `check` lists them"
        notes.rewritten(path, text)
    return {"software": {"registry": f"{account}.dkr.ecr.{region}.{suffix}/mirror"}}


def _internet(config: Keys) -> Json:
    return {"internet": "none"} if cluster.is_private(config) else {}


def _report_new(vpc: Keys, notes: Notes) -> None:
    if vpc.take(key := "controlPlaneOnPrivateSubnets"):
        notes.dropped((*vpc.path, key), f"vpc.{key}: the control plane of clustergen is on them")
    if gateways := vpc.section("nat").take("gateway"):
        text = f"vpc.nat.gateway is {gateways}; the nodes of clustergen's VPC are in one zone, with"
        notes.rewritten((*vpc.path, "nat", "gateway"), f"{text} one NAT gateway")


def _with_block(subnet: Json | str, blocks: Mapping[str, str]) -> Json | str:
    if isinstance(subnet, str) or subnet["id"] not in blocks:
        return subnet
    return {**subnet, "cidr": blocks[subnet["id"]]}
