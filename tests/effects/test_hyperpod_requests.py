"""What UpdateCluster does, compared with the service's model."""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest

from clustergen.effects import Kind, worst
from clustergen.effects.bundles import effects as effects_of_bundles
from clustergen.effects.hyperpod_requests import UNDOCUMENTED, effects, is_known
from clustergen.hyperpod.deploy import UPDATABLE

ONLY_TO_UPDATE = {"InstanceGroupsToDelete"}
"""Members that CreateCluster does not have."""


@functools.cache
def shapes() -> Any:
    import botocore.loaders

    return botocore.loaders.Loader().load_service_model("sagemaker", "service-2")["shapes"]


def test_the_members_of_update_cluster() -> None:
    assert set(shapes()["UpdateClusterRequest"]["members"]) - ONLY_TO_UPDATE == set(UPDATABLE)


def test_every_member_of_an_instance_group_has_an_effect() -> None:
    """A new member of the service needs a decision."""
    members = shapes()["ClusterInstanceGroupSpecification"]["members"]
    assert {name for name in members if not is_known(name)} == set()
    assert set(members) >= UNDOCUMENTED


def _volume(key: str | None, size: int = 500) -> dict[str, Any]:
    return {
        "EbsVolumeConfig": {
            "VolumeSizeInGB": size,
            **({"VolumeKmsKeyId": key} if key else {}),
        }
    }


GROUP = {"InstanceGroupName": "a", "InstanceCount": 2}
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any], Kind]] = {
    "nothing": ({}, {}, "none"),
    "more nodes": ({}, {"InstanceCount": 3}, "in-place"),
    "fewer nodes": ({}, {"InstanceCount": 1}, "removes-nodes"),
    "another type": ({"InstanceType": "a"}, {"InstanceType": "b"}, "refused"),
    "scripts": ({"LifeCycleConfig": 1}, {"LifeCycleConfig": 2}, "new-nodes-only"),
    "an image": ({}, {"ImageId": "ami-1"}, "new-nodes-only"),
    "another key": (
        {"InstanceStorageConfigs": [_volume("alias/a")]},
        {"InstanceStorageConfigs": [_volume("alias/b")]},
        "refused",
    ),
    "a volume": (
        {"InstanceStorageConfigs": [_volume(None)]},
        {"InstanceStorageConfigs": [_volume(None, 900)]},
        "new-nodes-only",
    ),
    "a label": (
        {"KubernetesConfig": {"Labels": {"a": "b"}}},
        {"KubernetesConfig": {"Labels": {"a": "c"}}},
        "in-place",
    ),
    "a MIG profile": (
        {"KubernetesConfig": {"Labels": {"nvidia.com/mig.config": "b"}}},
        {"KubernetesConfig": {"Labels": {"nvidia.com/mig.config": "c"}}},
        "replaces-nodes",
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_instance_groups(change: str) -> None:
    old, new, kind = CHANGES[change]
    before, after = ({"InstanceGroups": [{**GROUP, **each}]} for each in (old, new))
    assert worst(effects(before, after, ())) == kind


@pytest.mark.parametrize(
    ("member", "kind"),
    [("VpcConfig", "refused"), ("Tags", "none"), ("NodeRecovery", "in-place")],
)
def test_the_cluster(member: str, kind: Kind) -> None:
    assert worst(effects({member: 1}, {member: 2}, ())) == kind


JOINED: dict[str, tuple[dict[str, Any], Kind]] = {
    "nothing": ({}, "none"),
    "another cluster": ({"ClusterName": "b"}, "leftover"),
    "fewer nodes": ({"InstanceGroups": [{**GROUP, "InstanceCount": 1}]}, "removes-nodes"),
}


@pytest.mark.parametrize("change", JOINED)
def test_groups_in_a_cluster_that_exists(change: str) -> None:
    """The bundle has no request that creates one; its own name stays."""
    edit, kind = JOINED[change]
    old = {"ClusterName": "a", "InstanceGroups": [GROUP]}
    script = {"deploy.sh": "region=us-east-1\ncluster=mine\n"}
    before, after = (
        {**script, "update-cluster.json": json.dumps(each)} for each in (old, {**old, **edit})
    )
    assert worst(effects_of_bundles(before, after)) == kind


def test_a_group_in_a_cluster_that_exists_is_no_controller() -> None:
    """The owner has the controller; a group with another name leaves the first one behind."""
    before, after = (
        {
            "deploy.sh": "region=us-east-1\ncluster=mine\n",
            "update-cluster.json": json.dumps(
                {"ClusterName": "a", "InstanceGroups": [{**GROUP, "InstanceGroupName": name}]}
            ),
        }
        for name in ("b", "c")
    )
    assert worst(effects_of_bundles(before, after)) == "leftover"


@pytest.mark.parametrize("orchestrator", [{}, {"Orchestrator": {"Slurm": {}}}])
def test_the_controller_keeps_its_group(orchestrator: dict[str, Any]) -> None:
    """deploy.sh stops rather than add a second controller beside the one that runs."""
    roles = [{"SlurmConfig": {"NodeType": role}} if orchestrator else {} for role in _ROLES]
    groups = [{"InstanceGroupName": name, **role} for name, role in zip("ab", roles, strict=True)]
    before = {**orchestrator, "InstanceGroups": groups}
    for renamed, kind in (("a", "refused"), ("b", "leftover")):
        others = [
            {**g, "InstanceGroupName": "new"} if g == groups["ab".index(renamed)] else g
            for g in groups
        ]
        found = [*effects(before, {**orchestrator, "InstanceGroups": others}, ())]
        assert worst(found) == kind


_ROLES = ("Controller", "Compute")
