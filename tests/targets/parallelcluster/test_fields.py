"""Login pools, proxies, scripts at updates and security groups that real clusters have."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.targets.parallelcluster.planned import files as files_of
from tests.validators.parallelcluster import ParallelCluster

POOLS = """login: {}
targets:
  parallelcluster:
    login_pool: {name: small}
    more_login_pools: [{name: large, instance_type: m7i.8xlarge, count: 2, grace_time: 30}]
"""
UPDATED = """software:
  scripts:
    - {run: "s3://my-bucket/refresh.sh", when: updated, on: [head], args: [now]}
"""
LEFT_OUT = "targets: {parallelcluster: {leave_out: [%s]}}\n"


def document_of(text: str) -> Any:
    """The cluster configuration."""
    return yaml.safe_load(files_of(text)["cluster.yaml"])


def _nodes(document: Any) -> list[Any]:
    queues = document["Scheduling"]["SlurmQueues"]
    return [document["HeadNode"], *document["LoginNodes"]["Pools"], *queues]


def test_each_login_pool_has_its_own_nodes() -> None:
    small, large = document_of(POOLS)["LoginNodes"]["Pools"]
    assert (small["Name"], small["InstanceType"], small["Count"]) == ("small", "m7i.xlarge", 1)
    assert (large["Name"], large["InstanceType"], large["Count"]) == ("large", "m7i.8xlarge", 2)
    assert large["GracetimePeriod"] == 30
    assert large["CustomActions"] == small["CustomActions"]
    assert "m7i.8xlarge" in files_of(POOLS)["README.md"]


def test_a_grace_time_has_a_unit_like_other_durations_or_counts_minutes() -> None:
    with_unit = POOLS.replace("grace_time: 30", "grace_time: 1h")
    assert document_of(with_unit)["LoginNodes"]["Pools"][1]["GracetimePeriod"] == 60


def test_the_readme_names_what_the_cluster_leaves() -> None:
    text = """head_node: {root_volume: {on_delete: retain}}
storage:
  - {mount: /fsx, type: fsx-lustre, size: 1200GiB, created_by: cluster, on_delete: retain}
  - {mount: /home, type: ebs, size: 100GiB, on_delete: delete}
  - {mount: /old, type: ebs, existing: {id: vol-0a1b2c3d4e5f67895}}
"""
    stays = files_of(text)["README.md"].partition("What stays")[2].partition("\n## ")[0]
    assert "the root volume of the head node: `aws ec2 delete-volume" in stays
    assert "the Lustre file system of /fsx: `aws fsx delete-file-system" in stays
    assert "- /home with all data" in stays
    assert stays.count("/home") == 1
    assert "/old" not in stays


def test_all_nodes_have_the_proxy() -> None:
    proxy = "http://10.42.0.10:3128"
    document = document_of(POOLS.replace("login_pool:", f"proxy: {proxy}\n    login_pool:"))
    proxies = [node["Networking"]["Proxy"]["HttpProxyAddress"] for node in _nodes(document)]
    assert proxies == [proxy] * 4


def test_the_security_groups_of_parallelcluster_can_be_left_out() -> None:
    document = document_of("login: {}\n" + LEFT_OUT % "service-groups")
    for node in _nodes(document):
        assert "AdditionalSecurityGroups" not in node["Networking"]
        assert "${ClusterSecurityGroupId}" in node["Networking"]["SecurityGroups"]


OWN_GROUPS = """head_node: {security_groups: [sg-0a1b2c3d4e5f67891]}
login: {security_groups: [sg-0a1b2c3d4e5f67892]}
node_groups:
  - {name: h200, security_groups: [sg-0a1b2c3d4e5f67893]}
  - {name: cpu, instance_type: m7i.large, count: 2}
targets: {parallelcluster: {own_security_groups: [%s]}}
"""


@pytest.mark.parametrize(("name", "number"), [("head", 0), ("login", 1), ("h200", 2)])
def test_some_nodes_have_only_their_own_security_groups(name: str, number: int) -> None:
    nodes = [node["Networking"] for node in _nodes(document_of(OWN_GROUPS % name))]
    own = nodes.pop(number)
    assert own["SecurityGroups"] == [f"sg-0a1b2c3d4e5f6789{number + 1}"]
    assert "AdditionalSecurityGroups" not in own
    for other in nodes:
        assert "SecurityGroups" not in other
        assert "${ClusterSecurityGroupId}" in other["AdditionalSecurityGroups"]


def test_a_pool_without_nodes_keeps_its_own_security_groups() -> None:
    text = OWN_GROUPS.replace("login: {", "login: {count: 0, ") % "login"
    [pool] = document_of(text)["LoginNodes"]["Pools"]
    assert pool["Networking"]["SecurityGroups"] == ["sg-0a1b2c3d4e5f67892"]


def test_the_hook_runs_update_scripts_at_updates_only() -> None:
    hook = files_of(UPDATED)["scripts/hook.sh"]
    event = hook[hook.index("  head-configured") : hook.index("  login-start")]
    assert "if [[ $event == updated ]]; then\n      run s3://my-bucket/refresh.sh - now\n" in event
    assert "refresh.sh" not in hook[: hook.index("  head-configured")]


def test_without_the_hook_an_update_script_is_an_action_of_its_own() -> None:
    head = document_of(UPDATED + LEFT_OUT % "hook")["HeadNode"]
    action = {"Script": "s3://my-bucket/refresh.sh", "Args": ["now"]}
    assert head["CustomActions"] == {"OnNodeUpdated": action}


def test_idle_nodes_can_stay() -> None:
    settings = document_of("slurm: {idle_timeout: never}")["Scheduling"]["SlurmSettings"]
    assert settings["ScaledownIdletime"] == -1


ROLES = """targets:
  parallelcluster:
    permissions_boundary: arn:aws:iam::111122223333:policy/boundary
    resource_prefix: /teams/ml/
    timeouts: {head_node: 1h, nodes: 45m}
    default_user: {sudo: false, home: local}
"""


def test_roles_timeouts_and_the_user_of_the_image(parallelcluster: ParallelCluster) -> None:
    document = document_of(ROLES)
    boundary = "arn:aws:iam::111122223333:policy/boundary"
    assert document["Iam"] == {"PermissionsBoundary": boundary, "ResourcePrefix": "/teams/ml/"}
    timeouts = {"HeadNodeBootstrapTimeout": 3600, "ComputeNodeBootstrapTimeout": 2700}
    assert document["DevSettings"]["Timeouts"] == timeouts
    user = {"DisableSudoAccessForDefaultUser": True, "DefaultUserHome": "Local"}
    assert document["DeploymentSettings"] == user
    said = parallelcluster.validator(files_of(ROLES)["cluster.yaml"])
    assert [each for each in said if each.level == "ERROR"] == []


def test_a_snapshot_stays_when_its_volume_is_deleted() -> None:
    text = "storage: [{mount: /apps, type: ebs, size: 100GiB, on_delete: snapshot}]"
    losses = json.loads(files_of(text)["bundle.json"])["losses"]
    assert "/apps: only a snapshot of it stays" in losses["lines"]
