"""Single faults of EKS clusters: findings catch those of specs and overlays, validators the others.

Linters let most of them through: they know the form of a property, and not what goes together.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Any

import pytest

from clustergen import targets
from clustergen.base.findings import errors
from tests.support.checking import broken, caught, check_example
from tests.validators.cloudformation import check as template_violations
from tests.validators.cloudformation import lint
from tests.validators.eks import eks_violations
from tests.validators.seeding import GONE, changed

BLOCK, HELD, SPOT = "eks-p5en-capacity-block", "eks-reserved-volcano", "eks-karpenter"
TRN, MIG, GB200 = "eks-trn2", "eks-mig", "eks-dra-gb200"

# The spec, what is laid over it, and the code of the finding.
IN_SPECS: list[tuple[str, str, str]] = [
    # Kubernetes and its calendar.
    (BLOCK, "kubernetes: {version: '1.99'}", "K8S500"),
    (BLOCK, "kubernetes: {version: '1.21'}", "K8S501"),
    (BLOCK, "kubernetes: {version: '1.32', support: extended}", "K8S502"),
    (BLOCK, "kubernetes: {version: '1.32', support: standard}", "K8S503"),
    (BLOCK, "kubernetes: {version: '1.34'}", "K8S504"),
    (BLOCK, "kubernetes: {version: '35'}", "SPC"),
    # Where, and who reaches it.
    (HELD, "network: {control_plane_subnets: null}", "NET022"),
    (HELD, "network: {control_plane_subnets: [{id: subnet-0a1b2c3d4e5f67891, zone: usw2-az1}]}",
     "NET022"),
    (HELD, "network: {security_groups: [sg-1]}", "SPC"),
    (BLOCK, "kubernetes: {public_endpoint_from: [0.0.0.0/0]}", "NET502"),
    (BLOCK, "kubernetes: {admins: ['arn:aws:iam::111122223333:root']}", "SPC"),
    (BLOCK, "kubernetes: {admins: ['arn:aws-cn:iam::111122223333:role/a']}", "IAM002"),
    (BLOCK, "network: {cidr: 10.0.0.0/24}", "NET010"),
    # What nodes are started from.
    (BLOCK, "node_groups: [{name: h200, capacity: spot}]", "CAP502"),
    (BLOCK, "node_groups: [{name: h200, count: {min: 0, max: 32}}]", "CAP011"),
    (BLOCK, "node_groups: [{name: h200, placement: cluster}]", "PLC002"),
    (BLOCK, "node_groups: [{name: h200, count: 65}]", "CAP007"),
    (BLOCK, "node_groups: [{name: data, capacity: {capacity_block: cr-0a1b2c3d4e5f6}}]", "CAP002"),
    (BLOCK, "node_groups: [{name: data, capacity: {training_plan: "
     "'arn:aws:sagemaker:us-east-2:111122223333:training-plan/p'}}]", "SUP001"),
    (HELD, "node_groups: [{name: b200, capacity: {reservation: null, "
     "interruptible_reservation: cr-0a1b2c3d}}]",
     "SUP001"),
    (HELD, "kubernetes: {autoscaler: karpenter}", "CAP012"),
    (HELD, "kubernetes: {version: '1.32', support: extended}", "NIC500"),
    (SPOT, "software: {scripts: [{run: 's3://my-bucket/a.sh'}]}", "CAP506"),
    (SPOT, "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [login]}]}", "LIM005"),
    (SPOT, "node_groups: [{name: tune, efa: true, efa_layout: efa, instance_types: null, "
     "instance_type: p5.48xlarge}]", "NIC501"),
    (SPOT, "node_groups: [{name: evaluate, placement: cluster}]", "PLC500"),
    (BLOCK, "queues: [{name: kube-public, node_groups: [h200]}]", "LIM002"),
    (BLOCK, "queues: [{name: pretrain-, node_groups: [h200]}]", "LIM001"),
    (GB200, "node_groups: [{name: h100, instance_type: p5.48xlarge, count: 2, efa: false, "
     "mig: {1g.10gb: 7}}]\nqueues: [{name: m, node_groups: [h100]}]", "K8S526"),
    (SPOT, "node_groups: [{name: tune, count: {min: 2, max: 16}}]", "CAP505"),
    (SPOT, "kubernetes: {autoscaler: none}", "CAP011"),
    (SPOT, "node_groups: [{name: evaluate, capacity: {reservation_group: "
     "'arn:aws:resource-groups:us-west-2:111122223333:group/g'}}]", "CAP503"),
    (SPOT, "node_groups: [{name: tune, instance_types: [g6e.12xlarge, g5g.16xlarge]}]", "CAP004"),
    # What they are called and marked by.
    (MIG, "node_groups: [{name: sliced, labels: {node-role.kubernetes.io/gpu: a}}]", "K8S003"),
    (MIG, "node_groups: [{name: sliced, labels: {pool: ''}}]", "K8S002"),
    (MIG, "node_groups: [{name: whole, taints: [{key: 'a b'}]}]", "K8S004"),
    (MIG, "node_groups: [{name: whole, taints: [{key: a, effect: NO_SCHEDULE}]}]", "SPC"),
    (MIG, "node_groups: [{name: sliced, efa: true}]", "GPU501"),
    (MIG, "node_groups: [{name: sliced, mig: {1g.18gb: 7}}]", "GPU001"),
    (MIG, "node_groups: [{name: sliced, labels: {nvidia.com/mig.config: all-disabled}}]", "GPU003"),
    # Devices, queues, software.
    (GB200, "kubernetes: {version: '1.33', support: extended}", "K8S520"),
    (GB200, "kubernetes: {version: '1.32', support: extended, devices: plugin}", "K8S524"),
    (GB200, "kubernetes: {autoscaler: karpenter, devices: plugin}\n"
     "node_groups: [{name: gb200, count: {min: 0, max: 18}}]", "K8S525"),
    (GB200, "node_groups: [{name: gb200, mig: {1g.23gb: 7}}]", "GPU500"),
    (GB200, "kubernetes: {admission: kueue}", "K8S530"),
    (TRN, "kubernetes: {admission: none}", "K8S531"),
    (TRN, "queues: [{name: train, time_limit: 7d}]", "K8S532"),
    (TRN, "kubernetes: {system_nodes: {instance_type: t3.small}}", "K8S540"),
    (TRN, "kubernetes: {system_nodes: {count: 1}}", "K8S541"),
    (TRN, "software: {os: rhel9}", "IMG001"),
    (TRN, "node_groups: [{name: mac, instance_type: mac2.metal, count: 1}]", "IMG502"),
    (TRN, "node_groups: [{name: trn2, root_volume: {size: 8GiB}}]", "STG051"),
    (TRN, "node_groups: [{name: trn2, health_checks: [instance-stress]}]", "SUP001"),
    (TRN, "storage: [{mount: /apps, type: ebs, size: 100GiB}]", "SUP001"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "fault", "code"), IN_SPECS)
def test_a_fault_in_a_spec_is_a_finding(spec: str, fault: str, code: str) -> None:
    assert all(each.help or code == "SPC" for each in caught(spec, fault, "eks", code))


TEMPLATE = "NodeGroupH200LaunchTemplate: {Properties: {LaunchTemplateData: {%s}}}"
GROUP, DATA = "NodeGroupH200: {Properties: {%s}}", "NodeGroupData: {Properties: {%s}}"
CLUSTER = "Cluster: {Properties: {%s}}"

# What is laid over the template of BLOCK, and the code of the finding.
IN_OVERLAYS: list[tuple[str, str]] = [
    # Forms, by the schema.
    (GROUP % "AmiTyp: AL2023_x86_64_NVIDIA", "OVL002"),
    (GROUP % "AmiType: AL2023_X86_64_NVIDIA", "OVL003"),
    (GROUP % "Taints: [{Key: a, Effect: NoSchedule}]", "OVL003"),
    # What goes together, by the rules of the documentation.
    (TEMPLATE % "IamInstanceProfile: {Name: nodes}", "OVL500"),
    (TEMPLATE % "HibernationOptions: {Configured: true}", "OVL500"),
    (TEMPLATE % "InstanceMarketOptions: {MarketType: spot}", "OVL500"),
    (TEMPLATE % "NetworkInterfaces: [{NetworkCardIndex: 0, DeviceIndex: 0, SubnetId: subnet-0a}]",
     "OVL500"),
    (GROUP % "DiskSize: 500", "OVL501"),
    (GROUP % "RemoteAccess: {Ec2SshKey: key}", "OVL501"),
    (GROUP % "InstanceTypes: [p5en.48xlarge]", "OVL501"),
    (GROUP % "LaunchTemplate: {Name: other}", "OVL511"),
    (TEMPLATE % "ImageId: ami-0a1b2c3d4e5f67890", "OVL501"),
    (TEMPLATE % "InstanceMarketOptions: null", "OVL502"),
    (TEMPLATE % "CapacityReservationSpecification: null", "OVL502"),
    (TEMPLATE % "CapacityReservationSpecification: {CapacityReservationPreference: none}",
     "OVL536"),
    (TEMPLATE % "Placement: {GroupName: ours}", "OVL534"),
    (GROUP % "CapacityType: ON_DEMAND", "OVL532"),
    (GROUP % "Subnets: [subnet-0a1b2c3d4e5f67890, subnet-0a1b2c3d4e5f67891]", "OVL539"),
    (TEMPLATE % "SecurityGroupIds: [sg-0a1b2c3d4e5f67890]", "OVL517"),
    (TEMPLATE % "NetworkInterfaces: [{NetworkCardIndex: 0, DeviceIndex: 0, Groups: [sg-0a]}]",
     "OVL503"),
    (TEMPLATE % "NetworkInterfaces: [{NetworkCardIndex: 0, DeviceIndex: 0, "
     "InterfaceType: efa-only}]", "OVL518"),
    (TEMPLATE % "NetworkInterfaces: [{NetworkCardIndex: 1, DeviceIndex: 0, "
     "InterfaceType: efa_only}]", "OVL520"),
    (TEMPLATE % "NetworkInterfaces: [{NetworkCardIndex: 16, DeviceIndex: 0, Groups: "
     "[{'Fn::GetAtt': [Cluster, ClusterSecurityGroupId]}]}]", "OVL522"),
    (GROUP % "AmiType: AL2023_ARM_64_NVIDIA", "OVL504"),
    (GROUP % "AmiType: AL2023_x86_64_STANDARD", "OVL530"),
    (GROUP % "AmiType: AL2_x86_64_GPU", "OVL531"),
    (DATA % "InstanceTypes: [p6e-b200.36xlarge]", "OVL515"),
    (TEMPLATE % "UserData: {'Fn::Base64': 'set -e'}", "OVL505"),
    (TEMPLATE % "UserData: {'Fn::Base64': 'MIME-Version: 1.0\\n\\n/etc/eks/bootstrap.sh a'}",
     "OVL543"),
    (GROUP % "ScalingConfig: {DesiredSize: 40}", "OVL506"),
    (GROUP % "UpdateConfig: {MaxUnavailable: 1, MaxUnavailablePercentage: 33}", "OVL547"),
    (GROUP % "NodeRepairConfig: {MaxUnhealthyNodeThresholdCount: 1, "
     "MaxUnhealthyNodeThresholdPercentage: 20}", "OVL547"),
    (GROUP % "NodeRepairConfig: {NodeRepairConfigOverrides: [{NodeMonitoringCondition: "
     "AcceleratedInstanceNotReady, NodeUnhealthyReason: NvidiaXID64Error, "
     "MinRepairWaitTimeMins: 5, RepairAction: Replace}]}", "OVL550"),
    (GROUP % "Labels: {kubernetes.io/role: a}", "OVL544"),
    (DATA % "Version: '1.36'", "OVL552"),
    (DATA % "AmiType: BOTTLEROCKET_x86_64", "OVL542"),
    (CLUSTER % "Version: '1.99'", "OVL553"),
    (CLUSTER % "ResourcesVpcConfig: {SubnetIds: [subnet-0a1b2c3d4e5f67890]}", "OVL524"),
    (CLUSTER % "AccessConfig: {AuthenticationMode: CONFIG_MAP}", "OVL554"),
    (CLUSTER % "ComputeConfig: {Enabled: true}", "OVL555"),
    (CLUSTER % "KubernetesNetworkConfig: {ServiceIpv4Cidr: 8.8.0.0/16}", "OVL527"),
    (CLUSTER % "ResourcesVpcConfig: {PublicAccessCidrs: [0.0.0.0/0]}", "OVL508"),
    ("ClusterAccess1f58c1ba1f: {Properties: {Type: EC2_LINUX}}", "OVL509"),
    ("ClusterAccess1f58c1ba1f: {Properties: {AccessPolicies: [{PolicyArn: "
     "'arn:aws:eks::aws:cluster-access-policy/AmazonEKSViewPolicy', "
     "AccessScope: {Type: namespace}}]}}", "OVL557"),
    ("AddonVpcCniRole: {Properties: {AssumeRolePolicyDocument: {Statement: [{Effect: Allow, "
     "Principal: {Service: pods.eks.amazonaws.com}, Action: 'sts:AssumeRole'}]}}}", "OVL559"),
    ("AddonEksPodIdentityAgent: {Properties: {AddonName: eks-pod-identity}}", "OVL510"),
    ("AddonVpcCni: {Properties: {ConfigurationValues: 'WARM_IP_TARGET=4'}}", "OVL561"),
]  # fmt: skip


@pytest.mark.parametrize(("resources", "code"), IN_OVERLAYS)
def test_a_fault_in_an_overlay_is_a_finding(resources: str, code: str) -> None:
    fault = f"targets: {{eks: {{overlay: {{Resources: {{{resources}}}}}}}}}"
    assert all(each.help for each in caught(BLOCK, fault, "eks", code))


@functools.cache
def document(spec: str) -> Mapping[str, Any]:
    """The template of a good spec, as it is written."""
    checked = check_example(spec, "eks")
    assert errors(checked.findings) == []
    written = json.dumps(targets.load("eks").document(checked.plans["eks"]))
    read: Mapping[str, Any] = json.loads(written)
    return read


ALL = [BLOCK, HELD, SPOT, TRN, MIG, GB200]


@pytest.mark.parametrize("spec", ALL)
def test_the_base_of_seeded_faults_is_valid(spec: str) -> None:
    template = document(spec)
    assert [finding.message for finding in broken("eks", template)] == []
    assert eks_violations(template) == []
    assert template_violations(template, "us-east-2") == []


H200 = "Resources.NodeGroupH200.Properties"
LT = "Resources.NodeGroupH200LaunchTemplate.Properties.LaunchTemplateData"
CPU = "Resources.NodeGroupData.Properties"
CPU_LT = "Resources.NodeGroupDataLaunchTemplate.Properties.LaunchTemplateData"
EKS = "Resources.Cluster.Properties"
ADMIN = "Resources.ClusterAccess1f58c1ba1f.Properties"
NIC = f"{LT}.NetworkInterfaces"
ONE = [{"Ref": "ControlPlaneSubnet1Id"}]
TWO = [{"Ref": "PrivateSubnetId"}, {"Ref": "ControlPlaneSubnet1Id"}]
CPU_BY_NAME = {"Id": {"Ref": "NodeGroupDataLaunchTemplate"}, "Name": "data", "Version": "1"}
TAINTS = [{"Key": "a", "Effect": "NO_SCHEDULE"}] * 2
BOTH = {"CapacityReservationTarget": {
    "CapacityReservationId": "cr-0a1b2c3d4e5f67890",
    "CapacityReservationResourceGroupArn": "arn:aws:resource-groups:us-east-2:1:group/g",
}}  # fmt: skip
OVERRIDE = {"Enabled": True, "NodeRepairConfigOverrides": [{"RepairAction": "Reboot"}]}

# Path in the template of BLOCK, value, a validator's words; and the words of
# the finding that rejects an overlay with it.
IN_TEMPLATES: list[tuple[str, Any, str, str]] = [
    # Launch template and node group.
    (f"{LT}.IamInstanceProfile", {"Name": "n"}, "IamInstanceProfile in", "IamInstanceProfile"),
    (f"{LT}.InstanceInitiatedShutdownBehavior", "stop", "ShutdownBehavior", "ShutdownBehavior"),
    (f"{NIC}.0.SubnetId", {"Ref": "PrivateSubnetId"}, "SubnetId in the", "SubnetId in a"),
    (f"{CPU_LT}.InstanceMarketOptions", {"MarketType": "spot"}, "a spot request", "Spot in"),
    (f"{CPU}.DiskSize", 100, "DiskSize with", "DiskSize beside"),
    (f"{CPU}.RemoteAccess", {"Ec2SshKey": "k"}, "RemoteAccess with", "RemoteAccess beside"),
    (f"{CPU_LT}.ImageId", "ami-0a1b2c3d4e5f67890", "AmiType with", "AmiType beside"),
    (f"{CPU_LT}.InstanceType", "m7i.8xlarge", "in the launch template and", "InstanceTypes beside"),
    (f"{CPU}.InstanceTypes", GONE, "t3.medium", "t3.medium"),
    (f"{CPU}.LaunchTemplate", CPU_BY_NAME, "one of Id and Name", "Id and Name"),
    # Capacity.
    (f"{LT}.InstanceMarketOptions", GONE, "CAPACITY_BLOCK with MarketType None", "lacks"),
    (f"{LT}.CapacityReservationSpecification", GONE, "without its id", "lacks"),
    (f"{LT}.InstanceType", GONE, "without InstanceType", "lacks"),
    (f"{H200}.AmiType", GONE, "without AmiType", "lacks AmiType"),
    (f"{H200}.CapacityType", "ON_DEMAND", "with MarketType capacity-block", "for a Capacity Block"),
    (f"{H200}.Subnets", TWO, "2 subnets", "2 subnets"),
    (f"{LT}.Placement", {"GroupName": "g"}, "a placement group", "a placement group"),
    (f"{CPU_LT}.CapacityReservationSpecification", BOTH, "by id and by group", "by id and by"),
    (f"{LT}.CapacityReservationSpecification.CapacityReservationPreference", "open",
     "a preference", "the preference"),
    (f"{CPU}.CapacityType", "CAPACITY_BLOCK", "without its id", "lacks"),
    (f"{CPU}.CapacityType", "RESERVED", "not one of", ""),
    # Interfaces.
    (f"{NIC}.0.InterfaceType", "efa-only", "primary interface", "no interface with an address"),
    (f"{NIC}.3.InterfaceType", "efa_only", "efa_only", "unknown interface type efa_only"),
    (f"{NIC}.3.NetworkCardIndex", 1, "2 interfaces on network card 1", "2 interfaces on"),
    (f"{NIC}.3.NetworkCardIndex", 16, "no network card 16", "no network card 16"),
    (f"{NIC}.3.DeviceIndex", 4, "device 4", "device 4"),
    (f"{NIC}.3.Groups", [{"Ref": "ClusterSecurityGroupId"}], "without the cluster's own",
     "without the cluster's own"),
    (f"{LT}.SecurityGroupIds", [{"Fn::GetAtt": ["Cluster", "ClusterSecurityGroupId"]}],
     "at the top", "of the instance and"),
    (f"{NIC}.0.AssociatePublicIpAddress", True, "public IP address", "a public address"),
    # Images and user data.
    (f"{H200}.AmiType", "AL2023_ARM_64_NVIDIA", "another architecture", "which is x86_64"),
    (f"{H200}.AmiType", "AL2023_x86_64_STANDARD", "the driver of NVIDIA", "has no driver"),
    (f"{CPU}.AmiType", "AL2023_x86_64_NEURON", "the driver of Neuron", "has no accelerator"),
    (f"{H200}.AmiType", "AL2_x86_64_GPU", "no image of Amazon Linux 2", "no Amazon Linux 2"),
    (f"{H200}.AmiType", "AL2023_X86_64_NVIDIA", "not one of", ""),
    (f"{CPU}.InstanceTypes", ["m7i.9xlarge"], "no instance type m7i.9xlarge", "m7i"),
    (f"{CPU_LT}.UserData", {"Fn::Base64": "#!/bin/bash\ntrue\n"}, "not MIME", "not MIME"),
    (f"{CPU_LT}.UserData", {"Fn::Base64": "MIME-Version: 1.0\n\n" + "a" * 16384}, "EC2 takes",
     "the maximum is 16384"),
    # Numbers and marks.
    (f"{CPU}.ScalingConfig.MinSize", 9, "MinSize, DesiredSize", "MinSize 9"),
    (f"{CPU}.UpdateConfig.MaxUnavailable", 1, "MaxUnavailable by count", "exclude each other"),
    (f"{CPU}.NodeRepairConfig", {"MaxParallelNodesRepairedCount": 1,
                                 "MaxParallelNodesRepairedPercentage": 9},
     "MaxParallelNodesRepaired by", "exclude each other"),
    (f"{CPU}.NodeRepairConfig", OVERRIDE, "an override of repair without", "without"),
    (f"{CPU}.Taints", TAINTS, "twice", "twice"),
    (f"{CPU}.Taints", [{"Key": "a", "Effect": "NoSchedule"}], "not one of NO_SCHEDULE", ""),
    (f"{CPU}.Labels", {"kubernetes.io/role": "a"}, "is reserved", "that is reserved"),
    (f"{CPU}.Labels", {"pool": ""}, "the minimum is 1", ""),
    (f"{CPU}.Tags", [{"Key": "a", "Value": "b"}], "expected", ""),
    # The control plane.
    (f"{EKS}.ResourcesVpcConfig.SubnetIds", ONE, "subnets of two zones", "for a control plane"),
    (f"{EKS}.ResourcesVpcConfig.PublicAccessCidrs", GONE, "0.0.0.0/0", "open to everyone"),
    (f"{EKS}.Version", "1.99", "no Kubernetes 1.99", "not offer Kubernetes 1.99"),
    (f"{EKS}.AccessConfig.AuthenticationMode", "CONFIG_MAP", "CONFIG_MAP", "CONFIG_MAP"),
    (f"{EKS}.AccessConfig.AuthenticationMode", "IAM", "not one of", ""),
    (f"{EKS}.ComputeConfig", {"Enabled": True}, "in part", "in part"),
    (f"{EKS}.UpgradePolicy.SupportType", "LONG", "not one of", ""),
    (f"{EKS}.Name", "-eks", "does not match", ""),
    ("Resources.AddonCoredns", GONE, "no add-on coredns", ""),
    # Access.
    (f"{ADMIN}.Type", "EC2_LINUX", "in an entry of nodes", "of type EC2_LINUX"),
    (f"{ADMIN}.AccessPolicies.0.AccessScope", {"Type": "namespace"}, "a scope namespace",
     "names none"),
    ("Resources.AddonEksPodIdentityAgent", GONE, "without the add-on", "no Pod Identity agent"),
    ("Resources.AddonAwsFsxCsiDriverRole.Properties.AssumeRolePolicyDocument.Statement.0.Action",
     "sts:AssumeRole", "tag the session", "may not assume"),
    ("Resources.AddonAwsFsxCsiDriver.Properties.AddonName", "aws-fsx-csi", "no add-on is called",
     "did you mean"),
    ("Resources.AddonAwsFsxCsiDriver.Properties.AddonName", "aws-efa-k8s-device-plugin",
     "no add-on is called", "not an EKS add-on"),
    ("Resources.AddonVpcCni.Properties.ConfigurationValues", "WARM=1", "no JSON object",
     "not a map"),
    ("Resources.AddonVpcCni.Properties.ResolveConflicts", "FORCE", "not one of", ""),
]  # fmt: skip


@pytest.mark.parametrize(("path", "value", "validated", "ours"), IN_TEMPLATES)
def test_a_fault_in_a_template_is_caught(path: str, value: Any, validated: str, ours: str) -> None:
    faulty = changed(document(BLOCK), path, value)
    reported = [*eks_violations(faulty), *template_violations(faulty, "us-east-2")]
    if validated:
        assert any(validated in violation for violation in reported), reported
    if ours:
        found = [f"{finding.message}; {finding.help}" for finding in broken("eks", faulty)]
        assert any(ours in text for text in found), found


# Path in the template, value, rule of cfn-lint.
FOR_CFN_LINT: list[tuple[str, Any, str]] = [
    (f"{H200}.NodeRole", {"Fn::GetAtt": ["Nobody", "Arn"]}, "E1010"),
    (f"{EKS}.Loging", {}, "E3002"),
    (f"{EKS}.RoleArn", GONE, "E3003"),
    ("Parameters.PrivateSubnetId", GONE, "E1020"),
]


@pytest.mark.parametrize(("path", "value", "rule"), FOR_CFN_LINT)
def test_a_fault_that_only_cloudformation_rejects(path: str, value: Any, rule: str) -> None:
    text = json.dumps(changed(document(BLOCK), path, value))
    found = lint({"faulty.template.json": text}, ["us-east-2"])
    assert rule in {finding.rule for finding in found}


def test_there_are_enough_faults() -> None:
    assert len([*IN_SPECS, *IN_OVERLAYS]) >= 60
    assert len([*IN_TEMPLATES, *FOR_CFN_LINT]) >= 60
