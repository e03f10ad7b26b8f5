"""The second validator of templates catches what it should, each fault alone."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from clustergen import compiler, renderer, resources
from tests.oracles.cloudformation.second import diagnose

SPECS = resources.tree("specs")


def template(spec: str, target: str, path: str = "cluster.template.json") -> Any:
    found = compiler.check([SPECS / f"{spec}.yaml"], targets=[target])
    return json.loads({a.path: a.text for a in renderer.render(found, target)}[path])


PCS = template("p5-on-demand", "pcs")
FOUNDATION = template("p5-on-demand", "pcs", "foundation.template.json")
EKS = template("p5-on-demand", "eks")


@pytest.mark.parametrize("good", [PCS, FOUNDATION, EKS], ids=["pcs", "foundation", "eks"])
def test_rendered_files_are_valid(good: Any) -> None:
    assert [str(found) for found in diagnose(json.dumps(good))] == []


def properties(document: Any, type: str) -> Any:
    return next(r["Properties"] for r in document["Resources"].values() if r["Type"] == type)


FAULTS: list[tuple[str, Any, Callable[[Any], object]]] = [
    ("an unknown property", PCS, lambda t: properties(t, "AWS::PCS::Cluster").update(Sizes="S")),
    ("a missing property", PCS, lambda t: properties(t, "AWS::PCS::Cluster").pop("Size")),
    ("another value", PCS, lambda t: properties(t, "AWS::PCS::Cluster").update(Size="HUGE")),
    (
        "no such resource",
        PCS,
        lambda t: properties(t, "AWS::PCS::Queue").update(
            ClusterId={"Fn::GetAtt": ["Nowhere", "Id"]}
        ),
    ),
    ("a wrong type", FOUNDATION, lambda t: properties(t, "AWS::EC2::VPC").update(Tags="x")),
    ("no such type", FOUNDATION, lambda t: t["Resources"]["Vpc"].update(Type="AWS::EC2::Vpcs")),
    ("no network", FOUNDATION, lambda t: properties(t, "AWS::EC2::Subnet").pop("VpcId")),
    (
        "an AMI type",
        EKS,
        lambda t: properties(t, "AWS::EKS::Nodegroup").update(AmiType="AL2023_X86_64_NVIDIA"),
    ),
    ("a number", EKS, lambda t: properties(t, "AWS::EKS::Cluster").update(Version=1.35)),
    (
        "no such attribute",
        EKS,
        lambda t: t["Outputs"]["ClusterArn"].update(Value={"Fn::GetAtt": ["Cluster", "Arm"]}),
    ),
]


@pytest.mark.parametrize(("good", "spoil"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_a_fault_is_detected(good: Any, spoil: Callable[[Any], object]) -> None:
    bad = copy.deepcopy(good)
    spoil(bad)
    assert diagnose(json.dumps(bad))
