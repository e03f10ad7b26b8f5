"""Node groups in zones of their own: the subnets of a new VPC."""

import ipaddress
import json
from typing import Any

import pytest

from clustergen.checking.compiler import check_text
from tests.support.checking import files_of

SPEC = """\
version: 1
name: zones
region: us-east-1
network: {{zone: {main}{more}}}
node_groups:
  - {{name: near, instance_type: m7i.4xlarge, count: 2}}
{groups}
storage: [{{mount: /home, type: efs}}]
targets: {{eks: {{}}}}
"""


def spec(*zones: str, main: str = "use1-az6", more: str = "") -> str:
    groups = [
        f"  - {{name: far-{number}, instance_type: m7i.4xlarge, count: 2, zone: {zone}}}"
        for number, zone in enumerate(zones)
    ]
    return SPEC.format(main=main, more=more, groups="\n".join(groups))


def template(*zones: str, **network: str) -> dict[str, Any]:
    checked = check_text(spec(*zones, **network), targets=("eks",))
    found: dict[str, Any] = json.loads(files_of(checked, "eks")["foundation.template.json"])
    return found


def subnets(*zones: str, **network: str) -> dict[str, str]:
    """The blocks of all subnets of the VPC, by their logical ids."""
    resources = template(*zones, **network)["Resources"].items()
    return {
        id: each["Properties"]["CidrBlock"]
        for id, each in resources
        if each["Type"] == "AWS::EC2::Subnet"
    }


@pytest.mark.parametrize("cidr", ["10.42.0.0/16", "10.0.0.0/20", "10.0.0.0/22"])
def test_subnets_of_six_zones_do_not_overlap(cidr: str) -> None:
    zones = [f"use1-az{number}" for number in range(1, 6)]
    found = subnets(*zones, more=f", cidr: {cidr}")
    assert {f"PrivateSubnetAz{number}" for number in range(1, 6)} <= set(found)
    blocks = [ipaddress.IPv4Network(block) for block in found.values()]
    assert all(block.subnet_of(ipaddress.IPv4Network(cidr)) for block in blocks)
    pairs = [(one, other) for one in blocks for other in blocks if one is not other]
    assert not any(one.overlaps(other) for one, other in pairs)


def test_a_subnet_stays_as_it_is_when_zones_come_and_go() -> None:
    few, many = subnets("use1-az4"), subnets("use1-az1", "use1-az4", "use1-az2")
    assert few.items() <= many.items()


def test_nodes_reach_the_internet_and_file_systems_from_their_zone() -> None:
    resources = template("use1-az4")["Resources"]
    association = resources["PrivateSubnetAz4RoutesAssociation"]["Properties"]
    assert association["RouteTableId"] == {"Ref": "PrivateRoutes"}
    targets = [e for e in resources.values() if e["Type"] == "AWS::EFS::MountTarget"]
    places = [each["Properties"]["SubnetId"]["Ref"] for each in targets]
    assert {"PrivateSubnet", "PrivateSubnetAz4"} <= set(places)


def mount_targets(*zones: str) -> dict[str, str]:
    return {
        id: each["Properties"]["SubnetId"]["Ref"]
        for id, each in template(*zones)["Resources"].items()
        if each["Type"] == "AWS::EFS::MountTarget"
    }


def test_a_mount_target_stays_as_it_is_when_zones_come_and_go() -> None:
    """EFS rejects a second one in a zone, and CloudFormation creates before it deletes."""
    few, many = mount_targets("use1-az4"), mount_targets("use1-az1", "use1-az2", "use1-az4")
    assert mount_targets().items() <= few.items() <= many.items()


def test_zones_by_name() -> None:
    assert "PrivateSubnetB" in subnets("us-east-1b", main="us-east-1a")


@pytest.mark.parametrize(
    ("zone", "network"),
    [
        ("us-east-1b", {}),
        ("use1-bos1-az1", {}),
        ("use1-az4", {"more": ", cidr: 10.0.0.0/23"}),
        ("use1-az4", {"more": ", vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d]"}),
    ],
)
def test_a_zone_without_a_subnet_is_an_error(zone: str, network: dict[str, str]) -> None:
    findings = check_text(spec(zone, **network), targets=("eks",)).findings
    assert [f.path for f in findings if f.code == "NET047"] == [("node_groups", 1, "zone")]


def test_the_zone_of_the_network_needs_no_other_subnet() -> None:
    assert subnets("use1-az6") == subnets()
    assert not [f for f in check_text(spec("use1-az6")).findings if f.code == "NET047"]


def test_an_existing_vpc_has_subnets_of_the_zone() -> None:
    pair = "{id: subnet-0a1b2c3d, zone: use1-az6}, {id: subnet-0a1b2c3e, zone: use1-az4}"
    more = f", vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [{pair}]"
    checked = check_text(spec("use1-az4", more=more), targets=("eks",))
    near, far = checked.plans["eks"].node_groups
    assert (near.subnets, far.subnets) == ((), ("subnet-0a1b2c3e",))
    assert not [f for f in checked.findings if f.code == "NET047"]


IN_AN_EXISTING_VPC = """\
version: 1
name: zones
region: us-east-1
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets:
    - {{id: subnet-0a1b2c3d4e5f67890, zone: us-east-1a}}
    - {{id: subnet-0a1b2c3d4e5f67891, zone: us-east-1b}}
node_groups:
  - {{name: h200, instance_type: p5en.48xlarge, count: 2{zone}}}
storage: [{{mount: /fsx, type: fsx-lustre, size: 1200GiB}}]
targets: {{pcs: {{}}}}
"""


@pytest.mark.parametrize(
    ("zone", "expected"),
    [("", {"NET011"}), (", zone: us-east-1a", set()), (", zone: us-east-1b", {"NET048"})],
)
def test_findings_know_the_zone_of_a_group_in_an_existing_vpc(
    zone: str, expected: set[str]
) -> None:
    """File systems are in the first subnet, and EFA nodes in that of their group's zone."""
    found = check_text(IN_AN_EXISTING_VPC.format(zone=zone), targets=("pcs",)).findings
    about = {each.code: each.message for each in found if each.code in {"NET011", "NET048"}}
    assert set(about) == expected
    assert about.get("NET048") in (None, "/fsx is in us-east-1a, and h200 is in us-east-1b")


def test_the_distance_to_a_zone_that_is_not_known_is_not_a_finding() -> None:
    text = IN_AN_EXISTING_VPC.format(zone=", zone: us-east-1b")
    text = text.replace("zone: us-east-1a", "cidr: 10.42.0.0/17")
    found = check_text(text, targets=("pcs",)).findings
    assert not {"NET011", "NET048"} & {each.code for each in found}
