"""What CloudFormation does with changed resources: node groups of EKS, rollbacks, collisions."""

import json
from typing import Any

import pytest

from clustergen.bundle.effects import Effect, Kind, effects, worst

Json = dict[str, Any]
TAGS = "AWS::EC2::LaunchTemplate"
BATCH = "AWS::Batch::ComputeEnvironment"


def compared(old: Json, new: Json) -> list[Effect]:
    before, after = ({"cluster.template.json": json.dumps({"Resources": e})} for e in (old, new))
    return effects(before, after)


def group(**properties: Any) -> Json:
    version = {"Fn::GetAtt": ["Template", "LatestVersionNumber"]}
    known = {"NodegroupName": "a", "LaunchTemplate": {"Version": version}}
    return {"Group": {"Type": "AWS::EKS::Nodegroup", "Properties": {**known, **properties}}}


def template(data: str) -> Json:
    return {"Template": {"Type": TAGS, "Properties": {"LaunchTemplateData": {"ImageId": data}}}}


def cluster(version: str) -> Json:
    return {"Cluster": {"Type": "AWS::EKS::Cluster", "Properties": {"Version": version}}}


BLOCK = {"CapacityType": "CAPACITY_BLOCK"}
MIG = "nvidia.com/mig.config"


def environment(**compute: Any) -> Json:
    return {"Env": {"Type": BATCH, "Properties": {"ComputeResources": compute}}}


def blocks(data: str) -> Json:
    return group(**BLOCK) | template(data)


CHANGES: dict[str, tuple[Json, Json, Kind]] = {
    "a launch template": (group() | template("a"), group() | template("b"), "replaces-nodes"),
    "a launch template of a Capacity Block": (blocks("a"), blocks("b"), "needs-stop"),
    "labels": (group(Labels={"a": "b"}), group(Labels={"a": "c"}), "in-place"),
    "a MIG profile": (group(Labels={MIG: "1g"}), group(Labels={MIG: "2g"}), "replaces-nodes"),
    "fewer nodes": (
        group(ScalingConfig={"MaxSize": 4}),
        group(ScalingConfig={"MaxSize": 2}),
        "removes-nodes",
    ),
    "the kind of image": (group(AmiType="AL2023"), group(AmiType="CUSTOM"), "refused"),
    "the next minor version": (cluster("1.34"), cluster("1.35"), "in-place"),
    "two minor versions": (cluster("1.33"), cluster("1.35"), "refused"),
    "an older version": (cluster("1.35"), cluster("1.34"), "refused"),
    "metrics less": ({"Metrics": {"Type": "AWS::APS::Workspace"}}, {}, "data-at-risk"),
    "instances of AWS Batch": (
        environment(InstanceTypes=["a"]),
        environment(InstanceTypes=["b"]),
        "replaces-nodes",
    ),
    "more vCPUs of AWS Batch": (environment(MaxvCpus=4), environment(MaxvCpus=8), "in-place"),
    "an environment of AWS Batch less": ({"Env": {"Type": BATCH}}, {}, "removes-nodes"),
    "a role less": ({"Role": {"Type": "AWS::IAM::Role"}}, {}, "in-place"),
    "a group less": (group(), {}, "removes-nodes"),
    "a group's name": (group(), {"Other": group(NodegroupName="b")["Group"]}, "replaces-resource"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_resources(change: str) -> None:
    old, new, kind = CHANGES[change]
    assert worst(compared(old, new)) == kind


def test_what_is_retained_continues_to_cost_money() -> None:
    system = {"Type": "AWS::FSx::FileSystem"}
    old = {"A": {**system, "DeletionPolicy": "Retain"}, "B": system}
    stays = {each.subject: each.stays for each in compared(old, {})}
    assert stays == {"A": "A", "B": ""}
    fates = {each.subject: "deleted with its data" in each.text for each in compared(old, {})}
    assert fates == {"A": False, "B": True}


def test_a_stack_less_stays() -> None:
    [effect] = effects({"monitoring.template.json": '{"Resources": {}}'}, {})
    assert (effect.kind, effect.stays) == ("leftover", "monitoring.template.json")


@pytest.mark.parametrize(
    ("other", "kind"),
    [({"region": "us-west-2"}, "leftover"), ({"service": {"version": "3.17.0"}}, "refused")],
)
def test_another_place_or_version(other: dict[str, Any], kind: Kind) -> None:
    bundle = {"region": "us-east-1", "cluster": "a", "service": {"version": "3.16.1"}}
    before, after = (
        {"bundle.json": json.dumps(each), "cluster.yaml": "Region: us-east-1\n"}
        for each in (bundle, {**bundle, **other})
    )
    assert worst(effects(before, after)) == kind
