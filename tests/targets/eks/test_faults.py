"""Single faults of EKS templates: a validator catches each, and a finding those of an overlay.

Linters let most of them through: they know the form of a property, and not what goes together.
"""

import functools
import json
from collections.abc import Mapping
from typing import Any

import pytest

from clustergen import targets
from clustergen.base.findings import errors
from tests.support.checking import broken, check_example, check_fragment
from tests.validators.cloudformation import check as template_violations
from tests.validators.eks import eks_violations
from tests.validators.seeding import GONE, changed

BLOCK = "eks-p5en-capacity-block"


@functools.cache
def document(spec: str) -> Mapping[str, Any]:
    """The template of a good spec, as it is written."""
    checked = check_example(spec, "eks")
    assert errors(checked.findings) == []
    written = json.dumps(targets.load("eks").document(checked.plans["eks"]))
    read: Mapping[str, Any] = json.loads(written)
    return read


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
    (f"{CPU}.Labels", {"kubernetes.io/role": "a"}, "is reserved", "that is reserved"),
    # The control plane.
    (f"{EKS}.ResourcesVpcConfig.SubnetIds", ONE, "subnets of two zones", "for a control plane"),
    (f"{EKS}.ResourcesVpcConfig.PublicAccessCidrs", GONE, "0.0.0.0/0", "open to everyone"),
    (f"{EKS}.Version", "1.99", "no Kubernetes 1.99", "not offer Kubernetes 1.99"),
    (f"{EKS}.AccessConfig.AuthenticationMode", "CONFIG_MAP", "CONFIG_MAP", "CONFIG_MAP"),
    (f"{EKS}.ComputeConfig", {"Enabled": True}, "in part", "in part"),
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


def test_a_part_of_a_gpu_needs_the_image_with_its_driver() -> None:
    part = "node_groups: [{name: h200, instance_type: g6f.xlarge, count: 1}]"
    template = targets.load("eks").document(check_fragment(part, "eks").plans["eks"])
    assert broken("eks", json.loads(json.dumps(template))) == []
