"""The network: findings just beyond a limit, and none just within it."""

import pytest

from tests.support.checking import check_fragment, codes, message_and_help
from tests.support.tables import rows

A, B = "subnet-0a1b2c3d", "subnet-0b1b2c3d"


def existing(subnets: str, more: str = "") -> str:
    """An existing VPC with these private subnets."""
    return f"network: {{vpc: vpc-0a1b2c3d, private_subnets: [{subnets}]{more}}}"


def nodes(count: int, fields: str = "") -> str:
    return f"\nnode_groups: [{{name: h200, count: {count}{fields}}}]"


EXPECTED = rows("""
region: us-east1
    NET001 | 'us-east1' is not a region | did you mean us-east-1?
region: mars
    NET001 | 'mars' is not a region | regions look like us-east-1
network: {zone: use1-az7}
    NET002 | us-east-1 has no zone use1-az7 | one of use1-az1, use1-az2, use1-az3, use1-az4,
    use1-az5, use1-az6
network: {zone: us-west-2a}
    NET002 | us-west-2a is in us-west-2, not in us-east-1 | one of use1-az1, use1-az2, use1-az3,
    use1-az4, use1-az5, use1-az6
network: {zone: nowhere}
    NET002 | 'nowhere' is not a zone of us-east-1 | one of use1-az1, use1-az2, use1-az3, use1-az4,
    use1-az5, use1-az6
region: eu-central-1
    NET002 | use1-az6 is in us-east-1, not in eu-central-1 | one of euc1-az1, euc1-az2, euc1-az3
network: {vpc: vpc-0a1b2c3d, private_subnets: [subnet-0a1b2c3d, {id: subnet-0b1b2c3d,
  zone: usw2-az1}]}
    NET002 | usw2-az1 is in us-west-2, not in us-east-1 | one of use1-az1, use1-az2, use1-az3,
    use1-az4, use1-az5, use1-az6
network: {vpc: vpc-0a1b2c3d}
    NET004 | vpc-0a1b2c3d is given without private_subnets | add private_subnets: [subnet-...]
network: {security_groups: [sg-0a1b2c3d]}
    NET005 | security_groups are given, but the VPC is new | add vpc: vpc-... that they belong to,
    or remove them
network: {zone: use1-az6}
node_groups: [{name: h200, count: 1, security_groups: [sg-0a1b2c3d]}]
    NET050 | security_groups of an existing VPC, but network.vpc is new | write network.vpc and
    private_subnets, or remove it
login: {subnets: [subnet-0a1b2c3d]}
    NET050 | subnets of an existing VPC, but network.vpc is new | write network.vpc and
    private_subnets, or remove it
network: {cidr: 10.42.0.0/27}
node_groups: [{name: h200, count: 1}]
    NET006 | 10.42.0.0/27 cannot be the block of a new VPC | between /16 and /25, e.g. 10.42.0.0/16
network: {cidr: 10.42.0.0/15}
    NET006 | 10.42.0.0/15 cannot be the block of a new VPC | between /16 and /25, e.g. 10.42.0.0/16
network: {cidr: 8.8.0.0/16}
    NET006 | 8.8.0.0/16 is a block of public addresses | use one of 10.0.0.0/8, 172.16.0.0/12,
    192.168.0.0/16, 100.64.0.0/10
# 59 addresses in the lower half of a /25; the head node takes one.
network: {cidr: 10.42.0.0/25}
node_groups: [{name: h200, count: 59}]
    NET010 | the cluster takes 60 addresses at its maximum, the subnet has 59 | widen the block (up
    to /16); or lower a maximum
network: {vpc: vpc-0a1b2c3d, private_subnets: [{id: subnet-0a1b2c3d, cidr: 10.0.0.0/28}]}
node_groups: [{name: h200, count: 11}]
    NET010 | the cluster takes 12 addresses at its maximum, the subnet has 11 | name a larger
    subnet; or lower a maximum
network: {vpc: vpc-0a1b2c3d, private_subnets: [{id: subnet-0a1b2c3d, cidr: 10.0.0.0/27}]}
node_groups: [{name: h200, count: 2, efa_layout: efa}]
    NET010 | the cluster takes 33 addresses at its maximum, the subnet has 27 | write efa_layout:
    efa-only in 'h200': 1 address a node, not 16; or name a larger subnet; or lower a maximum
network: {vpc: vpc-0a1b2c3d, private_subnets: [subnet-0a1b2c3d, {id: subnet-0b1b2c3d,
  zone: use1-az1}]}
    NET011 | no node of h200 starts in subnet-0b1b2c3d: EFA keeps them in use1-az6 | put the subnet
    of the EFA nodes first, or write the zone of their group
network: {vpc: vpc-0a1b2c3d, private_subnets: [{id: subnet-0a1b2c3d, cidr: 10.43.0.0/24}],
  cidr: 10.42.0.0/16}
    NET012 | 10.43.0.0/24 is not in the VPC's 10.42.0.0/16 | correct one of the two
network: {vpc: vpc-0a1b2c3d, private_subnets: [{id: subnet-0a1b2c3d, cidr: 10.0.0.0/24},
  {id: subnet-0b1b2c3d, cidr: 10.0.0.128/25}]}
    NET012 | 10.0.0.128/25 overlaps 10.0.0.0/24 of subnet-0a1b2c3d | correct one of the two
network: {vpc: vpc-0a1b2c3d, private_subnets: [subnet-0a1b2c3d], ssh_from: [10.0.0.0/8]}
    NET014 | ssh_from needs public_subnets: nodes in private subnets have no public address | name
    public_subnets, or remove ssh_from and use SSM
network: {vpc: vpc-0a1b2c3d, private_subnets: [subnet-0a1b2c3d, subnet-0a1b2c3d]}
    SPC030 | 'subnet-0a1b2c3d' is listed twice | remove one
""")


@pytest.mark.parametrize(("fragment", "code", "message", "help"), EXPECTED)
def test_expected_findings(fragment: str, code: str, message: str, help: str) -> None:
    assert message_and_help(fragment, code) == (message, help)


FINE = [
    "network: {zone: us-east-1a}",
    "network: {cidr: 10.42.0.0/25}" + nodes(58),
    "network: {cidr: 10.42.0.0/16}",
    existing(A),
    existing(f"{A}, {B}"),
    existing(A, ", zone: null"),
    existing(f"{{id: {A}, cidr: 10.0.0.0/28}}", ", cidr: 10.0.0.0/16") + nodes(10),
    existing(
        f"{{id: {A}, cidr: 10.0.0.0/25}}, {{id: {B}, cidr: 10.0.0.128/25}}", ", cidr: 10.0.0.0/16"
    ),
    existing(f"{{id: {A}, cidr: 10.42.255.0/24}}", ", cidr: 10.42.0.0/16"),
    existing(f"{A}, {{id: {B}, zone: use1-az1}}") + nodes(4, ", instance_type: m7i.4xlarge"),
    existing(A, f", ssh_from: [203.0.113.7], public_subnets: [{B}]"),
    "network: {ssh_from: [203.0.113.7/32, '2001:db8::/32']}",
]


@pytest.mark.parametrize("fragment", FINE)
def test_no_findings(fragment: str) -> None:
    assert codes(fragment) == []


def test_a_public_subnet_of_login_nodes_is_used() -> None:
    subnets = existing(A, f", public_subnets: [{B}]")
    assert "NET023" in codes(f"{subnets}\nlogin: {{}}", "pcs")
    assert "NET023" not in codes(f"{subnets}\nlogin: {{subnets: [{B}]}}", "pcs")


def test_only_errors_are_fatal() -> None:
    assert check_fragment("network: {cidr: 8.8.0.0/15}", "pcs").plans == {}
    assert [*check_fragment("network: {cidr: 8.8.0.0/16}", "pcs").plans] == ["pcs"]
