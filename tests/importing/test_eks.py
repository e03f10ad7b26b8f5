"""EKS clusters as specs: templates, descriptions, and what clustergen renders itself."""

import json
from typing import Any

from tests.importing.templates import (
    GROUP,
    SUBNET,
    VPC,
    bring,
    by_name,
    document,
    lossless,
    spec_of,
)
from tests.support.tables import flow

ROLE = "arn:aws:iam::111122223333:role/{}"
DATA = {
    "BlockDeviceMappings": [{"DeviceName": "/dev/xvda", "Ebs": {"VolumeSize": 300}}],
    "MetadataOptions": {"HttpTokens": "required", "HttpPutResponseHopLimit": 2},
}
TEMPLATE: dict[str, Any] = flow("""
Parameters: {Version: {Type: String, Default: '1.34'}, Admin: {Type: String}}
Resources:
  Control:
    Type: AWS::EKS::Cluster
    Properties:
      Name: {Fn::Sub: '${AWS::StackName}-eks'}
      Version: {Ref: Version}
      RoleArn: arn:aws:iam::111122223333:role/control
      ResourcesVpcConfig: {SubnetIds: [subnet-0a1b2c3d4e5f67891, subnet-0a1b2c3d4e5f67892]}
      UpgradePolicy: {SupportType: STANDARD}
      AccessConfig: {AuthenticationMode: API}
  Launch:
    Type: AWS::EC2::LaunchTemplate
    Properties:
      LaunchTemplateData:
        BlockDeviceMappings: [{DeviceName: /dev/xvda, Ebs: {VolumeSize: 300}}]
        MetadataOptions: {HttpTokens: required, HttpPutResponseHopLimit: 2}
        SecurityGroupIds: [{Fn::GetAtt: [Control, ClusterSecurityGroupId]}, sg-0a1b2c3d4e5f67891]
  Gpu:
    Type: AWS::EKS::Nodegroup
    Properties:
      ClusterName: {Ref: Control}
      NodegroupName: gpu
      NodeRole: arn:aws:iam::111122223333:role/nodes
      Subnets: [subnet-0a1b2c3d4e5f67891]
      InstanceTypes: [g6.12xlarge]
      ScalingConfig: {MinSize: 1, MaxSize: 4, DesiredSize: 2}
      Labels: {pool: gpu}
      LaunchTemplate: {Id: {Ref: Launch}, Version: {Fn::GetAtt: [Launch, LatestVersionNumber]}}
  Admins:
    Type: AWS::EKS::AccessEntry
    Properties:
      ClusterName: {Ref: Control}
      PrincipalArn: {Ref: Admin}
      AccessPolicies:
        - {PolicyArn: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy',
           AccessScope: {Type: cluster}}
  Cni: {Type: AWS::EKS::Addon, Properties: {ClusterName: {Ref: Control}, AddonName: vpc-cni}}
""")
ADMIN = {"Admin": ROLE.format("admins")}


def test_the_rendered_template_has_the_settings_of_the_original() -> None:
    result = lossless(bring(TEMPLATE, parameters=ADMIN))
    assert bring(TEMPLATE, parameters=ADMIN).text == result.text
    template = document(result, "eks")
    assert set(by_name(template, "AWS::EKS::Cluster", "Name")) == {"imported-eks"}
    group = by_name(template, "AWS::EKS::Nodegroup", "NodegroupName")["gpu"]
    assert group["NodeRole"] == ROLE.format("nodes")
    assert group["Labels"] == {"pool": "gpu"}
    assert template["Parameters"]["SizeOfNodeGroupGpu"]["Default"] == 2
    data = template["Resources"]["NodeGroupGpuLaunchTemplate"]["Properties"]["LaunchTemplateData"]
    assert data["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"] in (300, "300")
    assert data["SecurityGroupIds"] == [
        {"Fn::GetAtt": ["Cluster", "ClusterSecurityGroupId"]},
        GROUP.format(1),
    ]
    entries = by_name(template, "AWS::EKS::AccessEntry", "PrincipalArn")
    assert set(entries) == {ROLE.format("admins")}


def test_what_the_language_has_words_for_is_in_words() -> None:
    spec = spec_of(bring(TEMPLATE, parameters=ADMIN))
    assert spec.kubernetes.version == "1.34"
    assert spec.kubernetes.support == "standard"
    assert spec.kubernetes.admins == [ROLE.format("admins")]
    assert [subnet.id for subnet in spec.network.private_subnets] == [SUBNET.format(1)]
    (group,) = spec.node_groups
    assert (group.instance_type, group.count.min, group.count.max) == ("g6.12xlarge", 1, 4)
    assert group.root_volume.size == 300


def _with_version(version: Any) -> dict[str, Any]:
    template: dict[str, Any] = json.loads(json.dumps(TEMPLATE))
    template["Resources"]["Control"]["Properties"]["Version"] = version
    template["Resources"]["Gpu"]["Properties"]["Version"] = version
    return template


def test_an_old_version_of_kubernetes_is_rewritten() -> None:
    result = lossless(bring(_with_version("1.27"), parameters=ADMIN))
    (finding,) = [each for each in result.findings if each.code == "IMP004"]
    assert "1.27" in finding.message


def test_a_version_of_kubernetes_that_no_file_says_is_a_question() -> None:
    result = lossless(bring(_with_version({"Ref": "Unknown"}), parameters=ADMIN))
    assert "use --parameter Unknown=VALUE" in [each.help for each in result.findings]


def test_what_a_rule_rejects_stays_in_the_overlay() -> None:
    template = _with_version("1.34")
    template["Resources"]["Control"]["Properties"]["DeletionProtection"] = True
    group = template["Resources"]["Gpu"]["Properties"]
    group["NodeRepairConfig"] = {
        "Enabled": True,
        "NodeRepairConfigOverrides": [{"NodeMonitoringCondition": "KernelReady"}],
    }
    result = bring(template, parameters=ADMIN)
    assert result.lossless
    (refused,) = result.errors
    assert refused.span is not None
    assert "KernelReady" in refused.span.text
    rendered = by_name(document(result, "eks"), "AWS::EKS::Nodegroup", "NodegroupName")["gpu"]
    assert rendered["NodeRole"] == ROLE.format("nodes")


CLUSTER: dict[str, Any] = flow("""
{name: production, arn: 'arn:aws:eks:eu-west-1:111122223333:cluster/production', version: '1.35',
  endpoint: 'https://example.eks.amazonaws.com', roleArn: 'arn:aws:iam::111122223333:role/control',
  resourcesVpcConfig: {subnetIds: [subnet-0a1b2c3d4e5f67891, subnet-0a1b2c3d4e5f67892],
    securityGroupIds: [], clusterSecurityGroupId: sg-0a1b2c3d4e5f67899,
    vpcId: vpc-0a1b2c3d4e5f67890, endpointPublicAccess: true, endpointPrivateAccess: false,
    publicAccessCidrs: [0.0.0.0/0]}, status: ACTIVE, certificateAuthority: {data: LS0t},
  logging: {clusterLogging: [{types: [api, audit], enabled: true}]}, tags: {team: speech},
  accessConfig: {authenticationMode: API}, upgradePolicy: {supportType: EXTENDED}}
""")
NODEGROUP: dict[str, Any] = flow("""
{nodegroupName: gpu, nodegroupArn: arn:aws:eks:eu-west-1:111122223333:nodegroup/production/gpu/1,
  clusterName: production, version: '1.35', releaseVersion: 1.35.0-20261101, status: ACTIVE,
  capacityType: ON_DEMAND, scalingConfig: {minSize: 0, maxSize: 8, desiredSize: 3},
  instanceTypes: [g6.12xlarge], subnets: [subnet-0a1b2c3d4e5f67891], amiType: AL2023_x86_64_NVIDIA,
  nodeRole: arn:aws:iam::111122223333:role/nodes, diskSize: 20, health: {issues: []},
  updateConfig: {maxUnavailable: 1}, launchTemplate: {name: gpu, version: '4', id: lt-1}}
""")
VERSIONS = {
    "LaunchTemplateVersions": [
        {
            "LaunchTemplateId": "lt-1",
            "LaunchTemplateName": "gpu",
            "VersionNumber": 4,
            "LaunchTemplateData": {**DATA, "SecurityGroupIds": [GROUP.format(9)]},
        }
    ]
}


ENTRY = flow(
    """
{clusterName: production, principalArn: $ROLE, kubernetesGroups: [], tags: {}, type: STANDARD,
  accessEntryArn: arn:aws:eks:eu-west-1:111122223333:access-entry/production/role/1,
  createdAt: '2026-11-01T00:00:00Z',
  username: 'arn:aws:sts::111122223333:assumed-role/admins/{{SessionName}}'}
""",
    ROLE=ROLE.format("teams/admins"),
)
POLICIES = {
    "clusterName": "production",
    "principalArn": ENTRY["principalArn"],
    "associatedAccessPolicies": flow("""
        [{policyArn: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy',
          accessScope: {type: cluster, namespaces: []}, associatedAt: '2026-11-01T00:00:00Z',
          modifiedAt: '2026-11-01T00:00:00Z'}]
    """),
}
PODS = "arn:aws:eks:eu-west-1:111122223333:podidentityassociation/production/a-1"
ADDON = flow(
    """
{addonName: vpc-cni, clusterName: production, status: ACTIVE, addonVersion: v1.20.4-eksbuild.2,
  addonArn: arn:aws:eks:eu-west-1:111122223333:addon/production/vpc-cni/1, tags: {},
  podIdentityAssociations: [$PODS]}
""",
    PODS=PODS,
)
ASSOCIATION = {
    "associationArn": PODS,
    "clusterName": "production",
    "namespace": "kube-system",
    "serviceAccount": "aws-node",
    "roleArn": ROLE.format("cni"),
}


def test_described_access_entries() -> None:
    nodes = {**ENTRY, "principalArn": NODEGROUP["nodeRole"], "type": "EC2_LINUX"}
    service = {**ENTRY, "principalArn": ROLE.format("aws-service-role/eks.amazonaws.com/EKS")}
    entries = [{"accessEntry": each} for each in (ENTRY, nodes, service)]
    result = lossless(
        bring({"cluster": CLUSTER}, {"nodegroup": NODEGROUP}, VERSIONS, *entries, POLICIES)
    )
    spec = spec_of(result)
    assert spec.kubernetes.admins == [ENTRY["principalArn"]]
    entry = by_name(document(result, "eks"), "AWS::EKS::AccessEntry", "PrincipalArn")
    assert set(entry) == {ENTRY["principalArn"]}
    assert "Username" not in entry[str(ENTRY["principalArn"])]


def test_the_role_of_a_described_add_on() -> None:
    files = [{"cluster": CLUSTER}, {"nodegroup": NODEGROUP}, VERSIONS, {"addon": ADDON}]
    result = lossless(bring(*files, {"association": ASSOCIATION}))
    addon = by_name(document(result, "eks"), "AWS::EKS::Addon", "AddonName")["vpc-cni"]
    assert addon["PodIdentityAssociations"] == [
        {"ServiceAccount": "aws-node", "RoleArn": ROLE.format("cni")}
    ]
    (question,) = [each for each in bring(*files).findings if "in no file" in each.message]
    assert "describe-pod-identity-association" in question.help


def test_descriptions_of_the_service() -> None:
    result = lossless(
        bring({"cluster": CLUSTER}, {"nodegroup": NODEGROUP}, VERSIONS, region="", vpc="")
    )
    assert "LS0t" not in result.text
    spec = spec_of(result)
    assert (spec.name, spec.region, spec.network.vpc) == ("production", "eu-west-1", VPC)
    assert spec.tags == {"team": "speech"}
    template = document(result, "eks")
    (cluster,) = by_name(template, "AWS::EKS::Cluster", "Name").values()
    assert cluster["RoleArn"] == ROLE.format("control")
    assert len(cluster["Logging"]["ClusterLogging"]["EnabledTypes"]) == 2
    data = template["Resources"]["NodeGroupGpuLaunchTemplate"]["Properties"]["LaunchTemplateData"]
    assert data["SecurityGroupIds"] == [{"Fn::GetAtt": ["Cluster", "ClusterSecurityGroupId"]}]


def nodes_alone() -> dict[str, Any]:
    """The template of node groups whose cluster is a parameter."""
    kept = ("Launch", "Gpu")
    made = {name: dict(TEMPLATE["Resources"][name]) for name in kept}
    made["Gpu"]["Properties"] = {**made["Gpu"]["Properties"], "ClusterName": {"Ref": "Name"}}
    data = {**DATA, "SecurityGroupIds": [GROUP.format(1), GROUP.format(2)]}
    made["Launch"]["Properties"] = {"LaunchTemplateData": data}
    return {"Parameters": {"Name": {"Type": "String"}}, "Resources": made}


def test_node_groups_alone_are_added_to_their_cluster() -> None:
    result = lossless(bring(nodes_alone(), parameters={"Name": "platform"}))
    spec = spec_of(result)
    assert spec.targets.eks.cluster == "platform"
    template = document(result, "eks")
    assert "AWS::EKS::Cluster" not in {each["Type"] for each in template["Resources"].values()}
    group = by_name(template, "AWS::EKS::Nodegroup", "NodegroupName")["gpu"]
    assert (group["ClusterName"], group["Labels"]) == ("platform", {"pool": "gpu"})
    launch = template["Resources"]["NodeGroupGpuLaunchTemplate"]["Properties"]
    groups = launch["LaunchTemplateData"]["SecurityGroupIds"]
    assert groups == [GROUP.format(1), GROUP.format(2)]


def test_descriptions_of_node_groups_alone() -> None:
    versions = {"LaunchTemplateVersions": [{**VERSIONS["LaunchTemplateVersions"][0]}]}
    result = lossless(bring({"nodegroup": NODEGROUP}, versions, region=""))
    spec = spec_of(result)
    assert spec.targets.eks.cluster == "production"
    assert spec.kubernetes.version == "1.35"


def test_a_name_that_no_file_has_is_to_be_filled_in() -> None:
    result = bring(nodes_alone())
    assert "cluster: FILL-IN-Name" in result.text


def test_an_administrator_that_no_file_names_is_a_stand_in() -> None:
    result = lossless(bring(TEMPLATE))
    assert "role/FILL-IN-Admin" in result.text


def test_the_region_of_a_description_is_stronger_than_the_flag() -> None:
    result = bring({"cluster": CLUSTER}, {"nodegroup": NODEGROUP}, VERSIONS, region="us-west-2")
    assert "region: eu-west-1" in result.text
    assert any("--region us-west-2 does not apply" in each.message for each in result.findings)


def test_nodes_may_share_a_security_group_with_the_control_plane() -> None:
    """EKS takes both, and a launch template without a version."""
    shared = "sg-0a1b2c3d4e5f67891"
    template = {**TEMPLATE, "Resources": {**TEMPLATE["Resources"]}}
    for id, each in TEMPLATE["Resources"].items():
        properties = {**each["Properties"]}
        if each["Type"] == "AWS::EKS::Cluster":
            config = properties["ResourcesVpcConfig"]
            properties["ResourcesVpcConfig"] = {**config, "SecurityGroupIds": [shared]}
        if each["Type"] == "AWS::EC2::LaunchTemplate":
            data = {**properties["LaunchTemplateData"], "SecurityGroupIds": [shared]}
            properties["LaunchTemplateData"] = data
        template["Resources"][id] = {**each, "Properties": properties}
    result = bring(template, adopt=True)
    assert result.lossless, [f.message for f in result.findings if f.code == "IMP012"]
