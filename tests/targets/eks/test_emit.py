"""What the stack's template says, by what the spec says."""

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from clustergen.base.text_lists import word_set
from clustergen.services.eks import control_plane
from tests.support.scripts import completed, programs
from tests.support.tables import at, by_outcome, members
from tests.targets.eks.planned import (
    EKS,
    launch_template_of,
    plan_of,
    properties_of,
    resources,
    template_of,
)
from tests.validators.shell import script_violations

BLOCK = "node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]"
CLOSED = (
    "network: {internet: none}\n"
    "software: {registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror}"
)
PUBLIC = "kubernetes: {public_endpoint_from: [203.0.113.0/24]}"
ROLE = "arn:aws:iam::111122223333:role/platform"
CPU = "{name: h200, instance_type: m7i.4xlarge, count: 4"


def group(more: str) -> str:
    return f"node_groups: [{{name: h200, {more}}}]"


def cpu(more: str = "") -> str:
    return f"node_groups: [{CPU}{', ' if more else ''}{more}}}]"


STARTS = {
    "Cluster": "Resources.Cluster.Properties",
    "Nodes": "Resources.NodeGroupH200.Properties",
    "Launch": "Resources.NodeGroupH200LaunchTemplate.Properties.LaunchTemplateData",
    "System": "Resources.SystemNodes.Properties",
    "Logs": "Resources.ClusterLogs.Properties",
}
# By fragment: places in the template, what is there.
ROWS = {
    "": """
        Cluster.Version: '1.35'
        Cluster.Name: example
        Cluster.UpgradePolicy: {SupportType: EXTENDED}
        Cluster.DeletionProtection: false
        Cluster.KubernetesNetworkConfig: {ServiceIpv4Cidr: 172.20.0.0/16}
        # The endpoint is private without client networks.
        Cluster.ResourcesVpcConfig: {EndpointPrivateAccess: true, EndpointPublicAccess: false,
            SubnetIds: [{Ref: ControlPlaneSubnet1Id}, {Ref: ControlPlaneSubnet2Id}]}
        # The log group exists before EKS writes to it.
        Logs: {LogGroupName: /aws/eks/example/cluster, RetentionInDays: 30}
        # Groups without spare capacity lose a node before they get one.
        Nodes.UpdateConfig: {MaxUnavailablePercentage: 33, UpdateStrategy: MINIMAL}
    """,
    'kubernetes: {version: "1.36"}': "Cluster.Version: '1.36'",
    "kubernetes: {support: standard}": "Cluster.UpgradePolicy: {SupportType: STANDARD}",
    "kubernetes: {support: extended}": "Cluster.UpgradePolicy: {SupportType: EXTENDED}",
    "targets: {eks: {deletion_protection: true}}": "Cluster.DeletionProtection: true",
    "network: {cidr: 172.20.0.0/16}": """
        Cluster.KubernetesNetworkConfig: {ServiceIpv4Cidr: 10.100.0.0/16}
    """,
    "tags: {team: models}": "Cluster.Tags: [{Key: team, Value: models}]",
    "monitoring: {log_retention: 45d}": """
        Logs: {LogGroupName: /aws/eks/example/cluster, RetentionInDays: 60}
    """,
    "monitoring: {log_retention: 9999d}": """
        Logs: {LogGroupName: /aws/eks/example/cluster, RetentionInDays: 3653}
    """,
    # Several types are named once.
    group(
        "instance_type: null, instance_types: [m7i.4xlarge, m6i.4xlarge], count: 4, capacity: spot"
    ): """
        Nodes.InstanceTypes: [m7i.4xlarge, m6i.4xlarge]
        Launch.InstanceType: ABSENT
    """,
    # The size is a parameter.
    group("count: 8"): """
        Nodes.ScalingConfig: {MinSize: 0, MaxSize: 8, DesiredSize: {Ref: SizeOfNodeGroupH200}}
        Parameters.SizeOfNodeGroupH200.Default: 0
    """,
    group("instance_type: m7i.4xlarge, count: {min: 0, max: 9}"): """
        Nodes.ScalingConfig: {MinSize: 0, MaxSize: 9, DesiredSize: {Ref: SizeOfNodeGroupH200}}
        Parameters.SizeOfNodeGroupH200.Default: 0
    """,
    cpu(): """
        Nodes.UpdateConfig: {MaxUnavailablePercentage: 33, UpdateStrategy: DEFAULT}
        Nodes.Taints: ABSENT
    """,
    cpu("capacity: {reservation: cr-0a1b2c3d}"): """
        Nodes.UpdateConfig: {MaxUnavailablePercentage: 33, UpdateStrategy: MINIMAL}
    """,
    # Failed nodes are replaced if the spec requests it.
    "resilience: {replace_failed_nodes: true}": """
        Nodes.NodeRepairConfig: {Enabled: true}
        System.NodeRepairConfig: {Enabled: true}
    """,
    "resilience: {replace_failed_nodes: false}": """
        Nodes.NodeRepairConfig: {Enabled: false}
        System.NodeRepairConfig: {Enabled: true}
    """,
    group("instance_type: trn2.48xlarge, count: 1"): """
        Nodes.Taints: [{Key: aws.amazon.com/neuron, Value: present, Effect: NO_SCHEDULE}]
    """,
    cpu("taints: [{key: a, effect: PreferNoSchedule}]"): """
        Nodes.Taints: [{Key: a, Effect: PREFER_NO_SCHEDULE}]
    """,
    group("taints: [{key: nvidia.com/gpu, effect: NoExecute}]"): """
        Nodes.Taints: [{Key: nvidia.com/gpu, Effect: NO_EXECUTE}]
    """,
    group("taints: [{key: a, value: b, effect: NoSchedule}]"): """
        Nodes.Taints: [{Key: a, Value: b, Effect: NO_SCHEDULE},
            {Key: nvidia.com/gpu, Value: present, Effect: NO_SCHEDULE}]
    """,
    # Labels are those of the spec and of MIG.
    group("labels: {example.com/a: b}, mig: {1g.18gb: 7}, efa: false"): """
        Nodes.Labels: {example.com/a: b, nvidia.com/gpu.present: 'true',
            nvidia.com/mig.config: h200}
    """,
    group("instance_type: m7i.4xlarge"): "Nodes.Labels: ABSENT",
    group("root_volume: {size: 300GiB, iops: 6000, throughput: 500}")
    + "\ntags: {team: models}": """
        Launch.BlockDeviceMappings: [{DeviceName: /dev/xvda, Ebs: {DeleteOnTermination: true,
            Encrypted: true, Iops: 6000, Throughput: 500, VolumeSize: 300, VolumeType: gp3}}]
        Launch.TagSpecifications: [
            {ResourceType: instance, Tags: &tags [{Key: team, Value: models},
                {Key: Name, Value: example-h200}]},
            {ResourceType: volume, Tags: *tags}, {ResourceType: network-interface, Tags: *tags}]
    """,
    group("threads_per_core: 1"): "Launch.CpuOptions: {CoreCount: 96, ThreadsPerCore: 1}",
    # System nodes are few and plain.
    "kubernetes: {system_nodes: {instance_type: m7g.large, count: 3}}": """
        System.InstanceTypes: [m7g.large]
        System.AmiType: AL2023_ARM_64_STANDARD
        System.ScalingConfig: {MinSize: 3, MaxSize: 4, DesiredSize: 3}
        System.NodegroupName: system_nodes
        System.Subnets: [{Ref: SystemSubnet1Id}, {Ref: SystemSubnet2Id}]
        System.Taints: ABSENT
    """,
}


@pytest.mark.parametrize(("fragment", "place", "expected"), members(ROWS, STARTS))
def test_the_value_is_in_the_template(fragment: str, place: str, expected: Any) -> None:
    assert at(template_of(fragment), place) == expected


def test_interfaces_are_those_of_the_plan_with_the_clusters_security_group() -> None:
    interfaces = launch_template_of("")["NetworkInterfaces"]
    assert [
        (i["NetworkCardIndex"], i["DeviceIndex"], i.get("InterfaceType")) for i in interfaces
    ] == [(0, 0, None), (0, 1, "efa-only"), *((card, 0, "efa-only") for card in range(1, 16))]
    cluster = {"Fn::GetAtt": ["Cluster", "ClusterSecurityGroupId"]}
    groups = [cluster, {"Ref": "ClusterSecurityGroupId"}]
    for interface in interfaces:
        assert interface["Groups"] == groups
        assert interface["DeleteOnTermination"] is True
        assert "SubnetId" not in interface
    assert "SecurityGroupIds" not in launch_template_of("")
    assert launch_template_of(cpu())["SecurityGroupIds"] == groups
    assert "NetworkInterfaces" not in launch_template_of(cpu())


FORBIDDEN = ("IamInstanceProfile", "HibernationOptions", "InstanceInitiatedShutdownBehavior")


@pytest.mark.parametrize("fragment", ["", cpu(), cpu("capacity: spot"), BLOCK])
def test_launch_templates_omit_what_eks_sets(fragment: str) -> None:
    data = launch_template_of(fragment)
    assert not set(FORBIDDEN) & set(data)
    assert data.get("InstanceMarketOptions", {}).get("MarketType") != "spot"
    template = template_of(fragment)
    for name, nodes in resources(template, "AWS::EKS::Nodegroup").items():
        assert "DiskSize" not in nodes
        assert "RemoteAccess" not in nodes
        own = nodes["LaunchTemplate"]
        assert own["Version"] == {"Fn::GetAtt": [own["Id"]["Ref"], "LatestVersionNumber"]}
        shown = template["Resources"][own["Id"]["Ref"]]["Properties"]["LaunchTemplateData"]
        assert ("InstanceTypes" in nodes) != ("InstanceType" in shown), name
        assert ("AmiType" in nodes) != ("ImageId" in shown), name


IMAGES = by_outcome("""
    AL2023_x86_64_NVIDIA: [p5en.48xlarge, p6-b200.48xlarge, g6e.12xlarge]
    AL2023_ARM_64_NVIDIA: [p6e-gb200.36xlarge]
    AL2023_x86_64_NEURON: [trn2.48xlarge, inf2.48xlarge]
    AL2023_x86_64_STANDARD: [m7i.4xlarge, hpc8a.96xlarge]
    AL2023_ARM_64_STANDARD: [c7g.4xlarge]
""")


@pytest.mark.parametrize(("type", "ami"), IMAGES)
def test_images_by_processor_and_accelerator(type: str, ami: str) -> None:
    capacity = ", capacity: {capacity_block: cr-0a1b2c3d}" if "gb200" in type else ""
    count = 18 if "gb200" in type else 1
    fragment = group(f"instance_type: {type}, count: {count}{capacity}")
    assert properties_of(fragment, "NodeGroupH200")["AmiType"] == ami


ARN = "arn:aws:resource-groups:us-east-1:111122223333:group/held"
CAPACITIES = [
    # Capacity in the spec, type of the node group, target of the launch template.
    ("on-demand", "ON_DEMAND", None),
    ("spot", "SPOT", None),
    ("{reservation: cr-0a1b2c3d}", "ON_DEMAND", {"CapacityReservationId": "cr-0a1b2c3d"}),
    (f"{{reservation_group: '{ARN}'}}", "ON_DEMAND", {"CapacityReservationResourceGroupArn": ARN}),
]


@pytest.mark.parametrize(("capacity", "kind", "target"), CAPACITIES)
def test_capacity(capacity: str, kind: str, target: object) -> None:
    fragment = cpu(f"capacity: {capacity}")
    assert properties_of(fragment, "NodeGroupH200")["CapacityType"] == kind
    data = launch_template_of(fragment)
    options = data.get("CapacityReservationSpecification", {})
    assert options.get("CapacityReservationTarget") == target
    assert "CapacityReservationPreference" not in options
    assert "InstanceMarketOptions" not in data


@pytest.mark.parametrize(
    ("fragment", "expected"),
    [
        ("", {"GroupName": {"Ref": "NodeGroupH200PlacementGroup"}}),
        (group("placement: none"), None),
        (group("placement: {group: held-together}"), {"GroupName": "held-together"}),
        (cpu(), None),
        (BLOCK, None),
    ],
)
def test_placement(fragment: str, expected: object) -> None:
    assert launch_template_of(fragment).get("Placement") == expected
    own = resources(template_of(fragment), "AWS::EC2::PlacementGroup")
    assert list(own) == (["NodeGroupH200PlacementGroup"] if "Ref" in str(expected) else [])


ALWAYS = word_set("""
    vpc-cni kube-proxy eks-pod-identity-agent
    coredns eks-node-monitoring-agent aws-ebs-csi-driver
""")
ADDONS = [
    ("", set()),
    ("storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB}]", {"aws-fsx-csi-driver"}),
    ("storage: [{mount: /tools, type: efs}]", {"aws-efs-csi-driver"}),
    ("storage: [{mount: /b, type: s3, bucket: s3://my-bucket/data}]",
     {"aws-mountpoint-s3-csi-driver"}),
    ("monitoring: {dashboards: cloudwatch}", {"amazon-cloudwatch-observability"}),
    ("monitoring: {dashboards: none}", set()),
]  # fmt: skip


def test_logs_of_container_insights_have_the_requested_retention() -> None:
    fragment = "monitoring: {dashboards: cloudwatch, log_retention: 45d}"
    groups = resources(template_of(fragment), "AWS::Logs::LogGroup")
    assert {(group["LogGroupName"], group["RetentionInDays"]) for group in groups.values()} == {
        ("/aws/eks/example/cluster", 60),
        *((f"/aws/containerinsights/example/{kind}", 60) for kind in control_plane.INSIGHTS),
    }


@pytest.mark.parametrize(("fragment", "more"), ADDONS)
def test_addons(fragment: str, more: set[str]) -> None:
    found = resources(template_of(fragment), "AWS::EKS::Addon").values()
    assert {addon["AddonName"] for addon in found} == ALWAYS | more


# Add-on, service account, what its role may do.
ROLES = [
    ("vpc-cni", "aws-node", "policy/AmazonEKS_CNI_Policy"),
    ("aws-ebs-csi-driver", "ebs-csi-controller-sa", "service-role/AmazonEBSCSIDriverPolicy"),
    ("aws-fsx-csi-driver", "fsx-csi-controller-sa", "policy/AmazonFSxReadOnlyAccess"),
    ("aws-efs-csi-driver", "efs-csi-controller-sa", "service-role/AmazonEFSCSIDriverPolicy"),
    ("aws-mountpoint-s3-csi-driver", "s3-csi-driver-sa", "s3:GetObject"),
    ("amazon-cloudwatch-observability", "cloudwatch-agent", "CloudWatchAgentServerPolicy"),
]
EVERYTHING = """
storage:
  - {mount: /fsx, type: fsx-lustre, size: 4800GiB}
  - {mount: /tools, type: efs}
  - {mount: /b, type: s3, bucket: "s3://my-bucket/data", read_only: true}
monitoring: {dashboards: cloudwatch}
"""


@pytest.mark.parametrize(("addon", "account", "may"), ROLES)
def test_pods_of_addons_have_separate_roles(addon: str, account: str, may: str) -> None:
    template = template_of(EVERYTHING)
    found = resources(template, "AWS::EKS::Addon").values()
    [identity] = next(a for a in found if a["AddonName"] == addon)["PodIdentityAssociations"]
    assert identity["ServiceAccount"] == account
    role = template["Resources"][identity["RoleArn"]["Fn::GetAtt"][0]]["Properties"]
    [trust] = role["AssumeRolePolicyDocument"]["Statement"]
    assert trust["Action"] == ["sts:AssumeRole", "sts:TagSession"]
    assert trust["Principal"] == {"Service": "pods.eks.amazonaws.com"}
    assert may in json.dumps(role)


def test_a_read_only_bucket_is_not_written() -> None:
    role = template_of(EVERYTHING)["Resources"]["AddonAwsMountpointS3CsiDriverRole"]
    assert "s3:PutObject" not in json.dumps(role)


@pytest.mark.parametrize("own", [None, True])
def test_only_users_have_their_services_instrumented(own: bool | None) -> None:
    kept = {
        "manager": {"applicationSignals": {"autoMonitor": {"monitorAllServices": own or False}}}
    }
    spec = "monitoring: {dashboards: cloudwatch}"
    if own is not None:
        added = {"name": "amazon-cloudwatch-observability", "configuration": kept}
        spec += f"\nkubernetes: {json.dumps({'addons': [added]})}"
    addon = properties_of(spec, "AddonAmazonCloudwatchObservability")
    assert json.loads(addon["ConfigurationValues"]) == kept


KARPENTER = (
    "kubernetes: {autoscaler: karpenter}\nnode_groups: [{name: h200, count: 2}, {name: burst,"
    " instance_type: g6e.12xlarge, capacity: spot, count: {min: 0, max: 8}}]"
)


def test_karpenter_starts_the_groups_that_grow() -> None:
    template = template_of(KARPENTER)
    names = {n["NodegroupName"] for n in resources(template, "AWS::EKS::Nodegroup").values()}
    assert names == {"h200", "system_nodes"}
    [entry] = resources(template, "AWS::EKS::AccessEntry").values()
    assert entry["Type"] == "EC2_LINUX"
    assert "AccessPolicies" not in entry
    assert entry["PrincipalArn"] == {"Fn::GetAtt": ["KarpenterNodeRole", "Arn"]}
    [identity] = resources(template, "AWS::EKS::PodIdentityAssociation").values()
    assert (identity["Namespace"], identity["ServiceAccount"]) == ("kube-system", "karpenter")
    assert len(resources(template, "AWS::Events::Rule")) == 5
    outputs = word_set("KarpenterNodeRoleName KarpenterQueueName EksSecurityGroupId")
    assert outputs <= set(template["Outputs"])


def test_in_a_closed_network_karpenter_makes_no_instance_profile() -> None:
    """It does not reach IAM there, so the stack makes a profile for each role."""
    roles = f"{KARPENTER}\n{CLOSED}"
    template = template_of(roles)
    [profile] = resources(template, "AWS::IAM::InstanceProfile").values()
    assert profile == {"Roles": [{"Ref": "KarpenterNodeRole"}]}
    [output] = [name for name in template["Outputs"] if name.endswith("ProfileName")]
    files = EKS.files(roles)
    assert f'instanceProfile: "${{{output}}}"' in files["manifests/karpenter.yaml"]
    assert "role:" not in files["manifests/karpenter.yaml"]
    assert "isolatedVPC: true" in files["values/karpenter.yaml"]
    assert not resources(template_of(KARPENTER), "AWS::IAM::InstanceProfile")


def test_karpenter_may_change_only_its_instances() -> None:
    [document] = properties_of(KARPENTER, "KarpenterRole")["Policies"]
    statements = {s["Sid"]: s for s in document["PolicyDocument"]["Statement"]}
    own = {"StringEquals": {"aws:ResourceTag/kubernetes.io/cluster/example": "owned"}}
    assert statements["End"]["Condition"] == own
    assert statements["PassNodeRole"]["Resource"] == [{"Fn::GetAtt": ["KarpenterNodeRole", "Arn"]}]
    everything = {sid for sid, statement in statements.items() if "*" in statement["Resource"]}
    assert everything == {"Read", "ReadPrices", "ListProfiles"}


SCRIPTS = """
software:
  scripts:
    - {run: s3://my-bucket/it's.sh, args: [$(reboot)], sha256: "SUM"}
    - {run: https://example.com/b.sh, on: [login]}
""".replace("SUM", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")


def user_data(fragment: str) -> str:
    text = launch_template_of(fragment)["UserData"]["Fn::Base64"]
    return str(text if isinstance(text, str) else text["Fn::Sub"])


def test_user_data_is_mime_with_a_node_config() -> None:
    text = user_data("")
    assert text.startswith("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=")
    part = "\n\n--CLUSTERGEN\nContent-Type: application/node.eks.aws\n\napiVersion: node.eks"
    assert part in text
    assert text.endswith("\n--CLUSTERGEN--\n")
    assert len(text) < 16 * 1024
    assert "strategy: RAID0" in text
    assert "localStorage" not in user_data(cpu())
    assert "cluster:" not in text


def test_scripts_of_the_spec_run_before_the_node_joins() -> None:
    text = user_data(SCRIPTS)
    assert "run_script 's3://my-bucket/it'\"'\"'s.sh' e3b0c442" in text
    assert "'$(reboot)'" in text
    assert "example.com" not in text
    policies = json.dumps(properties_of(SCRIPTS, "NodeRole")["Policies"])
    assert "my-bucket/it's.sh" in policies
    assert "s3:GetObject" not in json.dumps(properties_of("", "NodeRole"))


def test_the_script_that_runs_them_passes_the_validators() -> None:
    part = user_data(SCRIPTS).split("\n#!", 1)[1].partition("\n--CLUSTERGEN")[0]
    assert script_violations({"scripts.sh": f"#!{part.rstrip()}\n"}) == []


IMAGE = group("image: ami-0a1b2c3d4e5f67890")


def test_nodes_with_a_custom_image_get_the_clusters_settings() -> None:
    assert launch_template_of(IMAGE)["ImageId"] == "ami-0a1b2c3d4e5f67890"
    assert "AmiType" not in properties_of(IMAGE, "NodeGroupH200")
    text = user_data(IMAGE)
    _, _, part = text.partition("application/node.eks.aws\n\n")
    config = yaml.safe_load(part.partition("\n--CLUSTERGEN")[0])
    assert config["spec"]["cluster"] == {
        "name": "${Cluster}",
        "apiServerEndpoint": "${Cluster.Endpoint}",
        "certificateAuthority": "${Cluster.CertificateAuthorityData}",
        "cidr": "172.20.0.0/16",
    }


def test_scripts_of_nodes_with_a_custom_image_keep_their_variables() -> None:
    """CloudFormation replaces ``${name}`` in their user data, and ``${!name}`` by ``${name}``."""
    scripts = SCRIPTS.replace("$(reboot)", "'${HOME}'")
    plain = user_data(scripts).partition("text/x-shellscript")[2]
    substituted = user_data(scripts + IMAGE).partition("text/x-shellscript")[2]
    assert "${" in plain
    assert "${" not in substituted.replace("${!", "")
    assert substituted.replace("${!", "${") == plain


def test_pods_of_a_node_have_addresses() -> None:
    [most] = re.findall(r"maxPods: (\d+)", user_data(cpu()))
    assert int(most) == 110


def test_templates_contain_no_cdk_metadata() -> None:
    template = template_of(EVERYTHING)
    text = json.dumps(template)
    for word in ("BootstrapVersion", "aws:cdk", "CDKMetadata", "cdk-hnb659fds", "AssetParameters"):
        assert word not in text
    assert set(template) == word_set("""
        AWSTemplateFormatVersion Description Parameters Resources Outputs
    """)
    assert all("Metadata" not in resource for resource in template["Resources"].values())


def test_the_plan_has_system_nodes_and_no_login_nodes() -> None:
    plan = plan_of("login: {instance_type: m7i.xlarge}")
    assert plan.login is None
    assert plan.system is plan.kubernetes.system_nodes
    # An address for each node and those of its pods. System nodes have subnets of their own,
    # unless the block is too small for them.
    assert plan.network.needed_addresses == 2 * (1 + 16)
    small = plan_of("network: {cidr: 10.42.0.0/25}\nkubernetes: {system_nodes: {count: 1}}")
    assert small.network.needed_addresses == (2 + 1) * (1 + 16)
    for settings, addresses in (
        ('MINIMUM_IP_TARGET: "30"', 30),
        ("MINIMUM_IP_TARGET: 30, ENABLE_PREFIX_DELEGATION: true", 32),
        ('AWS_VPC_K8S_CNI_EXTERNALSNAT: "true"', 16),
    ):
        addon = f"{{name: vpc-cni, configuration: {{env: {{{settings}}}}}}}"
        own = plan_of(f"kubernetes: {{addons: [{addon}]}}")
        assert own.network.needed_addresses == 2 * (1 + addresses)


STUBS = {"aws": 'cp "$HERE/theirs" "${@: -1}"', "systemctl": 'echo "$*" >>"$HERE/calls"'}
THEIRS = '#!/bin/bash\nprintf \'%s\\n\' "$@" >"$HERE/arguments"\nexit "$(cat "$HERE/status")"\n'
OUTCOMES = [
    # Exit status of the user's script, its checksum in the spec, whether the node may join.
    (0, hashlib.sha256(THEIRS.encode()).hexdigest(), True),
    (3, hashlib.sha256(THEIRS.encode()).hexdigest(), False),
    (0, "0" * 64, False),
]


@pytest.mark.parametrize(("status", "checksum", "joins"), OUTCOMES)
def test_a_node_whose_script_fails_does_not_join(
    tmp_path: Path, status: int, checksum: str, joins: bool
) -> None:
    script = f"run: s3://my-bucket/a.sh, args: [--fast, $(reboot)], sha256: '{checksum}'"
    fragment = f"software: {{scripts: [{{{script}}}]}}"
    script = user_data(fragment).split("\n#!", 1)[1].partition("\n--CLUSTERGEN")[0]
    programs(tmp_path, {**STUBS, "script": f"#!{script}\n", "theirs": THEIRS})
    (tmp_path / "status").write_text(str(status), encoding="utf-8")
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HERE": str(tmp_path)}
    done = completed(tmp_path / "script", env=environment)
    assert (done.returncode == 0) == joins
    masked = (tmp_path / "calls").exists()
    assert masked != joins
    if joins:
        assert (tmp_path / "arguments").read_text(encoding="utf-8") == "--fast\n$(reboot)\n"
