"""What clustergen adds to a cluster, and the user leaves out or has otherwise."""

import json
from typing import Any

import pytest

from tests.support.checking import Fragments, codes

pytestmark = pytest.mark.scenarios(3)

PCS, EKS, BATCH = Fragments("pcs"), Fragments("eks"), Fragments("batch")
SLURM, KUBERNETES = Fragments("hyperpod-slurm"), Fragments("hyperpod-eks")
OWN = "sg-0a1b2c3d4e5f67899"
GROUPS = "\nnode_groups: [{name: h200, security_groups: [sg-0a1b2c3d4e5f67899]}]"
SCALED = "kubernetes: {autoscaler: karpenter}\nnode_groups: [{name: h200, count: {max: 2}}]\n"


def options(target: str, text: str) -> str:
    return f"targets: {{{target}: {{{text}}}}}"


def launch_data(fragments: Fragments, target: str, text: str) -> dict[str, Any]:
    """The launch template of the node group, with options of its target."""
    resources = fragments.template(options(target, text))["Resources"]
    found = next(id for id in resources if "LaunchTemplate" in id and "H200" in id)
    return dict(resources[found]["Properties"]["LaunchTemplateData"])


@pytest.mark.parametrize("fragments", [PCS, EKS, BATCH])
def test_instances_are_as_the_user_wants_them(fragments: Fragments) -> None:
    text = "key_name: platform, detailed_monitoring: true, imds: v1.0, imds_hops: 5"
    data = launch_data(fragments, fragments.target, text)
    assert (data["KeyName"], data["Monitoring"]) == ("platform", {"Enabled": True})
    metadata = {"HttpTokens": "optional", "HttpPutResponseHopLimit": 5, "HttpEndpoint": "enabled"}
    assert data["MetadataOptions"] == metadata


def test_nodes_of_karpenter_are_so_too() -> None:
    text = SCALED + options("eks", "detailed_monitoring: true, imds: v1.0, imds_hops: 2")
    manifest = EKS.files(text)["manifests/karpenter.yaml"]
    for line in ("httpTokens: optional", "httpPutResponseHopLimit: 2", "detailedMonitoring: true"):
        assert line in manifest


def test_a_key_pair_of_any_target_is_looked_up_before_deployment() -> None:
    for fragments in (PCS, EKS, BATCH):
        plan = fragments.plan(options(fragments.target, "key_name: platform"))
        assert plan.existing.named["key_name"] == "platform"


@pytest.mark.parametrize(
    ("fragments", "file"),
    [
        (PCS, "cluster.template.json"),
        (BATCH, "cluster.template.json"),
        (SLURM, "create-cluster.json"),
    ],
)
def test_nodes_with_groups_of_their_own_have_only_those(fragments: Fragments, file: str) -> None:
    text = options(fragments.target, "leave_out: [security-groups]") + GROUPS
    assert "NET041" in fragments.codes(text)
    lists = list(group_lists(fragments.document(file, text)))
    assert [OWN] in lists
    assert not any(OWN in found and len(found) > 1 for found in lists)


@pytest.mark.parametrize("fragments", [PCS, BATCH, SLURM])
def test_groups_are_left_out_only_where_nodes_have_others(fragments: Fragments) -> None:
    text = options(fragments.target, "leave_out: [security-groups]")
    assert "NET051" in fragments.codes(text)
    assert "NET051" not in fragments.codes(text + GROUPS)


def test_groups_of_parallelcluster_are_left_out_only_where_nodes_have_others() -> None:
    name = "parallelcluster"
    assert "NET110" in codes(options(name, "leave_out: [service-groups, security-groups]"), name)
    assert "NET110" not in codes(options(name, "leave_out: [service-groups]"), name)


def test_groups_in_place_of_those_of_the_foundation_leave_nothing_to_leave_out() -> None:
    network = "vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]"
    existing = f"network: {{{network}, security_groups: [{OWN}]}}\n"
    text = options("parallelcluster", "leave_out: [security-groups]")
    assert "NET112" in codes(existing + text, "parallelcluster")
    assert "NET112" not in codes(text, "parallelcluster")


def test_nodes_of_eks_keep_the_group_of_the_cluster() -> None:
    text = options("eks", "leave_out: [security-groups]") + GROUPS
    lists = list(group_lists(EKS.template(text)))
    cluster = {"Fn::GetAtt": ["Cluster", "ClusterSecurityGroupId"]}
    assert [cluster, OWN] in lists
    assert [cluster] in lists, "system nodes"


def group_lists(document: Any) -> Any:
    """All lists of security groups in a document."""
    if isinstance(document, dict):
        for key, value in document.items():
            if key in ("SecurityGroupIds", "Groups"):
                yield value
            yield from group_lists(value)
    elif isinstance(document, list):
        for item in document:
            yield from group_lists(item)


@pytest.mark.parametrize("fragments", [EKS, BATCH, PCS])
def test_nodes_without_session_manager(fragments: Fragments) -> None:
    text = options(fragments.target, "leave_out: [session-manager]")
    assert "IAM006" in fragments.codes(text)
    files = fragments.files(text)
    assert "ssmmessages" not in "".join(t for path, t in files.items() if "template" in path)
    assert "--login --node" not in files["README.md"]


@pytest.mark.parametrize("fragments", [EKS, KUBERNETES])
def test_a_control_plane_without_logs_and_key(fragments: Fragments) -> None:
    text = options(fragments.target, "leave_out: [control-plane-logs, secrets-key]")
    file = "cluster.template.json" if fragments is EKS else "eks.template.json"
    resources = fragments.document(file, text)["Resources"]
    assert not {"Logging", "EncryptionConfig"} & resources["Cluster"]["Properties"].keys()
    assert not {"ClusterKey", "ClusterLogs"} & resources.keys()


def test_a_cluster_without_the_driver_of_ebs_has_no_class_of_its_volumes() -> None:
    files = EKS.files(options("eks", "leave_out: [ebs-driver, node-monitoring]"))
    resources = json.loads(files["cluster.template.json"])["Resources"].values()
    addons = [each["Properties"] for each in resources if each["Type"] == "AWS::EKS::Addon"]
    names = {addon["AddonName"] for addon in addons}
    assert not {"aws-ebs-csi-driver", "eks-node-monitoring-agent"} & names
    assert not any("ebs.csi.aws.com" in text for text in files.values())


def test_queues_of_batch_keep_jobs_that_cannot_start() -> None:
    text = options("batch", "leave_out: [stuck-jobs]")
    assert "JobStateTimeLimitActions" not in json.dumps(BATCH.template(text))


@pytest.mark.parametrize(
    ("target", "key", "words"),
    [
        ("eks", "directory", "kubernetes.access"),
        ("hyperpod-eks", "directory", "kubernetes.access"),
        ("batch", "directory", "users of their images"),
        ("batch", "provisioning", "an option of hyperpod-eks and hyperpod-slurm"),
        ("hyperpod-slurm", "directory", "software.scripts"),
        ("pcs", "own_security_groups", "leave_out: [security-groups]"),
        ("pcs", "memory_scheduling", "SelectTypeParameters"),
        ("hyperpod-slurm", "key_name", "ssh_key of users"),
        ("hyperpod-slurm", "imds_hops", "HyperPod configures"),
        ("parallelcluster", "imds_hops", "modify-instance-metadata-defaults"),
        ("parallelcluster", "cluster", "import --adopt"),
        ("eks", "version", "kubernetes.version"),
    ],
)
def test_an_option_of_another_target_is_not_a_misspelt_one(
    target: str, key: str, words: str
) -> None:
    # The value has the form of the option that the key resembles: nothing follows from that.
    found = Fragments(target).findings(options(target, f"{key}: [x]"))
    [finding] = [each for each in found if each.code.startswith("SPC")]
    assert finding.code == "SPC020"
    assert words in finding.help
    assert finding.fix is None


@pytest.mark.parametrize("fragments", [SLURM, KUBERNETES])
def test_session_manager_of_hyperpod_is_left_out_by_a_role(fragments: Fragments) -> None:
    found = fragments.findings(options(fragments.target, "leave_out: [session-manager]"))
    [finding] = [each for each in found if each.code == "SPC023"]
    assert "iam.role" in finding.help


def test_the_readme_says_what_follows_standard_support() -> None:
    assert "charges for extended support" in EKS.files("")["README.md"]
    upgraded = EKS.files("kubernetes: {support: standard}")["README.md"]
    assert "EKS then upgrades the control plane" in upgraded
