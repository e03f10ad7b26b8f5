"""Single faults, sown into a spec or into what was rendered from it: each is caught.

A fault in a spec is caught by a finding, before anything is rendered. A fault of the compiler would
show in an artifact, and there a validator catches it.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from tests.support.checking import caught, example_files
from tests.validators.cloudformation import check as template_violations
from tests.validators.cloudformation import lint
from tests.validators.parallelcluster import ParallelCluster
from tests.validators.seeding import GONE, changed
from tests.validators.shell import script_violations

PLAIN, BLOCK = "p5-on-demand", "p5en-capacity-block"
BOTH = ("parallelcluster", "pcs")
PC, PCS = ("parallelcluster",), ("pcs",)

# The spec, what is laid over it, for which targets, and the code of the finding.
IN_SPECS: list[tuple[str, str, tuple[str, ...], str]] = [
    # Where.
    (PLAIN, "region: us-east1", BOTH, "NET001"),
    (PLAIN, "network: {zone: usw2-az1}", BOTH, "NET002"),
    (PLAIN, "network: {cidr: 10.0.0.0/8}", BOTH, "NET006"),
    (PLAIN, "network: {cidr: 10.0.0.0/25}\nnode_groups: [{name: h100, count: 70}]", BOTH, "NET010"),
    (PLAIN, "network: {cidr: 10.0.0.0/23}", PCS, "NET010"),
    (PLAIN, "network: {vpc: vpc-0a1b2c3d}", BOTH, "NET004"),
    (PLAIN, "region: ap-south-2\nnetwork: {zone: aps2-az1}", PC, "NET020"),
    (PLAIN, "region: us-west-1\nnetwork: {zone: usw1-az1}", PCS, "NET020"),
    # What.
    (PLAIN, "node_groups: [{name: h100, instance_type: p5.48xl}]", BOTH, "CAP001"),
    (PLAIN, "node_groups: [{name: h100, instance_type: hpc7a.96xlarge, capacity: spot,"
     " scratch: null, health_checks: null}]", BOTH, "CAP002"),
    (BLOCK, "node_groups: [{name: h200, count: 65}]", BOTH, "CAP007"),
    (BLOCK, "node_groups: [{name: h200, count: {min: 0, max: 64}}]", PC, "CAP101"),
    (PLAIN, "node_groups: [{name: h100, count: {min: 4, max: 2}}]", BOTH, "CAP008"),
    (PLAIN, "node_groups: [{name: h100, instance_type: m7i.48xlarge}]", BOTH, "STG050"),
    (PLAIN, "node_groups: [{name: h100, threads_per_core: 4}]", BOTH, "SPC023"),
    (PLAIN, "node_groups: [{name: h100, mig: {1g.18gb: 7}}]", BOTH, "GPU001"),
    (PLAIN, "node_groups: [{name: h100, instance_type: g6e.4xlarge, efa: true}]", BOTH, "NIC001"),
    (PLAIN, "node_groups: [{name: h100, placement: none}]", BOTH, "PLC003"),
    (BLOCK, "node_groups: [{name: h200, placement: cluster}]", BOTH, "PLC002"),
    (PLAIN, "head_node: {instance_type: m7g.4xlarge}", PC, "IMG104"),
    # Storage.
    (PLAIN, "storage: [{mount: /fsx, type: fsx-lustre, size: 5000GiB, throughput: 250}]", BOTH,
     "FSX004"),
    (BLOCK, "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250, efa: true}]",
     BOTH, "FSX004"),
    (PLAIN, "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 300}]", BOTH,
     "FSX002"),
    (PLAIN, "storage: [{mount: /fsx, type: efs}, {mount: /fsx/home, type: efs}]", BOTH, "STG015"),
    (PLAIN, "storage: [{mount: /etc, type: efs}]", BOTH, "STG016"),
    (PLAIN, "storage: [{mount: /apps, type: ebs, size: 500GiB}]", PCS, "SUP001"),
    (PLAIN, "storage: [{mount: /data, type: s3, bucket: s3://my-bucket}]", PC, "SUP001"),
    # Slurm and the rest.
    (PLAIN, "queues: [{name: train, node_groups: [h200]}]", BOTH, "SPC031"),
    (PLAIN, "slurm: {settings: {SlurmctldHost: here}}", BOTH, "SLM"),
    (PLAIN, "slurm: {version: '22.05'}", PCS, "SLM001"),
    (PLAIN, "slurm: {accounting: managed}", PC, "SUP001"),
    (PLAIN, "users: [{name: a, uid: 2001}, {name: b, uid: 2001}]", BOTH, "SPC034"),
    (PLAIN, "tags: {'aws:x': y}", BOTH, "SPC035"),
    (PLAIN, "tags: {owner: a&b}", BOTH, "SPC036"),
    (PLAIN, "name: x", PCS, "LIM001"),
    (PLAIN, "colour: red", BOTH, "SPC020"),
    (PLAIN, "targets: {pcs: {overlay: {Resources: {Cluster: {Properties: {Size: TINY}}}}}}", PCS,
     "OVL"),
    (PLAIN, "targets: {parallelcluster: {overlay: {HeadNode: {InstanceTyp: m7i.large}}}}", PC,
     "OVL"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spec", "fault", "target", "code"),
    [(spec, fault, target, code) for spec, fault, names, code in IN_SPECS for target in names],
)
def test_a_fault_in_a_spec_is_a_finding(spec: str, fault: str, target: str, code: str) -> None:
    for finding in caught(spec, fault, target, code):
        way_out = f"{finding.message} {finding.help}"
        assert finding.help or " one of " in way_out or " such as " in way_out


H100 = "Resources.LaunchTemplateH100.Properties.LaunchTemplateData"
GROUP = "Resources.NodeGroupH100.Properties"
ACTION = f"{GROUP}.NodeLifecycleActions.Stages.NodeBootstrapped.0"
LUSTRE = "Resources.StorageFsx.Properties"

# Template, path, value, words of a violation.
IN_TEMPLATES: list[tuple[str, str, Any, str]] = [
    ("cluster", "Resources.Cluster.Properties.Size", "HUGE", "not one of SMALL"),
    ("cluster", "Resources.Cluster.Properties.Scheduler", GONE, "required member scheduler"),
    ("cluster", "Resources.Cluster.Properties.Scheduler.Type", "PBS", "not one of SLURM"),
    ("cluster", "Resources.Cluster.Properties.Networking", GONE, "required member networking"),
    ("cluster", f"{H100}.NetworkInterfaces.0.InterfaceType", "efa-only", "primary interface"),
    ("cluster", f"{H100}.NetworkInterfaces.1.DeviceIndex", 2, "device 2 on network card 1"),
    ("cluster", f"{H100}.NetworkInterfaces.31.NetworkCardIndex", 32, "no network card 32"),
    ("cluster", f"{H100}.NetworkInterfaces.5.NetworkCardIndex", 4, "2 interfaces on network card"),
    ("cluster", f"{H100}.NetworkInterfaces.5.Groups", GONE, "no security groups"),
    ("cluster", f"{H100}.MetadataOptions.HttpTokens", "no", "not one of optional, required"),
    ("cluster", f"{H100}.SecurityGroupIds", ["sg-0a1b2c3d"], "SecurityGroupIds beside"),
    ("cluster", f"{GROUP}.InstanceConfigs.0.InstanceType", "p5en.48xlarge", "network card"),
    ("cluster", f"{GROUP}.PurchaseOption", "RESERVED", "not one of ONDEMAND"),
    ("cluster", f"{GROUP}.ScalingConfiguration.MaxInstanceCount", GONE, "maxInstanceCount"),
    ("cluster", f"{GROUP}.IamInstanceProfileArn", "profile", "iamInstanceProfileArn"),
    ("cluster", f"{ACTION}.ScriptSource.Checksum", "abc", "checksum"),
    ("cluster", f"{ACTION}.OnError", "IGNORE", "not one of"),
    ("cluster", "Resources.QueueTrain.Properties.Name", "x", "the minimum is 3"),
    ("foundation", f"{LUSTRE}.LustreConfiguration.DeploymentType", "SCRATCH_9", "DeploymentType"),
    ("foundation", f"{LUSTRE}.SubnetIds", GONE, "required member SubnetIds"),
    ("foundation", f"{LUSTRE}.LustreConfiguration.Efa", True, "unknown member Efa"),
    ("foundation", "Resources.LoginSecurityGroupSsh1.Properties.Description", "it's", "refuses"),
    ("foundation", "Resources.NodeRole.Properties.Path", "aws-pcs", "Path"),
    ("foundation", "Resources.NodeRole.Properties.Policies.0.PolicyName", "a b", "PolicyName"),
    ("foundation", "Resources.Vpc.Type", "AWS::EC2::Vpcc", "does not know the resource type"),
]  # fmt: skip


@pytest.mark.parametrize(("template", "path", "value", "words"), IN_TEMPLATES)
def test_a_fault_in_a_template_is_a_violation(
    template: str, path: str, value: Any, words: str
) -> None:
    good = json.loads(example_files(PLAIN, "pcs")[f"{template}.template.json"])
    assert template_violations(good, "us-east-1") == []
    violations = template_violations(changed(good, path, value), "us-east-1")
    assert any(words in violation for violation in violations), violations


# Template, path, value, rule of cfn-lint.
FOR_CFN_LINT: list[tuple[str, str, Any, str]] = [
    ("cluster", "Resources.QueueTrain.Properties.ClusterId", {"Ref": "Nowhere"}, "E1020"),
    ("cluster", f"{GROUP}.Version", 1, "E3002"),
    ("cluster", "Parameters.PrivateSubnetId", GONE, "E1020"),
    ("foundation", "Outputs.VpcId.Value", {"Ref": "Nowhere"}, "E6101"),
    ("foundation", "Resources.PrivateSubnet.Properties.VpcId", GONE, "E3003"),
]


@pytest.mark.parametrize(("template", "path", "value", "rule"), FOR_CFN_LINT)
def test_a_fault_that_only_cloudformation_rejects(
    template: str, path: str, value: Any, rule: str
) -> None:
    good = json.loads(example_files(PLAIN, "pcs")[f"{template}.template.json"])
    text = json.dumps(changed(good, path, value))
    assert rule in {found.rule for found in lint({"faulty.template.json": text})}


QUEUE = "Scheduling.SlurmQueues.0"
NODES = f"{QUEUE}.ComputeResources.0"

# Spec, path in cluster.yaml, value, validator of ParallelCluster.
IN_CLUSTERS: list[tuple[str, str, Any, str]] = [
    (PLAIN, "Region", "ap-south-2", "RegionValidator"),
    (PLAIN, "Image.Os", "ubuntu2004", "Schema"),
    (PLAIN, "HeadNode.InstanceType", "m7g.4xlarge", "InstanceArchitectureCompatibilityValidator"),
    (PLAIN, "HeadNode.Networking.SubnetId", "here", "Schema"),
    (PLAIN, f"{NODES}.InstanceType", "m7i.8xlarge", "EfaValidator"),
    (PLAIN, f"{NODES}.MinCount", 17, "ComputeResourceSizeValidator"),
    (PLAIN, f"{QUEUE}.Networking.PlacementGroup", GONE, "EfaPlacementGroupValidator"),
    (PLAIN, f"{QUEUE}.Name", "Train", "NameValidator"),
    (PLAIN, f"{QUEUE}.Networking.SubnetIds", ["${PublicSubnetId}"],
     "MultiNetworkInterfacesInstancesValidator"),
    (PLAIN, f"{QUEUE}.CustomSlurmSettings", {"PartitionName": "x"}, "CustomSlurmSettingsValidator"),
    (PLAIN, "SharedStorage.0.MountDir", "/home", "DuplicateMountDirValidator"),
    (PLAIN, "SharedStorage.0.FsxLustreSettings.EfaEnabled", True, "Schema"),
    (PLAIN, "Tags.0.Value", 5, "Schema"),
    (BLOCK, f"{NODES}.MinCount", 32, "ComputeResourceSizeValidator"),
    (BLOCK, f"{NODES}.CapacityReservationTarget", GONE, "CapacityTypeValidator"),
    (BLOCK, f"{QUEUE}.CapacityType", "SPOTTY", "Schema"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "path", "value", "validator"), IN_CLUSTERS)
def test_a_fault_in_a_cluster_is_an_error(
    parallelcluster: ParallelCluster, spec: str, path: str, value: Any, validator: str
) -> None:
    good = yaml.safe_load(example_files(spec, "parallelcluster")["cluster.yaml"])
    text = yaml.safe_dump(changed(good, path, value), sort_keys=False)
    messages = [m for m in parallelcluster.validator(text) if m.level == "ERROR"]
    assert validator in {message.validator for message in messages}, messages


# File, text in it, what stands there instead, words of shellcheck or shfmt.
IN_SCRIPTS: list[tuple[str, str, str, str]] = [
    ("deploy.sh", "set -euo pipefail", 'cd $1\nset -euo pipefail', "SC2086"),
    ("deploy.sh", "\nfi\n", "\n", "SC1"),
    ("scripts/mount.sh", '"$mount_point"', "$mount_point", "SC2086"),
    ("scripts/mount.sh", "  local found\n", "    local found\n", "not as shfmt"),
    ("scripts/scratch.sh", "#!/bin/bash", "#!/bin/bash\nunused=1", "SC2034"),
]  # fmt: skip


@pytest.mark.parametrize(("file", "old", "new", "words"), IN_SCRIPTS)
def test_a_fault_in_a_script_is_a_violation(file: str, old: str, new: str, words: str) -> None:
    good = example_files(PLAIN, "pcs")[file]
    assert old in good
    violations = script_violations({file: good.replace(old, new, 1)})
    assert any(words in violation for violation in violations), violations


def test_there_are_enough_faults() -> None:
    of_specs = sum(len(names) for _, _, names, _ in IN_SPECS)
    of_artifacts = len([*IN_TEMPLATES, *FOR_CFN_LINT, *IN_CLUSTERS, *IN_SCRIPTS])
    assert of_specs >= 40
    assert of_artifacts >= 40
