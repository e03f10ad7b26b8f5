"""What a user of the CDK may do with the cluster: take its parts, replace them, add to them."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_eks as eks
from aws_cdk import aws_iam as iam
from aws_cdk import aws_kms as kms

from clustergen import foundation
from clustergen.cdk.inputs import Imports
from clustergen.cdk.stack import ClusterStack
from clustergen.eks.addons import Addon, ManagedAddon
from clustergen.eks.control_plane import ControlPlane
from clustergen.eks.launch_templates import LaunchTemplate
from clustergen.kubernetes import bundle
from clustergen.kubernetes.components import components
from clustergen.plan.model import NodeGroup, Ref
from clustergen.targets.eks import emit
from clustergen.targets.eks.cluster import EksCluster
from clustergen.targets.eks.node_groups import ManagedNodeGroup
from clustergen.words import word_set, words
from tests.targets.eks.planned import plan_of, resources, synthesized, template_of


class WithoutSystemAdmin(EksCluster):
    """Changes a property of a part."""

    def make_control_plane(self) -> ControlPlane:
        made = super().make_control_plane()
        made.cluster.zonal_shift_config = eks.CfnCluster.ZonalShiftConfigProperty(enabled=True)
        return made


class WithAnAddon(EksCluster):
    """Adds an add-on, with a role for its pods."""

    def make_addons(self) -> dict[str, ManagedAddon]:
        more = Addon("adot", service_account="adot-collector", policies=("AWSXrayWriteOnlyAccess",))
        return {**super().make_addons(), more.name: self.make_addon(more)}


class WithoutPlacement(EksCluster):
    """Replaces a part for one of the node groups."""

    def make_node_group(self, group: NodeGroup) -> ManagedNodeGroup:
        made = super().make_node_group(group)
        made.node_group.add_property_override("UpdateConfig.MaxUnavailablePercentage", 100)
        return made


def test_a_part_may_be_changed() -> None:
    template = synthesized(WithoutSystemAdmin)
    cluster = template["Resources"]["Cluster"]["Properties"]
    assert cluster["ZonalShiftConfig"] == {"Enabled": True}
    assert "ZonalShiftConfig" not in template_of("")["Resources"]["Cluster"]["Properties"]


def test_a_part_may_be_added() -> None:
    template = synthesized(WithAnAddon)
    added = template["Resources"]["AddonAdot"]
    assert added["DependsOn"] == ["SystemNodes"]
    [identity] = added["Properties"]["PodIdentityAssociations"]
    assert identity["RoleArn"] == {"Fn::GetAtt": ["AddonAdotRole", "Arn"]}
    assert set(template["Resources"]) - set(template_of("")["Resources"]) == word_set("""
        AddonAdot AddonAdotRole
    """)


def test_a_node_group_may_be_changed() -> None:
    template = synthesized(WithoutPlacement)
    updates = template["Resources"]["NodeGroupH200"]["Properties"]["UpdateConfig"]
    assert updates["MaxUnavailablePercentage"] == 100


def app() -> cdk.App:
    return cdk.App(builtin_cloud_formation_validation=False)


def test_the_parts_are_attributes() -> None:
    stack = ClusterStack(app(), "Own", plan=plan_of(""))
    exports = {
        name: f"base-{name}"
        for name in words("""
            ControlPlaneSubnet1Id ControlPlaneSubnet2Id PrivateSubnetId
            SystemSubnet1Id SystemSubnet2Id
            ClusterSecurityGroupId
        """)
    }
    cluster = EksCluster(stack, "Default", plan=plan_of(""), inputs=Imports(exports))
    kinds: list[tuple[object, type[Any]]] = [
        (cluster.control_plane.cluster, eks.CfnCluster),
        (cluster.control_plane.key, kms.Key),
        (cluster.node_role, iam.Role),
        (cluster.system_nodes.node_group, eks.CfnNodegroup),
        (cluster.node_groups["h200"].launch_template, LaunchTemplate),
        (cluster.addons["coredns"].addon, eks.CfnAddon),
        (cluster.networking["vpc-cni"].role, iam.Role),
    ]
    for part, kind in kinds:
        assert isinstance(part, kind)
    assert cluster.karpenter is None
    assert cluster.prometheus is None


def test_constructs_added_to_the_cluster_are_in_its_stack() -> None:
    made = app()
    stack = ClusterStack(made, "Own", plan=plan_of(""))
    names = words("""
        ControlPlaneSubnet1Id ControlPlaneSubnet2Id PrivateSubnetId
        SystemSubnet1Id SystemSubnet2Id
        ClusterSecurityGroupId
    """)
    exports = {name: f"base-{name}" for name in names}
    cluster = EksCluster(stack, "Default", plan=plan_of(""), inputs=Imports(exports))
    cluster.control_plane.grant_admin("Auditors", "arn:aws:iam::111122223333:role/auditors")
    cluster.node_role.add_managed_policy(
        iam.ManagedPolicy.from_aws_managed_policy_name("AmazonS3ReadOnlyAccess")
    )
    template = made.synth().get_stack_by_name("Own").template
    [entry] = resources(template, "AWS::EKS::AccessEntry").values()
    assert entry["PrincipalArn"] == "arn:aws:iam::111122223333:role/auditors"
    assert "AmazonS3ReadOnlyAccess" in str(template["Resources"]["NodeRole"])
    subnets = template["Resources"]["Cluster"]["Properties"]["ResourcesVpcConfig"]["SubnetIds"]
    assert subnets[0] == {"Fn::ImportValue": "base-ControlPlaneSubnet1Id"}
    assert set(template["Parameters"]) == {"BootstrapVersion", "SizeOfNodeGroupH200"}


def test_ids_in_the_spec_are_literal() -> None:
    stack = cdk.Stack(app(), "Own")
    inputs = Imports({"VpcId": "base-VpcId"})
    assert stack.resolve(inputs.value("subnet-0a1b2c3d")) == "subnet-0a1b2c3d"
    assert stack.resolve(inputs.value(Ref("VpcId"))) == {"Fn::ImportValue": "base-VpcId"}


FSX = "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB}]\n"
IN_STACK = (
    FSX
    + "kubernetes: {autoscaler: karpenter}\nnode_groups: [{name: h200, count: {min: 0, max: 2}}]"
)


def with_software(fragment: str) -> dict[str, Any]:
    made, plan = app(), plan_of(fragment)
    stack = ClusterStack(made, "Own", plan=plan)
    exports = {name: f"base-{name}" for name in foundation.outputs(plan)}
    EksCluster(stack, "Default", plan=plan, inputs=Imports(exports), software=True)
    template: dict[str, Any] = made.synth().get_stack_by_name("Own").template
    return template


def test_a_stack_installs_what_the_script_would() -> None:
    template, plan = with_software(IN_STACK), plan_of(IN_STACK)
    charts = resources(template, "Custom::AWSCDK-EKS-HelmChart").values()
    wanted = [component.chart for component in components(plan)]
    assert [(c["Release"], c["Version"], c["Namespace"]) for c in charts] == [
        (chart.name, chart.version, chart.namespace) for chart in wanted
    ]
    manifests = resources(template, "Custom::AWSCDK-EKS-KubernetesResource").values()
    assert len(manifests) == len(bundle.manifests(plan))
    applied = json.dumps(list(manifests))
    assert '{"Ref": "KarpenterNodeRole"}' in applied
    assert "base-StorageFsxId" in applied
    assert "${" not in applied


def test_a_stack_installs_in_order_with_a_role_that_has_access() -> None:
    made = with_software(IN_STACK)["Resources"]
    steps = [name for name, resource in made.items() if resource["Type"].startswith("Custom::")]
    for earlier, later in pairwise(steps):
        assert earlier in made[later]["DependsOn"]
    assert {"SystemNodes", "AddonCoredns", "ClusterSoftwareAdmin"} <= set(
        made[steps[0]]["DependsOn"]
    )
    entry = made["ClusterSoftwareAdmin"]["Properties"]["PrincipalArn"]["Fn::GetAtt"][0]
    assert made["SoftwareKubectlHandler"]["Properties"]["Role"]["Fn::GetAtt"][0] == entry


def test_a_stack_that_installs_software_needs_no_scripts() -> None:
    fragment = "targets: {eks: {install: stack}}"
    plan = plan_of(fragment)
    paths = {file.path for file in emit.emit(plan, template_of(fragment))}
    assert not {"deploy.sh", "install.sh"} & paths
    assert "cdk deploy" in emit.steps(plan)[0]
    assert template_of(fragment)["Resources"] == template_of("")["Resources"]
