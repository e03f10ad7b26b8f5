"""What UpdateCluster does, compared with the service's model."""

import json
from typing import Any

import pytest

from clustergen.bundle.effects import Kind, worst
from clustergen.bundle.effects.bundles import effects as effects_of_bundles
from clustergen.bundle.effects.hyperpod_requests import UNDOCUMENTED, effects, is_known
from clustergen.services.hyperpod.deploy import UPDATABLE
from tests.support import service_models
from tests.support.tables import flow

ONLY_TO_UPDATE = {"InstanceGroupsToDelete"}
"""Members that CreateCluster does not have."""


def members(shape: str) -> Any:
    return service_models.model("sagemaker").shape_for(shape).members


def test_the_members_of_update_cluster() -> None:
    assert set(members("UpdateClusterRequest")) - ONLY_TO_UPDATE == set(UPDATABLE)


def test_every_member_of_an_instance_group_has_an_effect() -> None:
    """A new member of the service needs a decision."""
    found = members("ClusterInstanceGroupSpecification")
    assert {name for name in found if not is_known(name)} == set()
    assert set(found) >= UNDOCUMENTED


GROUP = {"InstanceGroupName": "a", "InstanceCount": 2}
# By what they do: members of a group before and after.
CHANGES: dict[Kind, dict[str, list[dict[str, Any]]]] = flow("""
    none: {nothing: [{}, {}]}
    removes-nodes: {fewer nodes: [{}, {InstanceCount: 1}]}
    in-place:
      more nodes: [{}, {InstanceCount: 3}]
      a label: [{KubernetesConfig: {Labels: {a: b}}}, {KubernetesConfig: {Labels: {a: c}}}]
    replaces-nodes:
      a MIG profile: [{KubernetesConfig: {Labels: {nvidia.com/mig.config: b}}},
        {KubernetesConfig: {Labels: {nvidia.com/mig.config: c}}}]
    new-nodes-only:
      scripts: [{LifeCycleConfig: 1}, {LifeCycleConfig: 2}]
      an image: [{}, {ImageId: ami-1}]
      a volume: [{InstanceStorageConfigs: [{EbsVolumeConfig: {VolumeSizeInGB: 500}}]},
        {InstanceStorageConfigs: [{EbsVolumeConfig: {VolumeSizeInGB: 900}}]}]
    refused:
      another type: [{InstanceType: a}, {InstanceType: b}]
      another key: [
        {InstanceStorageConfigs: [{EbsVolumeConfig: {VolumeSizeInGB: 5, VolumeKmsKeyId: alias/a}}]},
        {InstanceStorageConfigs: [{EbsVolumeConfig: {VolumeSizeInGB: 5, VolumeKmsKeyId: alias/b}}]}]
""")


@pytest.mark.parametrize(
    ("kind", "change"), [(kind, change) for kind in CHANGES for change in CHANGES[kind]]
)
def test_instance_groups(kind: Kind, change: str) -> None:
    old, new = CHANGES[kind][change]
    before, after = ({"InstanceGroups": [{**GROUP, **each}]} for each in (old, new))
    assert worst(effects(before, after, ())) == kind


@pytest.mark.parametrize(
    ("member", "kind"), [("VpcConfig", "refused"), ("Tags", "none"), ("NodeRecovery", "in-place")]
)
def test_the_cluster(member: str, kind: Kind) -> None:
    assert worst(effects({member: 1}, {member: 2}, ())) == kind


MINE = {"bundle.json": '{"region": "us-east-1", "cluster": "mine"}'}
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
    before, after = (
        {**MINE, "update-cluster.json": json.dumps(each)} for each in (old, {**old, **edit})
    )
    assert worst(effects_of_bundles(before, after)) == kind


def test_a_group_in_a_cluster_that_exists_is_no_controller() -> None:
    """The owner has the controller; a group with another name leaves the first one behind."""
    before, after = (
        {
            **MINE,
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
        gone = groups["ab".index(renamed)]
        others = [{**g, "InstanceGroupName": "new"} if g == gone else g for g in groups]
        found = [*effects(before, {**orchestrator, "InstanceGroups": others}, ())]
        assert worst(found) == kind


_ROLES = ("Controller", "Compute")


@pytest.mark.parametrize(("mode", "kind"), [("Enable", "removes-nodes"), ("Disable", "in-place")])
def test_a_group_that_leaves_karpenter(mode: str, kind: Kind) -> None:
    """It may have more nodes than the fixed number; the request has none of Karpenter's."""
    before, after = ({"InstanceGroups": [GROUP | {"InstanceCount": n}]} for n in (0, 2))
    scaled = {"AutoScaling": {"Mode": mode, "AutoScalerType": "Karpenter"}}
    assert worst(effects(before | scaled, after | scaled, ())) == kind
