"""The network of a plan: how a block is split, what fits into it, and how addresses are counted."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustergen.plan import network
from clustergen.plan.model import Plan, Ref
from tests.support.checking import Fragments

SPLITS = [
    ("10.42.0.0/16", "10.42.0.0/17", "10.42.128.0/20"),
    ("10.0.0.0/20", "10.0.0.0/21", "10.0.8.0/24"),
    ("10.0.0.0/24", "10.0.0.0/25", "10.0.0.128/28"),
    ("10.0.0.0/25", "10.0.0.0/26", "10.0.0.64/28"),
]


def planned(fragment: str, target: str = "") -> Plan:
    return Fragments(target).faulty_plan(fragment)


@pytest.mark.parametrize(("block", "private", "public"), SPLITS)
def test_a_new_vpc_is_split(block: str, private: str, public: str) -> None:
    plan = planned(f"network: {{cidr: {block}}}")
    assert [(s.id, s.zone, s.cidr) for s in plan.network.private] == [
        (Ref("PrivateSubnetId"), "use1-az6", private)
    ]
    assert [(s.id, s.cidr) for s in plan.network.public] == [(Ref("PublicSubnetId"), public)]


@given(st.integers(16, 25), st.integers(0, 255), st.integers(0, 2**16 - 1))
def test_subnets_are_in_the_block_and_do_not_overlap(length: int, second: int, rest: int) -> None:
    block = ipaddress.ip_network(f"10.{second}.{rest >> 8}.{rest & 255}/{length}", strict=False)
    private, public = (ipaddress.IPv4Network(cidr) for cidr in network.split(str(block)))
    assert private.subnet_of(block)  # type: ignore[arg-type]
    assert public.subnet_of(block)  # type: ignore[arg-type]
    assert not private.overlaps(public)
    assert private.num_addresses * 2 == block.num_addresses
    assert 16 <= private.prefixlen <= 28
    assert 16 <= public.prefixlen <= 28


@pytest.mark.parametrize("block", [block for block, _, _ in SPLITS])
def test_the_control_plane_has_the_last_two_of_the_smallest_subnets(block: str) -> None:
    plan = planned(f"network: {{cidr: {block}}}")
    subnets = [ipaddress.ip_network(str(s.cidr)) for s in plan.network.control_plane]
    others = [*plan.network.private, *plan.network.public]
    assert [subnet.prefixlen for subnet in subnets] == [28, 28]
    assert int(subnets[1].broadcast_address) == int(ipaddress.ip_network(block).broadcast_address)
    assert not subnets[0].overlaps(subnets[1])
    for other in others:
        assert not any(s.overlaps(ipaddress.ip_network(str(other.cidr))) for s in subnets)


CONTROL_PLANE_ZONES = [
    ("us-east-1", "use1-az6", ("use1-az6", "use1-az1")),
    # EKS has no control plane in use1-az3, and what us-east-1a is cannot be known offline.
    ("us-east-1", "use1-az3", ("use1-az1", "use1-az2")),
    ("us-east-1", "us-east-1a", ("use1-az1", "use1-az2")),
    ("us-east-1", "use1-dfw2-az1", ("use1-az1", "use1-az2")),
    ("us-west-1", "usw1-az3", ("usw1-az3", "usw1-az1")),
    ("us-gov-west-1", "usgw1-az1", (None, None)),
]


@pytest.mark.parametrize(("region", "near", "zones"), CONTROL_PLANE_ZONES)
def test_the_zones_of_a_control_plane(region: str, near: str, zones: tuple[str, str]) -> None:
    assert network.control_plane_zones(region, near) == zones


VPC = "network: {vpc: vpc-0a1b2c3d, zone: use1-az6, private_subnets: "
EXISTING_CONTROL_PLANES = [
    (VPC + "[subnet-0a1b2c3d]}", ["subnet-0a1b2c3d"]),
    (
        VPC + "[subnet-0a1b2c3d, {id: subnet-0a1b2c3e, zone: use1-az1}, subnet-0a1b2c3f]}",
        ["subnet-0a1b2c3d", "subnet-0a1b2c3e"],
    ),
    (
        VPC + "[subnet-0a1b2c3d], control_plane_subnets: [subnet-1a1b2c3d, subnet-1a1b2c3e]}",
        ["subnet-1a1b2c3d", "subnet-1a1b2c3e"],
    ),
]


@pytest.mark.parametrize(("fragment", "ids"), EXISTING_CONTROL_PLANES)
def test_a_control_plane_in_an_existing_vpc(fragment: str, ids: list[str]) -> None:
    assert [subnet.id for subnet in planned(fragment).network.control_plane] == ids


CAPACITIES = [
    ("10.0.0.0/28", 11),
    ("10.0.0.0/27", 27),
    ("10.0.0.0/24", 251),
    ("10.0.0.0/17", 32763),
    ("10.0.0.0/16", 65531),
]


@pytest.mark.parametrize(("block", "addresses"), CAPACITIES)
def test_aws_reserves_five_addresses_of_a_subnet(block: str, addresses: int) -> None:
    assert network.capacity(block) == addresses


# The head node takes one address where there is one, and so does the controller of PCS.
ADDRESSES = [
    ("", "parallelcluster", 2 + 1),
    ("", "pcs", 2 * 16 + 1),
    ("node_groups: [{name: h200, count: {min: 0, max: 10}}]", "parallelcluster", 10 + 1),
    ("node_groups: [{name: h200, count: {min: 0, max: 10}}]", "pcs", 160 + 1),
    ("node_groups: [{name: h200, efa_layout: efa-only}]", "pcs", 2 + 1),
    ("node_groups: [{name: h200, efa: false}]", "pcs", 2 + 1),
    ("login: {instance_type: m7i.xlarge, count: 3}", "pcs", 2 * 16 + 3 + 1),
    ("node_groups: [{name: cpu, instance_type: m7i.4xlarge, count: 5}]", "pcs", 2 * 16 + 5 + 1),
    ("node_groups: [{name: h200, instance_type: p6-b300.48xlarge}]", "pcs", 2 * 17 + 1),
    ("storage: [{mount: /home, type: efs}]", "pcs", 2 * 16 + 1 + 1),
    ("storage: [{mount: /home, type: efs, existing: {id: fs-0a1b2c3d}}]", "pcs", 2 * 16 + 1),
]


@pytest.mark.parametrize(("fragment", "target", "addresses"), ADDRESSES)
def test_addresses_of_the_cluster_at_its_maximum(
    fragment: str, target: str, addresses: int
) -> None:
    assert planned(fragment, target).network.needed_addresses == addresses


def test_the_block_of_a_new_vpc_is_a_decision() -> None:
    texts = [d.text for d in planned("").decisions if d.path == ("network", "cidr")]
    assert texts == ["new VPC 10.42.0.0/16; nodes in 10.42.0.0/17, 32,763 addresses"]
    assert not [d for d in planned("network: {cidr: 10.0.0.0/20}").decisions if "cidr" in d.path]


VPC = "vpc: vpc-0a1b2c3d"
THERE = "network: {vpc: vpc-0a1b2c3d, private_subnets: [subnet-0a1b2c3d]%s}"
NODES, LOGIN = (Ref("ClusterSecurityGroupId"),), (Ref("LoginSecurityGroupId"),)
GROUPS = [
    ("", True, NODES, LOGIN),
    (THERE % "", True, NODES, LOGIN),
    (THERE % ", security_groups: [sg-0a1b2c3d]", False, ("sg-0a1b2c3d",), ()),
]


@pytest.mark.parametrize(("fragment", "new", "nodes", "login"), GROUPS)
def test_security_groups(
    fragment: str, new: bool, nodes: tuple[object, ...], login: tuple[object, ...]
) -> None:
    found = planned(fragment).network
    assert found.new_security_groups is new
    assert found.node_security_groups == nodes
    assert found.login_security_groups == login


def test_existing_subnets_are_unchanged() -> None:
    found = planned(
        f"""
network:
  {VPC}
  zone: use1-az6
  private_subnets: [subnet-0a1b2c3d, {{id: subnet-0b1b2c3d, zone: use1-az6, cidr: 10.0.0.0/24}}]
  public_subnets: [subnet-0c1b2c3d]
"""
    ).network
    assert found.vpc == "vpc-0a1b2c3d"
    assert [(s.id, s.zone, s.cidr) for s in found.private] == [
        ("subnet-0a1b2c3d", "use1-az6", None),
        ("subnet-0b1b2c3d", "use1-az6", "10.0.0.0/24"),
    ]
    assert [s.id for s in found.public] == ["subnet-0c1b2c3d"]
