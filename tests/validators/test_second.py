"""The second validator of templates catches what it should, each fault alone."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.checking import example_files
from tests.validators.cloudformation.second import diagnose

PCS = ("pcs", "cluster.template.json")
FOUNDATION = ("pcs", "foundation.template.json")
EKS = ("eks", "cluster.template.json")


def text_of(target: str, path: str) -> str:
    return example_files("p5-on-demand", target)[path]


@pytest.mark.parametrize(("target", "path"), [PCS, FOUNDATION, EKS])
def test_rendered_files_are_valid(target: str, path: str) -> None:
    assert [str(found) for found in diagnose(text_of(target, path))] == []


def properties(document: Any, type: str) -> Any:
    return next(r["Properties"] for r in document["Resources"].values() if r["Type"] == type)


NOWHERE, MISSPELT = {"Fn::GetAtt": ["Nowhere", "Id"]}, {"Fn::GetAtt": ["Cluster", "Arm"]}
NVIDIA = "AL2023_X86_64_NVIDIA"
FAULTS: list[tuple[str, tuple[str, str], Callable[[Any], object]]] = [
    ("an unknown property", PCS, lambda t: properties(t, "AWS::PCS::Cluster").update(Sizes="S")),
    ("a missing property", PCS, lambda t: properties(t, "AWS::PCS::Cluster").pop("Size")),
    ("another value", PCS, lambda t: properties(t, "AWS::PCS::Cluster").update(Size="HUGE")),
    ("no such resource", PCS, lambda t: properties(t, "AWS::PCS::Queue").update(ClusterId=NOWHERE)),
    ("a wrong type", FOUNDATION, lambda t: properties(t, "AWS::EC2::VPC").update(Tags="x")),
    ("no such type", FOUNDATION, lambda t: t["Resources"]["Vpc"].update(Type="AWS::EC2::Vpcs")),
    ("no network", FOUNDATION, lambda t: properties(t, "AWS::EC2::Subnet").pop("VpcId")),
    ("an AMI type", EKS, lambda t: properties(t, "AWS::EKS::Nodegroup").update(AmiType=NVIDIA)),
    ("a number", EKS, lambda t: properties(t, "AWS::EKS::Cluster").update(Version=1.35)),
    ("no such attribute", EKS, lambda t: t["Outputs"]["ClusterArn"].update(Value=MISSPELT)),
]


@pytest.mark.parametrize(("good", "spoil"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_a_fault_is_detected(good: tuple[str, str], spoil: Callable[[Any], object]) -> None:
    bad = json.loads(text_of(*good))
    spoil(bad)
    assert diagnose(json.dumps(bad))
