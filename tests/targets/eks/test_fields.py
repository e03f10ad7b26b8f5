"""Add-ons with versions, a desired number of nodes, accelerators without a taint."""

from __future__ import annotations

import json
from typing import Any

from clustergen.base.findings import errors
from tests.support.checking import Fragments

files_of = Fragments("eks").files

ADDONS = """kubernetes:
  addons:
    - {name: vpc-cni, version: v1.19.2-eksbuild.1, configuration: {
         enableNetworkPolicy: "true", env: {AWS_VPC_K8S_CNI_EXTERNALSNAT: "true"}}}
    - {name: snapshot-controller}
"""


def _addons(text: str) -> dict[str, dict[str, Any]]:
    resources = json.loads(files_of(text)["cluster.template.json"])["Resources"].values()
    found = (one["Properties"] for one in resources if one["Type"] == "AWS::EKS::Addon")
    return {one["AddonName"]: one for one in found}


def test_an_addon_has_the_version_of_the_spec_and_keeps_what_clustergen_needs() -> None:
    before, after = _addons(""), _addons(ADDONS)
    assert after.keys() - before.keys() == {"snapshot-controller"}
    assert "AddonVersion" not in before["vpc-cni"]
    assert after["vpc-cni"]["AddonVersion"] == "v1.19.2-eksbuild.1"
    values = json.loads(after["vpc-cni"]["ConfigurationValues"])
    needed = json.loads(before["vpc-cni"]["ConfigurationValues"])
    environment = {**needed["env"], "AWS_VPC_K8S_CNI_EXTERNALSNAT": "true"}
    assert values == {"env": environment, "enableNetworkPolicy": "true"}


def test_deploy_asks_for_the_desired_number_of_nodes() -> None:
    text = "node_groups: [{name: h200, count: {min: 1, max: 4, desired: 3}}]"
    group = json.loads(files_of(text)["bundle.json"])["service"]["groups"]["h200"]
    assert [group[name] for name in ("kept", "wanted", "most")] == [1, 3, 4]


def test_accelerators_need_no_taint() -> None:
    text = "node_groups: [{name: h200, accelerator_taint: false}]"
    files = files_of(text)
    assert '"Key": "nvidia.com/gpu"' not in files["cluster.template.json"]
    assert "nodeTaints" not in files["manifests/kueue.yaml"]


def test_eks_knows_no_latest_version_of_an_addon() -> None:
    """eksctl does, and CloudFormation would fail after the cluster is there."""
    findings = Fragments("eks").findings(ADDONS.replace("v1.19.2-eksbuild.1", "latest"))
    [found] = errors(findings)
    assert "is not the version of an add-on" in found.message
