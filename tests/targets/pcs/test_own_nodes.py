"""Networks, profiles, keys and scripts of node groups that a running cluster already has."""

import json
from typing import Any

import pytest

from tests.targets.pcs.planned import files_of

PROFILE = "arn:aws:iam::111122223333:instance-profile/aws-pcs/nodes"
OWN = f"""network:
  zone: use1-az6
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
login:
  subnets: [subnet-0a1b2c3d4e5f67891]
  security_groups: [sg-0a1b2c3d4e5f67891]
node_groups:
  - name: h200
    subnets: [subnet-0a1b2c3d4e5f67892]
    security_groups: [sg-0a1b2c3d4e5f67892]
    iam: {{instance_profile: '{PROFILE}'}}
targets: {{pcs: {{key_name: team}}}}
"""
SCRIPT = """software:
  scripts: [{run: "s3://my-bucket/a.sh", on: [compute], on_failure: continue, every_boot: true}]
"""


def _resources(text: str) -> dict[str, dict[str, Any]]:
    """Properties by type and name: node groups and launch templates."""
    template = json.loads(files_of(text)["cluster.template.json"])
    return {name: one["Properties"] for name, one in template["Resources"].items()}


def test_node_groups_keep_their_networks_profiles_and_keys() -> None:
    found = _resources(OWN)
    groups = {each["Name"]: each for each in found.values() if "ScalingConfiguration" in each}
    assert groups["h200"]["SubnetIds"] == ["subnet-0a1b2c3d4e5f67892"]
    assert groups["h200"]["IamInstanceProfileArn"] == PROFILE
    assert groups["login"]["SubnetIds"] == ["subnet-0a1b2c3d4e5f67891"]
    data = [each["LaunchTemplateData"] for each in found.values() if "LaunchTemplateData" in each]
    assert [each["KeyName"] for each in data] == ["team", "team"]
    interfaces = {each["NetworkInterfaces"][0]["SubnetId"]: each for each in data}
    assert set(interfaces) == {"subnet-0a1b2c3d4e5f67891", "subnet-0a1b2c3d4e5f67892"}
    for subnet, each in interfaces.items():
        assert subnet.replace("subnet", "sg") in each["NetworkInterfaces"][0]["Groups"]


def test_a_script_says_when_it_runs_and_what_its_failure_does() -> None:
    text = json.dumps(_resources(SCRIPT))
    action = text[text.index('{"Name": "a-sh"') :]
    assert '"OnError": "CONTINUE", "ExecutionPolicy": "EVERY_BOOT"' in action.partition("}, {")[0]


@pytest.mark.parametrize(("subnet", "public"), [("0", False), ("9", True)])
def test_login_nodes_have_public_addresses_in_public_subnets(subnet: str, public: bool) -> None:
    text = f"""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  public_subnets: [subnet-0a1b2c3d4e5f67899]
  ssh_from: [203.0.113.0/24]
login: {{subnets: [subnet-0a1b2c3d4e5f6789{subnet}]}}
"""
    data = _resources(text)["LaunchTemplateLogin"]["LaunchTemplateData"]
    assert data["NetworkInterfaces"][0]["AssociatePublicIpAddress"] is public


def test_the_checklist_has_what_an_own_instance_profile_needs() -> None:
    lines = files_of(OWN)["README.md"].splitlines()
    [line] = [line for line in lines if f"{PROFILE}: " in line]
    assert "pcs:RegisterComputeNodeGroupInstance" in line
    [line] = [line for line in lines if "AWSPCS" in line]
    assert PROFILE in line
