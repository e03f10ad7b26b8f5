"""Rules of EKS: cases that their two examples do not show."""

import pytest

from clustergen.base.findings import Severity
from tests.support.checking import codes, found, message_and_help

EKS = "eks"


def groups(*fields: str) -> str:
    """Node groups of which each has one more field."""
    made = (f"{{name: h200{n or ''}, instance_type: p5.48xlarge, {_counted(f)}}}"
            for n, f in enumerate(fields))  # fmt: skip
    return f"node_groups: [{', '.join(made)}]"


def _counted(field: str) -> str:
    return field if field.startswith("count:") else f"count: 2, {field}"


KARPENTER = "kubernetes: {autoscaler: karpenter}\n"
VPC = "network: {vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [%s]%s}"
LONG = "a." * 31 + "b/c"
OVERLAY = "targets: {eks: {overlay: {Resources: {%s}}}}"
NODES = OVERLAY % "NodeGroupH200: {Properties: {%s}}"
TEMPLATE = OVERLAY % "NodeGroupH200LaunchTemplate: {Properties: {LaunchTemplateData: {%s}}}"

TAINTS = ", ".join(f"{{key: taint-{number}}}" for number in range(8))
CASES = [
    # Kubernetes versions by their calendar; no findings on what is not written.
    ("kubernetes: {version: '1.36'}", "K8S504", False),
    ("kubernetes: {version: '1.32', support: extended}", "K8S502", True),
    ("kubernetes: {version: '1.32'}", "K8S503", False),
    ("kubernetes: {version: '1.32'}", "K8S502", True),
    ("kubernetes: {version: '1.32', support: standard}", "K8S503", True),
    # Kubernetes places pods by what each node has; one image starts one architecture.
    ("node_groups: [{name: h200, instance_type: null, count: 2, "
     "instance_types: [g5.12xlarge, g5.24xlarge]}]", "CAP004", False),
    ("node_groups: [{name: h200, instance_type: null, count: 2, "
     "instance_types: [m7i.4xlarge, m7g.4xlarge]}]", "CAP004", True),
    # Jobs and quotas count the accelerators of the first type.
    ("node_groups: [{name: h200, instance_type: null, count: 2, efa: false, "
     "instance_types: [g6e.48xlarge, g6e.24xlarge]}]", "CAP004", True),
    # Jobs of a group without a queue do not wait.
    ("node_groups: [{name: h200}, {name: cpu, instance_type: m7i.4xlarge, count: 1}]\n"
     "queues: [{name: train, node_groups: [h200]}]", "K8S534", True),
    ("node_groups: [{name: h200}, {name: cpu, instance_type: m7i.4xlarge, count: 1}]", "K8S534",
     False),
    # A launch template that switches SMT off names the number of cores.
    ("node_groups: [{name: h200, instance_type: null, count: 2, threads_per_core: 1, "
     "instance_types: [g5.12xlarge, g5.24xlarge]}]", "CAP004", True),
    (f"kubernetes: {{admission: none}}\n{groups('taints: [' + TAINTS + ']')}", "K8S538", False),
    (groups("taints: [" + TAINTS + "]"), "K8S538", True),
    # What agents and pods need of their nodes.
    ("kubernetes: {devices: dra, version: '1.34'}\nnode_groups: [{name: h200, efa: false}]",
     "K8S527", False),
    (KARPENTER + groups("count: {max: 4}"), "K8S529", True),
    (KARPENTER + groups("count: {max: 4}, efa: false"), "K8S529", False),
    ("kubernetes: {admission: none}\nnode_groups: [{name: h200, instance_type: trn1.32xlarge}]",
     "K8S537", False),
    # Pods mount Lustre by a name that does not follow from the id.
    ("storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0abc123def456789}}]", "STG052",
     True),
    ("storage: [{mount: /c, type: file-cache, existing: {id: fc-0a1b2c3d4e5f67893}}]", "STG052",
     True),
    ("kubernetes: {version: '1.37'}", "K8S500", True),
    ("kubernetes: {version: '1.30'}", "K8S501", True),
    ("kubernetes: {version: '1.31', support: extended}", "K8S501", False),
    # A key below a reserved domain is reserved, too; one that merely ends like it is not.
    (groups("labels: {node.kubernetes.io/role: x}"), "K8S003", True),
    (groups("labels: {notkubernetes.io/role: x}"), "K8S003", False),
    (groups("labels: {karpenter.sh/own: x}"), "K8S003", False),
    (KARPENTER + groups("labels: {karpenter.sh/own: x}"), "K8S003", True),
    (groups("taints: [{key: eks.amazonaws.com/own}]"), "K8S003", True),
    (groups(f"labels: {{{LONG}: x}}"), "K8S002", True),
    (groups("labels: {a..b/role: x}"), "K8S002", True),
    (groups("labels: {a.b/role: x}"), "K8S002", False),
    (groups("taints: [{key: x, value: 'a b'}]"), "K8S004", True),
    (groups("taints: [{key: x}, {key: x, value: y}]"), "K8S004", True),
    (groups("taints: [{key: x}, {key: x, effect: NoExecute}]"), "K8S004", False),
    # Where the control plane is.
    (VPC % ("subnet-0a1b2c3d4e5f67890", ""), "NET022", True),
    (VPC % ("{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}, "
            "{id: subnet-0a1b2c3d4e5f67891, zone: use1-az2}", ""), "NET022", False),
    (VPC % ("{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}", ", control_plane_subnets: "
            "[{id: subnet-0a1b2c3d4e5f67891, zone: use1-az2}]"), "NET022", True),
    (VPC % ("{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}", ", control_plane_subnets: "
            "[{id: subnet-0a1b2c3d4e5f67891, zone: use1-az2}, "
            "{id: subnet-0a1b2c3d4e5f67892, zone: use1-dfw2-az1}]"), "NET501", True),
    ("kubernetes: {public_endpoint_from: [203.0.113.0/24, 0.0.0.0/0]}", "NET502", True),
    ("targets: {eks: {install: stack}}", "NET503", False),
    ("region: us-gov-west-1\nnetwork: {zone: usgw1-az1}\nkubernetes: {admins: "
     "['arn:aws-us-gov:iam::111122223333:role/a']}", "IAM002", False),
    # Who starts nodes.
    (groups("count: {min: 0, max: 4}"), "CAP011", True),
    (KARPENTER + groups("count: {min: 0, max: 4}"), "CAP011", False),
    (KARPENTER + groups("count: {min: 0, max: 4}"), "CAP012", False),
    (KARPENTER + groups("count: {min: 1, max: 4}"), "CAP505", True),
    (groups("capacity: spot"), "CAP502", True),
    ("node_groups: [{name: h200, instance_type: p5.48xlarge, count: 1, capacity: spot}]",
     "CAP502", False),
    (groups("capacity: spot, efa: false"), "CAP502", False),
    # Never on Spot, which is another error.
    ("node_groups: [{name: h200, instance_type: trn2u.48xlarge, count: 2, capacity: spot}]",
     "CAP502", False),
    ("node_groups: [{name: h200, instance_type: trn2u.48xlarge, count: 2, mig: {1g.10gb: 1}}]",
     "GPU501", False),
    (groups("capacity: {reservation_group: 'arn:aws:resource-groups:us-east-1:1:group/g'}"),
     "CAP503", False),
    # Devices.
    ("kubernetes: {devices: dra, version: '1.34'}", "K8S520", False),
    ("kubernetes: {devices: dra, autoscaler: karpenter}", "K8S521", False),
    (groups("mig: {1g.10gb: 7}"), "GPU501", True),
    (groups("mig: {1g.10gb: 7}, efa: false"), "NIC003", False),
    # What CAP502 and NIC004 advise.
    (groups("capacity: spot, efa: false"), "NIC003", False),
    (groups("instance_types: [g6e.24xlarge, g6e.12xlarge], efa: false"), "NIC003", False),
    # Queues.
    ("kubernetes: {scheduler: kai, admission: none}", "K8S530", False),
    ("kubernetes: {admission: none}", "K8S531", False),
    ("kubernetes: {admission: none, scheduler: kai}\n"
     "queues: [{name: a, node_groups: [h200]}]", "K8S531", False),
    # Names and scripts.
    ("queues: [{name: pretrain-, node_groups: [h200]}]", "LIM001", True),
    ("queues: [{name: kube-public, node_groups: [h200]}]", "LIM002", True),
    ("software: {scripts: [{run: 's3://my-bucket/a.sh', on: [login]}]}", "LIM005", True),
    (KARPENTER + groups("count: {max: 4}") + "\nsoftware: {scripts: [{run: 's3://my-bucket/a.sh'}]}",
     "CAP506", True),
    # Images.
    ("software: {os: rhel9}", "IMG001", True),
    ("node_groups: [{name: h200, instance_type: mac2.metal, count: 1}]", "IMG502", True),
    ("node_groups: [{name: h200, instance_type: vt1.6xlarge, image: ami-0a1b2c3d4e5f67890}]",
     "IMG501", False),
    ("software: {os: ubuntu2404}\nnode_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]",
     "IMG001", False),
    ("node_groups: [{name: h200, instance_type: trn2.48xlarge}]", "IMG501", False),
    ("kubernetes: {system_nodes: {instance_type: a1.xlarge}}", "IMG502", True),
    (groups("root_volume: {size: 20GiB}"), "STG051", False),
    # How many.
    ("kubernetes: {system_nodes: {instance_type: c7i.large}}", "K8S540", True),
    ("kubernetes: {system_nodes: {instance_type: m7g.large}}", "K8S540", False),
    (KARPENTER + "node_groups: [{name: h200, instance_type: m7i.4xlarge, count: {max: 451}}]",
     "LIM004", False),
    # What EKS lacks, and the help.
    (groups("health_checks: [gpu]"), "SUP001", False),
    (groups("health_checks: [instance-stress]"), "SUP001", True),
    (groups("capacity: {interruptible_reservation: cr-0a1b2c3d4e5f67890}"), "SUP001", True),
    # Overlays.
    (NODES % "AmiTyp: AL2023_x86_64_NVIDIA", "OVL002", True),
    (NODES % "AmiType: AL2023_X86_64_NVIDIA", "OVL003", True),
    (NODES % "Taints: [{Key: a, Effect: NoSchedule}]", "OVL003", True),
    (TEMPLATE % "HibernationOptions: {Configured: true}", "OVL500", True),
    (NODES % "ScalingConfig: {DesiredSize: 40}", "OVL506", True),
    (OVERLAY % "Cluster: {Properties: {ResourcesVpcConfig: {EndpointPublicAccess: true, "
     "PublicAccessCidrs: [0.0.0.0/0]}}}", "OVL508", True),
    (TEMPLATE % r'UserData: {"Fn::Base64": "MIME-Version: 1.0\n\necho\n"}', "OVL505", True),
    (TEMPLATE % r'UserData: {"Fn::Base64": "mime-version: 1.0\n'
     r'content-type: multipart/mixed; boundary=A\n"}', "OVL505", False),
    (NODES % "AmiType: BOTTLEROCKET_x86_64", "OVL542", True),
    (NODES % "NodeRepairConfig: {NodeRepairConfigOverrides: [{NodeMonitoringCondition: "
     "AcceleratedInstanceNotReady, NodeUnhealthyReason: NvidiaXID64Error, "
     "MinRepairWaitTimeMins: 5, RepairAction: Replace}]}", "OVL550", True),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), CASES)
def test_finding(text: str, code: str, expected: bool) -> None:
    assert (code in codes(text, EKS)) is expected


# The message, or the help.
SAID = [
    ("kubernetes: {version: '1.37'}", "K8S500", "write version: '1.35'"),
    ("kubernetes: {version: '1.33', support: standard}", "K8S503",
     "write version: '1.35', or support: extended"),
    (groups("labels: {node.kubernetes.io/role: x}"), "K8S003",
     "use a domain of your own: example.com/role"),
    (groups("count: {min: 1, max: 4}"), "CAP011",
     "write kubernetes.autoscaler: karpenter, or count: 4"),
    (groups("capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"), "CAP504",
     "write starts beside it, or once it has: aws eks update-nodegroup-config "
     "--nodegroup-name h200 --scaling-config desiredSize=2 --cluster-name example"),
    (NODES % "LaunchTemplate: {Name: other}", "OVL511",
     "NodeGroupH200: a launch template by Id and Name"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), SAID)
def test_messages_and_help(text: str, code: str, expected: str) -> None:
    assert expected in message_and_help(text, code, EKS)


def test_an_end_of_support_has_a_date() -> None:
    for support, then in (("standard", "EKS upgrades the cluster"), ("extended", "costs more")):
        text = f"kubernetes: {{version: '1.34', support: {support}}}"
        message = message_and_help(text, "K8S504", EKS)[0]
        assert "2026-12-02" in message
        assert then in message


def test_the_smallest_spec_has_at_most_notes() -> None:
    heavy = [f for f in found("{}", EKS) if f.severity is not Severity.NOTE]
    assert heavy == []
