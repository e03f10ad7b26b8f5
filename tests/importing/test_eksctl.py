"""Configurations of eksctl as specs: what eksctl makes of them, or a finding."""

from typing import Any

import pytest
import yaml

from tests.importing.templates import SUBNET, VPC, bring, by_name, document, lossless, spec_of
from tests.support.tables import flow

CONFIG = f"""\
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {{name: research, region: us-east-2, version: '1.34', tags: {{team: speech}}}}
iam: {{withOIDC: true}}
vpc:
  id: {VPC}
  clusterEndpoints: {{privateAccess: true}}
  publicAccessCIDRs: [203.0.113.0/24]
  subnets:
    private:
      us-east-2a: {{id: {SUBNET.format(1)}}}
      us-east-2b: {{id: {SUBNET.format(2)}}}
addons:
  - {{name: vpc-cni, version: v1.20.0-eksbuild.1}}
accessConfig:
  accessEntries:
    - principalARN: arn:aws:iam::111122223333:role/admins
      accessPolicies:
        - {{policyARN: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy',
           accessScope: {{type: cluster}}}}
managedNodeGroups:
  - {{name: sys, instanceType: m5.2xlarge, desiredCapacity: 1, privateNetworking: true,
     iam: {{withAddonPolicies: {{autoScaler: true, cloudWatch: true}}}}}}
  - name: gpu
    instanceType: p5en.48xlarge
    instancePrefix: research
    privateNetworking: true
    efaEnabled: true
    availabilityZones: [us-east-2b]
    minSize: 0
    desiredCapacity: 2
    maxSize: 8
    volumeSize: 500
    labels: {{pool: training}}
    taints: [{{key: reserved, value: 'yes', effect: NoExecute}}]
    capacityReservation:
      capacityReservationTarget: {{capacityReservationID: cr-0a1b2c3d4e5f67890}}
    instanceMarketOptions: {{marketType: capacity-block}}
    overrideBootstrapCommand: |
      apiVersion: node.eks.aws/v1alpha1
      kind: NodeConfig
      spec: {{instance: {{localStorage: {{strategy: RAID0}}}}}}
"""


def changed(**changes: Any) -> str:
    return yaml.safe_dump({**yaml.safe_load(CONFIG), **changes})


def test_the_region_of_the_file_is_stronger_than_the_flag() -> None:
    result = lossless(bring(CONFIG))
    assert "region: us-east-2" in result.text
    assert bring(CONFIG).text == result.text


def test_the_template_makes_what_eksctl_makes() -> None:
    result = lossless(bring(CONFIG, region="", vpc=""))
    template = document(result, "eks")
    (cluster,) = by_name(template, "AWS::EKS::Cluster", "Name").values()
    assert cluster["Version"] == "1.34"
    assert cluster["UpgradePolicy"] == {"SupportType": "EXTENDED"}
    assert cluster["AccessConfig"]["AuthenticationMode"] == "API_AND_CONFIG_MAP"
    assert cluster["ResourcesVpcConfig"]["PublicAccessCidrs"] == ["203.0.113.0/24"]
    assert "Logging" not in cluster, "eksctl turns no logs on"
    groups = by_name(template, "AWS::EKS::Nodegroup", "NodegroupName")
    assert groups["gpu"]["Subnets"] == [SUBNET.format(2)]
    assert groups["gpu"]["CapacityType"] == "CAPACITY_BLOCK"
    assert groups["gpu"]["Taints"] == [{"Effect": "NO_EXECUTE", "Key": "reserved", "Value": "yes"}]
    assert groups["sys"]["Subnets"] == [SUBNET.format(1), SUBNET.format(2)]
    assert groups["sys"]["ScalingConfig"]["MinSize"] == 1
    role = template["Resources"]["NodeRole"]["Properties"]["ManagedPolicyArns"]
    assert "arn:aws:iam::aws:policy/CloudWatchAgentServerPolicy" in role
    (policy,) = by_name(template, "AWS::IAM::RolePolicy", "PolicyName").values()
    assert policy["RoleName"] == {"Ref": "NodeRole"}
    (provider,) = [r for r in template["Resources"].values() if r["Type"].endswith("OIDCProvider")]
    assert provider["Properties"]["Url"] == {"Fn::GetAtt": ["Cluster", "OpenIdConnectIssuerUrl"]}


@pytest.mark.parametrize(
    ("type", "family", "image"),
    [
        ("g6.xlarge", "Bottlerocket", "BOTTLEROCKET_x86_64_NVIDIA"),
        ("m7g.xlarge", "Bottlerocket", "BOTTLEROCKET_ARM_64"),
        ("m7i.xlarge", "Ubuntu2204", None),
    ],
)
def test_the_image_is_that_of_its_family(type: str, family: str, image: str | None) -> None:
    """EKS has no type for some, of which eksctl looks up the image itself."""
    group = {"name": "own", "instanceType": type, "amiFamily": family, "privateNetworking": True}
    result = bring(changed(managedNodeGroups=[group]))
    made = by_name(document(result, "eks"), "AWS::EKS::Nodegroup", "NodegroupName")["own"]
    assert made.get("AmiType") == image
    asked = [each for each in result.findings if "looks up the image of own" in each.message]
    assert len(asked) == (image is None)


def test_network_cards_and_disks_are_those_of_eksctl() -> None:
    template = document(bring(CONFIG, region="", vpc=""), "eks")
    data = template["Resources"]["NodeGroupGpuLaunchTemplate"]["Properties"]["LaunchTemplateData"]
    interfaces = data["NetworkInterfaces"]
    assert len(interfaces) == 16
    assert {i["InterfaceType"] for i in interfaces} == {"efa"}
    assert [i["DeviceIndex"] for i in interfaces] == [0] + [1] * 15
    assert data["BlockDeviceMappings"][0]["Ebs"]["VolumeSize"] == 500
    assert "strategy: RAID0" in data["UserData"]["Fn::Base64"]


def test_interfaces_for_efa_are_in_one_subnet() -> None:
    config = yaml.safe_load(CONFIG)
    config["vpc"] = {
        "id": "vpc-0a1b2c3d4e5f67890",
        "subnets": {
            "private": {
                f"us-east-2{zone}": {"id": f"subnet-0a1b2c3d4e5f6789{zone}"} for zone in "ab"
            }
        },
    }
    for group in config["managedNodeGroups"]:
        group.pop("subnets", None)
        group.pop("availabilityZones", None)
        group["privateNetworking"] = True
    result = lossless(bring(yaml.safe_dump(config), region="", vpc=""))
    group = by_name(document(result, "eks"), "AWS::EKS::Nodegroup", "NodegroupName")["gpu"]
    assert group["Subnets"] == ["subnet-0a1b2c3d4e5f6789a"]
    assert any("EFA stays in one zone" in f.message for f in result.findings if f.code == "IMP001")


def test_what_the_language_has_words_for_is_in_words() -> None:
    spec = spec_of(bring(CONFIG, region="", vpc=""))
    assert (spec.name, spec.region, spec.network.vpc) == ("research", "us-east-2", VPC)
    assert spec.kubernetes.version == "1.34"
    assert spec.kubernetes.admins == ["arn:aws:iam::111122223333:role/admins"]
    sys, gpu = spec.node_groups
    assert (sys.count.min, sys.count.max) == (1, 1)
    assert (gpu.count.min, gpu.count.max, gpu.efa) == (0, 8, True)
    assert gpu.capacity.capacity_block == "cr-0a1b2c3d4e5f67890"
    assert gpu.labels == {"pool": "training"}


def test_an_existing_launch_template_stays() -> None:
    group = {"name": "own", "launchTemplate": {"id": "lt-0a1b2c3d4e5f67890", "version": "3"}}
    result = lossless(bring(changed(managedNodeGroups=[group])))
    groups = by_name(document(result, "eks"), "AWS::EKS::Nodegroup", "NodegroupName")
    assert groups["own"]["LaunchTemplate"] == {"Id": "lt-0a1b2c3d4e5f67890", "Version": "3"}


@pytest.mark.parametrize(
    ("section", "value", "path"),
    [
        ("gitops", {"flux": {"gitProvider": "github"}}, "gitops.flux.gitProvider"),
        ("karpenter", {"version": "1.0"}, "karpenter.version"),
        ("iam", {"serviceAccounts": [{"metadata": {"name": "a"}}]}, "iam.serviceAccounts[0]"),
        ("fargateProfiles", [{"name": "a"}], "fargateProfiles[0].name"),
        ("vpc", {"hostnameType": "resource-name"}, "vpc.hostnameType"),
        ("managedNodeGroups", [{"name": "a", "outpostARN": "arn:a"}], ".outpostARN"),
        ("managedNodeGroups", [{"name": "a", "ssh": {"allow": True}}], "[0].ssh.allow"),
        ("managedNodeGroups", [{"name": "a", "ami": "<my-image>"}], "<my-image>, a placeholder"),
        ("managedNodeGroups", [{"name": "a", "minSize": "${MIN}"}], "${MIN}, a placeholder"),
        (
            "managedNodeGroups",
            [{"name": "a", "iam": {"withAddonPolicies": {"externalDNS": True}}}],
            "withAddonPolicies.externalDNS",
        ),
        ("addons", [{"name": "vpc-cni", "attachPolicyARNs": ["arn:a"]}], ".attachPolicyARNs"),
        (
            "nodeGroups",
            [{"name": "a", "instancesDistribution": {"onDemandBaseCapacity": 2}}],
            ".onDemandBaseCapacity",
        ),
    ],
)
def test_a_key_without_a_place_is_a_loss(section: str, value: Any, path: str) -> None:
    result = bring(changed(**{section: value}))
    assert not result.lossless
    (lost,) = [finding for finding in result.findings if finding.code == "IMP010"]
    assert path in lost.message
    assert lost.span is not None
    assert ("--allow-loss" in lost.help) != ("placeholder" in lost.message)


def test_what_clustergen_has_anyway_is_in_the_report() -> None:
    group = {"name": "a", "instancePrefix": "b", "ssh": {"allow": False, "enableSsm": True}}
    driver = {"name": "aws-ebs-csi-driver", "wellKnownPolicies": {"ebsCSIController": True}}
    result = lossless(bring(changed(managedNodeGroups=[group], addons=[driver]), region="", vpc=""))
    dropped = " ".join(finding.message for finding in result.findings if finding.code == "IMP003")
    for key in ("instancePrefix", "ssh.enableSsm", "wellKnownPolicies"):
        assert key in dropped


def test_a_key_that_turns_nothing_on_is_no_loss() -> None:
    lossless(bring(changed(gitops={"flux": False}, fargateProfiles=[]), region="", vpc=""))
    group = {"name": "a", "ssh": {"enableSsm": False}}
    assert not bring(changed(managedNodeGroups=[group]), region="", vpc="").lossless


def test_settings_of_the_kubelet_and_of_the_metadata_service() -> None:
    group = flow("""
        {name: a, maxPodsPerNode: 110, clusterDNS: 169.254.20.10,
          kubeletExtraConfig: {evictionHard: {memory.available: 200Mi}}, disablePodIMDS: true}
    """)
    result = lossless(bring(changed(managedNodeGroups=[group]), region="", vpc=""))
    template = document(result, "eks")["Resources"]["NodeGroupALaunchTemplate"]
    data = template["Properties"]["LaunchTemplateData"]
    assert data["MetadataOptions"]["HttpPutResponseHopLimit"] == 1
    config = data["UserData"]["Fn::Base64"].partition("apiVersion")[2].partition("--CLUSTERGEN")[0]
    kubelet = yaml.safe_load(f"apiVersion{config}")["spec"]["kubelet"]["config"]
    assert kubelet == {
        "maxPods": 110,
        "clusterDNS": ["169.254.20.10"],
        "evictionHard": {"memory.available": "200Mi"},
    }


@pytest.mark.parametrize(("share", "type"), [(0, "SPOT"), (100, "ON_DEMAND")])
def test_a_group_of_several_types(share: int, type: str) -> None:
    types = ["m5.large", "m5a.large"]
    mixed = {"instanceTypes": types, "onDemandPercentageAboveBaseCapacity": share}
    group = {"name": "a", "instanceType": "mixed", "instancesDistribution": mixed}
    result = lossless(bring(changed(nodeGroups=[group], managedNodeGroups=[]), region="", vpc=""))
    made = by_name(document(result, "eks"), "AWS::EKS::Nodegroup", "NodegroupName")["a"]
    assert (made["InstanceTypes"], made.get("CapacityType", "ON_DEMAND")) == (types, type)


def test_a_fully_private_cluster() -> None:
    config = {key: each for key, each in yaml.safe_load(CONFIG).items() if key != "vpc"}
    config["privateCluster"] = {"enabled": True}
    result = lossless(bring(yaml.safe_dump(config), region="", vpc=""))
    spec = spec_of(result)
    assert spec.network.internet == "none"
    assert spec.software.registry == "000000000000.dkr.ecr.us-east-2.amazonaws.com/mirror"
    assert any("registry" in f.message for f in result.findings if f.code == "IMP002")
    cluster = document(result, "eks")["Resources"]["Cluster"]["Properties"]
    endpoint = cluster["ResourcesVpcConfig"]
    assert (endpoint["EndpointPublicAccess"], endpoint["EndpointPrivateAccess"]) == (False, True)


def test_what_the_file_says_about_its_network_and_logs() -> None:
    config = yaml.safe_load(CONFIG)
    config["vpc"]["subnets"]["private"]["us-east-2a"]["cidr"] = "10.0.0.0/19"
    config["cloudWatch"] = {"clusterLogging": {"enableTypes": ["*"], "logRetentionInDays": 60}}
    result = lossless(bring(yaml.safe_dump(config), region="", vpc=""))
    spec = spec_of(result)
    assert spec.network.private_subnets[0].cidr == "10.0.0.0/19"
    assert spec.monitoring.log_retention == 60 * 86400


def test_what_eksctl_decides_itself_is_in_the_report() -> None:
    config = {key: v for key, v in yaml.safe_load(CONFIG).items() if key != "vpc"}
    config["nodeGroups"] = [{"name": "own"}]
    config["metadata"]["version"] = "1.25"
    found = lossless(bring(yaml.safe_dump(config), region="", vpc=""))
    rewritten = [f.message for f in found.findings if f.code == "IMP004"]
    assert any("eksctl makes a VPC" in message for message in rewritten)
    assert any("own is self-managed" in message for message in rewritten)
    assert any("EKS does not offer Kubernetes 1.25" in message for message in rewritten)


def test_placeholders_are_questions() -> None:
    metadata = {"name": "<my-cluster>", "region": "PLACEHOLDER_REGION"}
    groups = [{"name": "${NAME}-nodes", "availabilityZones": ["${ZONE}"]}]
    config = changed(metadata=metadata, managedNodeGroups=groups, vpc={})
    result = lossless(bring(config, region=""))
    asked = [finding.message for finding in result.findings if finding.code == "IMP002"]
    assert {
        "<my-cluster> is not a valid name of a cluster",
        "PLACEHOLDER_REGION is no region",
        "${NAME}-nodes is not a valid name of a node group",
        "${ZONE} is no zone of us-east-1",
    } <= set(asked)
    assert "name: imported" in result.text


def test_a_cluster_without_nodes_asks_for_them() -> None:
    config = {"kind": "ClusterConfig", "metadata": {"name": "empty", "region": "us-east-1"}}
    result = lossless(bring(config, region="", vpc=""))
    assert any("no node groups" in f.message for f in result.findings if f.code == "IMP002")


UNOWNED = """
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: platform, region: us-east-1, version: "1.35"}
vpc:
  id: vpc-0a1b2c3d4e5f67890
  securityGroup: sg-0a1b2c3d4e5f67891
  subnets:
    private:
      us-east-1a: {id: subnet-0a1b2c3d4e5f67891}
      us-east-1b: {id: subnet-0a1b2c3d4e5f67892}
managedNodeGroups:
  - {name: gpu, instanceType: g6.12xlarge, minSize: 0, desiredCapacity: 2, maxSize: 4,
     privateNetworking: true, labels: {pool: gpu}}
"""


def test_policies_of_nodes_that_join_a_cluster() -> None:
    config = yaml.safe_load(UNOWNED)
    config["managedNodeGroups"][0]["iam"] = {"withAddonPolicies": {"autoScaler": True, "ebs": True}}
    result = lossless(bring(config, region="", vpc=""))
    template = document(result, "eks")
    (policy,) = by_name(template, "AWS::IAM::RolePolicy", "PolicyName").values()
    assert policy["RoleName"] == {"Ref": "NodeRole"}
    role = template["Resources"]["NodeRole"]["Properties"]["ManagedPolicyArns"]
    assert "arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy" in role


def test_node_groups_of_a_cluster_that_eksctl_did_not_make() -> None:
    result = lossless(bring(UNOWNED, region="", vpc=""))
    spec = spec_of(result)
    assert spec.targets.eks.cluster == "platform"
    assert spec.targets.eks.cluster_security_group == "sg-0a1b2c3d4e5f67891"
    template = document(result, "eks")
    types = {each["Type"] for each in template["Resources"].values()}
    assert not types & {"AWS::EKS::Cluster", "AWS::EKS::Addon"}
    (group,) = by_name(template, "AWS::EKS::Nodegroup", "NodegroupName").values()
    assert (group["ClusterName"], group["Labels"]) == ("platform", {"pool": "gpu"})


ONLY_GROUPS = """
apiVersion: eksctl.io/v1alpha5
kind: ClusterConfig
metadata: {name: platform, region: us-east-1}
managedNodeGroups: [{name: gpu, instanceType: g6.12xlarge}]
"""


@pytest.mark.parametrize(
    ("text", "noted"),
    [
        (ONLY_GROUPS, True),
        (ONLY_GROUPS + "iam: {withOIDC: true}", False),
        (ONLY_GROUPS.replace("us-east-1}", "us-east-1, version: '1.35'}"), False),
    ],
)
def test_a_file_that_may_be_for_a_cluster_that_exists_says_so(text: str, noted: bool) -> None:
    result = bring(text, region="", vpc="")
    assert ("if platform exists" in " ".join(result.text.replace("#", "").split())) is noted


def test_a_group_keeps_a_name_that_only_its_queue_may_not_have() -> None:
    groups = [{"name": "prometheus"}, {"name": "gpu"}]
    result = lossless(bring(changed(managedNodeGroups=groups), vpc=""))
    spec = spec_of(result)
    assert [queue.name for queue in spec.queues] == ["prometheus-queue", "gpu"]
    assert spec.node_groups[0].name == "prometheus"


def test_a_misspelt_key_is_named_with_the_one_that_was_meant() -> None:
    found = bring(CONFIG.replace("capacityReservationID", "capacityReservationId"))
    [lost] = [each for each in found.findings if "is no key of eksctl" in each.message]
    assert lost.message.startswith("managedNodeGroups[1].capacityReservation.")
    assert lost.help == "did you mean capacityReservationID?"


def test_what_differs_only_in_an_index_is_one_note() -> None:
    found = bring(CONFIG)
    [note] = [each for each in found.findings if "NetworkInterfaces[*].Delete" in each.message]
    assert note.message.endswith("(16 times)")


def test_a_group_with_capitals_gets_a_queue_without() -> None:
    spec = spec_of(bring(CONFIG.replace("name: gpu", "name: GPU-Nodes")))
    assert [queue.name for queue in spec.queues] == ["sys", "gpu-nodes"]
    assert spec.node_groups[1].name == "GPU-Nodes"


def test_a_file_of_eksctl_does_not_say_what_runs() -> None:
    (finding,) = bring(("cluster.yaml", CONFIG), adopt=True).findings
    assert finding.code == "IMP022"
    assert "--live eks/research --adopt" in finding.help
