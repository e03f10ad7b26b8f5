"""Subnets of a new VPC: where system nodes and load balancers are, and which way out they have."""

import ipaddress
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pytest

from clustergen.facts.catalog import regions
from clustergen.plan import network
from clustergen.services import foundation
from clustergen.services.kubernetes import volumes
from clustergen.targets.eks import emit
from tests.services.foundation.planned import plan_of, template_of
from tests.support.checking import Fragments
from tests.validators.cloudformation import check

BLOCK = "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"
DALLAS = f"""network: {{zone: use1-dfw2-az1}}
node_groups: [{{name: h200, instance_type: p6e-gb200.36xlarge, count: 18, {BLOCK}}}]
"""
NETWORKS = {
    "region": "",
    "zone by name": "network: {zone: us-east-1a}",
    "Local Zone": DALLAS,
    "Local Zone by name": DALLAS.replace("use1-dfw2-az1", "us-east-1-dfw-2a"),
    "unknown zones": "region: us-gov-west-1\nnetwork: {zone: usgw1-az1}",
    "smallest": "network: {cidr: 10.42.0.0/24}",
}


def zone(subnet: Mapping[str, Any]) -> str:
    properties = subnet["Properties"]
    return str(properties.get("AvailabilityZoneId") or properties["AvailabilityZone"])


def system_subnets(text: str) -> list[Mapping[str, Any]]:
    """Those that the system nodes of `text` are in, as the foundation makes them."""
    plan = Fragments("eks").faulty_plan(text)
    made = template_of(text)["Resources"]
    nodes = emit.document(plan)["Resources"]["SystemNodes"]["Properties"]["Subnets"]
    return [made[each["Ref"].removesuffix("Id")] for each in nodes]


@pytest.mark.parametrize("name", NETWORKS)
def test_system_nodes_are_in_two_zones_of_the_region(name: str) -> None:
    zones = [zone(subnet) for subnet in system_subnets(NETWORKS[name])]
    assert len(set(zones)) == 2
    assert not any(map(regions.is_local_zone, zones))


@pytest.mark.parametrize("name", NETWORKS)
def test_subnets_of_system_nodes_have_the_way_out_of_private_ones(name: str) -> None:
    tables = {
        body["Properties"]["SubnetId"]["Ref"]: body["Properties"]["RouteTableId"]["Ref"]
        for body in template_of(NETWORKS[name])["Resources"].values()
        if body["Type"] == "AWS::EC2::SubnetRouteTableAssociation"
    }
    private = ("PrivateSubnet", "SystemSubnet1", "SystemSubnet2")
    assert tables == {"PublicSubnet": "PublicRoutes", **dict.fromkeys(private, "PrivateRoutes")}


@pytest.mark.parametrize("name", NETWORKS)
def test_the_service_accepts_them(name: str) -> None:
    region = plan_of(NETWORKS[name]).region
    assert check(template_of(NETWORKS[name]), region) == []


@pytest.mark.parametrize("length", range(16, 26))
def test_blocks_lie_beside_each_other(length: int) -> None:
    plan = plan_of(f"network: {{cidr: 10.42.0.0/{length}}}").network
    subnets = {*plan.private, *plan.public, *plan.control_plane, *plan.system}
    blocks = [ipaddress.IPv4Network(str(subnet.cidr)) for subnet in subnets]
    assert not any(one.overlaps(other) for one, other in combinations(blocks, 2))
    assert all(block.subnet_of(ipaddress.IPv4Network(f"10.42.0.0/{length}")) for block in blocks)


NO_ROOM = "network: {cidr: 10.42.0.0/25}"


def test_a_block_without_room_has_system_nodes_beside_the_others() -> None:
    assert network.system_blocks("10.42.0.0/25") == ()
    assert system_subnets(NO_ROOM) == [template_of(NO_ROOM)["Resources"]["PrivateSubnet"]]


SYSTEM = {"SystemSubnet1", "SystemSubnet2"}
BALANCERS = [
    # Spec, target, subnets of load balancers in the internet, and of those inside.
    ("", "eks", {"PublicSubnet"}, SYSTEM),
    (NO_ROOM, "eks", {"PublicSubnet"}, {"PrivateSubnet"}),
    ("targets: {hyperpod-eks: {}}", "hyperpod-eks", {"PublicSubnet"}, SYSTEM),
    ("targets: {pcs: {}}", "pcs", set(), set()),
]


@pytest.mark.parametrize(("text", "target", "public", "internal"), BALANCERS)
def test_kubernetes_finds_the_subnets_of_load_balancers(
    text: str, target: str, public: set[str], internal: set[str]
) -> None:
    found: dict[str, set[str]] = {}
    whole = foundation.build(Fragments(target).faulty_plan(text))
    for name, body in whole.resources.items():
        if body["Type"] == "AWS::EC2::Subnet":
            for tag in body["Properties"]["Tags"]:
                found.setdefault(f"{tag['Key']}={tag['Value']}", set()).add(name)
    assert found.get("kubernetes.io/role/elb=1", set()) == public
    assert found.get("kubernetes.io/role/internal-elb=1", set()) == internal


def test_a_tag_of_the_spec_is_there_once() -> None:
    text = "tags: {team: models, kubernetes.io/role/elb: '0'}"
    tags = template_of(text)["Resources"]["PublicSubnet"]["Properties"]["Tags"]
    keys = [tag["Key"] for tag in tags]
    assert sorted(keys) == sorted({"team", "kubernetes.io/role/elb", "Name"})


EFS = "storage: [{mount: /home, type: efs}]\n"


def mount_targets(text: str) -> dict[str, Mapping[str, Any]]:
    """Mount targets of `text` by the zone of their subnet."""
    made = template_of(text)["Resources"]
    targets = [item for item in made.values() if item["Type"] == "AWS::EFS::MountTarget"]
    by_zone = {zone(made[target["Properties"]["SubnetId"]["Ref"]]): target for target in targets}
    assert len(by_zone) == len(targets), "EFS rejects a second mount target in a zone"
    return by_zone


def test_pods_on_all_system_nodes_can_mount_efs() -> None:
    text = "network: {zone: use1-az6}\n" + EFS
    assert {zone(subnet) for subnet in system_subnets(text)} <= set(mount_targets(text))


@pytest.mark.parametrize("name", ["zone by name", "unknown zones"])
def test_zones_that_may_be_the_same_have_one_mount_target(name: str) -> None:
    assert len(mount_targets(NETWORKS[name] + "\n" + EFS)) == 1


ONE_ZONE = "network: {zone: use1-az6}\n" + EFS.replace("efs", "efs, one_zone: true")
ELSEWHERE = [*(f"{NETWORKS[name]}\n{EFS}" for name in ("zone by name", "unknown zones")), ONE_ZONE]
REACHED = ["network: {zone: use1-az6}\n" + EFS, f"{NO_ROOM}\n{EFS}"]


@pytest.mark.parametrize("text", [*ELSEWHERE, *REACHED])
def test_pods_on_system_nodes_in_a_zone_without_mount_target_use_its_address(text: str) -> None:
    output = template_of(text)["Outputs"].get("StorageHomeAddress", {}).get("Value")
    volume = next(volumes.objects(Fragments("eks").faulty_plan(text), ["default"]))["spec"]
    found = (output, volume.get("mountOptions"))
    address = {"Fn::GetAtt": ["MountTarget1OfStorageHome", "IpAddress"]}
    named = (address, ["mounttargetip=${StorageHomeAddress}"])
    assert found == (named if text in ELSEWHERE else (None, None))


def test_a_subnet_that_is_deleted_with_its_stack_keeps_no_mount_target() -> None:
    made = template_of("network: {zone: use1-az6}\n" + EFS)["Resources"]
    for item in made.values():
        if item["Type"] == "AWS::EFS::MountTarget":
            subnet = made[item["Properties"]["SubnetId"]["Ref"]]
            assert item["DeletionPolicy"] == subnet.get("DeletionPolicy", "Delete")


def test_clusters_without_system_nodes_have_one_mount_target() -> None:
    text = "targets: {pcs: {}}\nnetwork: {zone: use1-az6}\n" + EFS
    assert len(mount_targets(text)) == 1
