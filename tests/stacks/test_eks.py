"""The stack of an EKS cluster: what users of the CDK may change, and software that it installs."""

import json
from itertools import pairwise
from typing import Any

import pytest

from clustergen.base.text_lists import words
from clustergen.services.kubernetes import bundle
from clustergen.services.kubernetes.components import components
from stacks import app
from stacks.eks import EksStack
from tests.stacks.synthesized import new_app, synthesize
from tests.support.checking import Fragments, check_fragment
from tests.targets.eks.planned import plan_of, resources, template_of


def test_a_resource_may_be_changed() -> None:
    made = new_app()
    rendered = app.rendered_cluster(check_fragment("", "eks"), "eks", {})
    stack = EksStack(made, rendered)
    stack.resources["Cluster"].add_property_override("ZonalShiftConfig.Enabled", True)
    cluster = made.synth().get_stack_by_name(stack.stack_name).template["Resources"]["Cluster"]
    assert cluster["Properties"]["ZonalShiftConfig"] == {"Enabled": True}
    assert cluster["DependsOn"] == ["ClusterLogs"]


INSTALLED = """
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB}]
kubernetes: {autoscaler: karpenter}
node_groups: [{name: h200, count: {min: 0, max: 2}}]
targets: {eks: {install: stack}}
"""


@pytest.fixture(scope="module")
def installing() -> dict[str, Any]:
    """The template of a stack that installs software."""
    return synthesize(check_fragment(INSTALLED, "eks"), "eks").cluster


def test_a_stack_installs_what_the_script_would(installing: dict[str, Any]) -> None:
    plan = plan_of(INSTALLED)
    charts = resources(installing, "Custom::AWSCDK-EKS-HelmChart").values()
    wanted = [component.chart for component in components(plan)]
    assert [(c["Release"], c["Version"], c["Namespace"]) for c in charts] == [
        (chart.name, chart.version, chart.namespace) for chart in wanted
    ]
    manifests = resources(installing, "Custom::AWSCDK-EKS-KubernetesResource").values()
    assert len(manifests) == len(bundle.manifests(plan))
    applied = json.dumps(list(manifests))
    assert '{"Ref": "KarpenterNodeRole"}' in applied
    assert "example-foundation-StorageFsxId" in applied
    assert "${" not in applied


def test_a_stack_never_deletes_what_holds_objects_of_users(installing: dict[str, Any]) -> None:
    """Namespaces, and definitions of kinds; other objects that vanish are pruned."""
    found = resources(installing, "Custom::AWSCDK-EKS-KubernetesResource")
    kept = {"SoftwareManifestNamespaces", "SoftwareManifestMpiOperator"}
    for name, properties in found.items():
        policy = installing["Resources"][name].get("DeletionPolicy", "Delete")
        assert (policy, "PruneLabel" in properties) == (
            ("Retain", False) if name in kept else ("Delete", True)
        ), name


def test_a_stack_installs_in_order_with_a_role_that_has_access(installing: dict[str, Any]) -> None:
    made = installing["Resources"]
    steps = [name for name, resource in made.items() if resource["Type"].startswith("Custom::")]
    for earlier, later in pairwise(steps):
        assert earlier in made[later]["DependsOn"]
    before = {"SystemNodes", "AddonCoredns", "ClusterSoftwareAdmin"}
    assert before <= set(made[steps[0]]["DependsOn"])
    entry = made["ClusterSoftwareAdmin"]["Properties"]["PrincipalArn"]["Fn::GetAtt"][0]
    assert made["SoftwareKubectlHandler"]["Properties"]["Role"]["Fn::GetAtt"][0] == entry


def test_ids_of_installed_software_do_not_change(installing: dict[str, Any]) -> None:
    """CloudFormation would delete what a resource with another id has installed."""
    assert tuple(resources(installing, "Custom::AWSCDK-EKS-HelmChart")) == words("""
        SoftwareChartKarpenterCrd SoftwareChartKarpenter SoftwareChartNvidiaDevicePlugin
        SoftwareChartAwsEfaK8sDevicePlugin SoftwareChartKueue
    """)
    assert tuple(resources(installing, "Custom::AWSCDK-EKS-KubernetesResource")) == words("""
        SoftwareManifestNamespaces SoftwareManifestMpiOperator SoftwareManifestKueue
        SoftwareManifestVolumes SoftwareManifestOwnership SoftwareManifestStorageClass
        SoftwareManifestKarpenter
    """)


def test_a_stack_that_installs_software_needs_no_scripts() -> None:
    fragment = "targets: {eks: {install: stack}}"
    files = Fragments("eks").files(fragment)
    assert "deploy.sh" not in files
    assert "1. `npx cdk deploy --all" in files["README.md"]
    assert template_of(fragment)["Resources"] == template_of("")["Resources"]
