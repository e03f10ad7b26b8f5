"""An existing VPC and its subnets."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from clustergen.base.findings import Problem, Severity, rule
from clustergen.checking.preflight import existing, names, network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about

VPCS: Final = "ec2:DescribeVpcs"
ATTRIBUTE: Final = "ec2:DescribeVpcAttribute"
GUIDE: Final = "https://docs.aws.amazon.com/vpc/latest/userguide/"


@rule(
    "PRE040",
    "The VPC does not exist, or does not resolve names",
    why="File systems are mounted by name, and nodes find each other and endpoints by name.",
    source=f"{GUIDE}AmazonDNS-concepts.html",
    calls=(VPCS, ATTRIBUTE),
    by_hand=existing.of_vpc,
    bad="ec2:DescribeVpcAttribute: {Value: false}",
    good="ec2:DescribeVpcAttribute: {Value: true}",
)
def vpc(case: Case) -> Iterator[Problem]:
    id = network.vpc_of(case.plan)
    if id is None:
        return
    path = ("network", "vpc")
    if not case.every(VPCS, "Vpcs", Filters=network.filtered("vpc-id", [id])):
        help = f"aws ec2 describe-vpcs --region {case.region}"
        yield Problem(path, f"the account has no VPC {id} in {case.region}", help)
        return
    for attribute in ("enableDnsSupport", "enableDnsHostnames"):
        answer = case.ask(ATTRIBUTE, VpcId=id, Attribute=attribute)
        if not answer.get(f"E{attribute[1:]}", {}).get("Value", True):
            option = "--enable-dns-" + attribute.removeprefix("enableDns").lower()
            message = f"{attribute} of {id} is off"
            help = f"aws ec2 modify-vpc-attribute --region {case.region} --vpc-id {id} {option}"
            yield Problem(path, message, help)


_IN_PLACE: Final = about(
    lambda plan: [given.id for given in network.given_subnets(plan)],
    "{names}: in the VPC, in the zones of the spec",
)


common_rule = partial(rule, calls=(network.SUBNETS,), by_hand=_IN_PLACE)


@common_rule(
    "PRE041",
    "The subnet does not exist, or is in another VPC",
    why="All parts of a cluster are in one VPC.",
    source=f"{GUIDE}configure-subnets.html",
    bad="ec2:DescribeSubnets: {VpcId: vpc-0fffffffffffffff0}",
    good="ec2:DescribeSubnets: {}",
)
def subnet(case: Case) -> Iterator[Problem]:
    known, vpc = network.subnets(case), network.vpc_of(case.plan)
    for given in network.given_subnets(case.plan):
        found = known.get(given.id)
        if found is None:
            help = f"aws ec2 describe-subnets --region {case.region}"
            yield Problem(given.path, f"the account has no {given.id} in {case.region}", help)
        elif vpc and found["VpcId"] != vpc:
            help = f"write `network: {{vpc: {found['VpcId']}}}`, or another subnet"
            yield Problem(given.path, f"{given.id} is in {found['VpcId']}, not {vpc}", help)
        elif found.get("State", "available") not in ("available", "pending"):
            yield Problem(given.path, f"{given.id} is {found['State']}", "use another subnet")


@common_rule(
    "PRE042",
    "The subnet is in another zone than the spec says",
    why="Nodes, reservations and file systems have to be in the zone of the subnet.",
    source=f"{GUIDE}configure-subnets.html",
    bad="ec2:DescribeSubnets: {AvailabilityZone: us-east-1z, AvailabilityZoneId: use1-az99}",
    good="ec2:DescribeSubnets: {}",
)
def zone(case: Case) -> Iterator[Problem]:
    for given, found in network.existing(case):
        actual = found["AvailabilityZoneId"], found["AvailabilityZone"]
        if given.zone and given.zone not in actual:
            message = f"{given.id} is in {actual[0]}, the spec has {given.zone}"
            yield Problem(given.path, message, f"write zone: {actual[0]}")


@rule(
    "PRE044",
    "The subnet has too few free addresses",
    why="Each node takes one address or more, and file systems and control planes take some. "
    "Without one, a node does not start.",
    source=f"{GUIDE}subnet-sizing.html",
    calls=(network.SUBNETS, *names.DEPLOYED),
    by_hand=about(
        lambda plan: [each.id for each in network.given_subnets(plan) if each.use == "private"],
        "{names}: {plan.network.needed_addresses:,} free addresses, less those of nodes that run",
    ),
    bad="ec2:DescribeSubnets: {AvailableIpAddressCount: 1}",
    good="ec2:DescribeSubnets: {AvailableIpAddressCount: 16000}",
)
def addresses(case: Case) -> Iterator[Problem]:
    private = [(given, found) for given, found in network.existing(case) if given.use == "private"]
    one_zone = any(group.one_zone for group in case.plan.node_groups)
    counted = private[:1] if one_zone else private
    free = sum(found.get("AvailableIpAddressCount", 0) for _, found in counted)
    needed = case.plan.network.needed_addresses
    apart = any(owner.subnets for owner in network.owners(case.plan))
    if private and free < needed and not names.is_deployed(case):
        ids = ", ".join(given.id for given, _ in counted)
        yield Problem(
            private[0][0].path,
            f"{ids} has {free:,} free addresses, and the cluster takes {needed:,} at its maximum",
            "delete unused network interfaces, use a larger subnet, or lower count",
            # Some of the nodes are in subnets of their own; how many is not counted.
            severity=Severity.WARNING if apart or case.plan.estimates_addresses else Severity.ERROR,
        )
