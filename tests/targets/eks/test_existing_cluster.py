"""Node groups that are added to an existing EKS cluster."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clustergen.analysis.graph import diagram
from clustergen.base.findings import EXAMPLE_BASE, Severity
from clustergen.base.text_lists import word_set
from clustergen.services import cost
from clustergen.targets import load
from tests.support.checking import check
from tests.support.cloud.clusters import ENDPOINT, Group
from tests.support.cloud.commands import Bundle, reaching
from tests.targets.eks.planned import EKS, launch_template_of, plan_of, resources, template_of

pytestmark = pytest.mark.scenarios(6)

GROUP = "sg-0a1b2c3d4e5f67891"
VPC = "vpc-0a1b2c3d4e5f67890"
NODES = "node_groups: [{name: h200, count: 2}]\n"
IN_PLATFORM = f"""
network:
  vpc: {VPC}
  zone: use1-az6
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}}]
kubernetes: {{version: "1.35"}}
targets: {{eks: {{cluster: platform}}}}
"""
SPEC = NODES + IN_PLATFORM
STORED = SPEC + "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB}]\n"
DRIVERS = ("InstallEksPodIdentityAgent", "InstallAwsFsxCsiDriver")
CLUSTER: dict[str, Any] = {
    "version": "1.35",
    "endpoint": ENDPOINT,
    "certificateAuthority": {"data": "LS0t"},
    "kubernetesNetworkConfig": {"serviceIpv4Cidr": "172.20.0.0/16"},
    "resourcesVpcConfig": {"vpcId": VPC, "clusterSecurityGroupId": GROUP},
}


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    """A bundle, and an account in which the cluster has another node group."""
    with reaching(tmp_path, EKS.files(SPEC)) as made:
        made.account.eks.existing["platform"] = dict(CLUSTER)
        made.account.eks.groups["theirs"] = Group("theirs", 3, 8, 3, 0)
        yield made


def sizes(bundle: Bundle) -> dict[str, tuple[int, int]]:
    return {g.name: (g.minimum, g.desired) for g in bundle.account.eks.groups.values()}


def test_only_what_is_added_is_in_the_template() -> None:
    types = {resource["Type"] for resource in template_of(SPEC)["Resources"].values()}
    assert types == word_set("""
        AWS::EC2::LaunchTemplate AWS::EC2::PlacementGroup AWS::EKS::Nodegroup AWS::IAM::Role
    """)
    (group,) = resources(template_of(SPEC), "AWS::EKS::Nodegroup").values()
    assert (group["ClusterName"], group["Version"]) == ("platform", "1.35")
    assert "Cluster." not in json.dumps(template_of(SPEC)["Resources"])


def test_nodes_have_the_security_group_of_the_cluster() -> None:
    interfaces = launch_template_of(SPEC)["NetworkInterfaces"]
    assert all({"Ref": "EksSecurityGroupId"} in each["Groups"] for each in interfaces)
    given = SPEC.replace("platform}", f"platform, cluster_security_group: {GROUP}}}")
    assert GROUP in launch_template_of(given)["NetworkInterfaces"][0]["Groups"]
    assert "EksSecurityGroupId" not in template_of(given)["Parameters"]


def test_nodes_with_an_image_of_their_own_know_the_cluster() -> None:
    own = SPEC.replace("count: 2", "count: 2, image: ami-0a1b2c3d4e5f67890")
    text = launch_template_of(own)["UserData"]["Fn::Base64"]["Fn::Sub"]
    for name in ("EksEndpoint", "EksCertificateAuthority", "EksServiceCidr"):
        assert f"${{{name}}}" in text
        assert name in template_of(own)["Parameters"]


def test_nodes_begin_with_the_version_of_the_cluster_where_the_spec_has_none() -> None:
    unknown = SPEC.replace('kubernetes: {version: "1.35"}\n', "")
    (group,) = resources(template_of(unknown), "AWS::EKS::Nodegroup").values()
    assert "Version" not in group


def test_the_cluster_is_not_on_the_bill() -> None:
    lines = cost.bill(plan_of(SPEC), load("eks").fees).lines
    assert "control plane" not in {line.name for line in lines}
    assert "system nodes" not in {line.name for line in lines}


def test_the_picture_names_the_cluster() -> None:
    box = next(b for b in diagram(plan_of(SPEC), load("eks")).all() if b.kind == "service")
    assert "existing cluster platform" in box.lines


def test_calls_of_the_schedules_name_the_cluster() -> None:
    dates = "starts: 2026-12-10T11:30:00Z, ends: 2026-12-17T11:30:00Z"
    capacity = f"capacity: {{capacity_block: cr-0a1b2c3d4e5f67890, {dates}}}"
    files = EKS.files(SPEC.replace("count: 2", f"count: 2, {capacity}"))
    text = files["schedule.template.json"].replace("\\", "")
    assert len(re.findall('"ClusterName": ?"platform"', text)) == 2
    assert ":nodegroup/platform/h200/*" in text


def test_what_cannot_be_in_an_existing_cluster_is_rejected() -> None:
    wrong = {
        "targets: {eks: {install: stack}}": "K8S547",
        "kubernetes: {autoscaler: karpenter}": "K8S547",
        "node_groups: [{name: h200, mig: {1g.18gb: 7}}]": "K8S547",
        "monitoring: {metrics: self-hosted}": "MON500",
        "kubernetes: {admins: ['arn:aws:iam::111122223333:role/a']}": "K8S545",
        "kubernetes: {admission: kueue}": "K8S545",
    }
    for fragment, code in wrong.items():
        checked = check(EXAMPLE_BASE, SPEC, fragment, target="eks")
        assert code in {finding.code for finding in checked.findings}, fragment


def test_deploying_twice_and_deleting_leave_the_cluster(bundle: Bundle) -> None:
    for _ in range(2):
        bundle.deployed()
        assert sizes(bundle) == {"theirs": (3, 3), "h200": (2, 2)}
    stack = bundle.account.cloudformation.stacks["example-eks"]
    assert stack.parameters["EksSecurityGroupId"] == GROUP
    bundle.deployed("--destroy")
    assert sizes(bundle) == {"theirs": (3, 3)}
    assert "example-eks" not in bundle.account.cloudformation.stacks
    assert bundle.account.eks.existing["platform"]


def test_the_content_of_the_cluster_is_checked_before_and_removed_first(bundle: Bundle) -> None:
    bundle.deployed()
    first = bundle.order("api-resources", "create-change-set")
    assert list(dict.fromkeys(first)) == ["api-resources", "create-change-set"]
    bundle.deployed("--destroy")
    last = bundle.order("helm list --all-namespaces", "delete-stack")
    assert list(dict.fromkeys(last)) == ["helm list --all-namespaces", "delete-stack"]


def test_nodes_are_deleted_where_the_cluster_does_not_exist(bundle: Bundle) -> None:
    bundle.deployed()
    bundle.account.eks.existing.clear()
    assert "platform does not exist" in bundle.deployed("--destroy").stderr
    assert sizes(bundle) == {"theirs": (3, 3)}


def test_a_cluster_that_is_being_deleted_does_not_stop_the_deletion(bundle: Bundle) -> None:
    bundle.deployed()
    bundle.account.eks.status = "DELETING"
    assert "platform is DELETING" in bundle.deployed("--destroy").stderr
    assert bundle.account.calling("kubectl") == []
    assert bundle.account.calling("delete-stack", "example-eks")


def test_a_pause_is_one_of_the_added_groups(bundle: Bundle) -> None:
    bundle.deployed()
    for action, size in (("--pause", 0), ("--resume", 2)):
        bundle.deployed(action)
        assert sizes(bundle) == {"theirs": (3, 3), "h200": (size, size)}


def test_a_failed_deployment_continues(bundle: Bundle) -> None:
    bundle.account.broken["NodeGroupH200"] = "the role does not exist"
    assert bundle.deploy().returncode == 2
    bundle.account.broken.clear()
    bundle.account.fail("helm upgrade --install aws-efa", ("", "no connection"))
    assert bundle.deploy().returncode != 0
    bundle.deployed()
    assert sizes(bundle) == {"theirs": (3, 3), "h200": (2, 2)}


@pytest.mark.parametrize(
    ("cluster", "words"),
    [
        (None, "there is no EKS cluster platform"),
        ({"status": "CREATING"}, "platform is CREATING"),
        ({"version": "1.34"}, 'write kubernetes.version: "1.34"'),
        ({"version": "1.36"}, 'Write kubernetes.version: "1.36"'),
        (
            {"resourcesVpcConfig": {"vpcId": "vpc-0f", "clusterSecurityGroupId": GROUP}},
            "write network.vpc: vpc-0f",
        ),
    ],
)
def test_nothing_changes_where_the_cluster_does_not_fit(
    bundle: Bundle, cluster: dict[str, Any] | None, words: str
) -> None:
    existing = bundle.account.eks.existing
    if cluster is None:
        existing.clear()
    else:
        existing["platform"] = {**CLUSTER, **cluster}
    bundle.stops(words)
    assert bundle.account.cloudformation.stacks == {}


@pytest.mark.parametrize(("version", "status"), [("1.33", 2), ("1.34", 0)])
def test_claims_need_a_cluster_that_has_them(bundle: Bundle, version: str, status: int) -> None:
    bundle.render(EKS.files(SPEC.replace('version: "1.35"', "devices: dra")))
    bundle.account.eks.existing["platform"] = {**CLUSTER, "version": version}
    done = bundle.deploy()
    assert done.returncode == status, done.stderr
    assert ("which has no device claims" in done.stderr) == (status == 2)
    assert bool(bundle.account.cloudformation.stacks) == (status == 0)


def test_nothing_changes_without_access_to_the_cluster(bundle: Bundle) -> None:
    bundle.account.fail("get --raw /readyz", ("", "Unauthorized"))
    bundle.stops("ask its owner for access")
    assert bundle.account.cloudformation.stacks == {}


def test_drivers_that_the_cluster_lacks_are_installed_and_stay(bundle: Bundle) -> None:
    bundle.render(EKS.files(STORED))
    bundle.account.eks.addon = False
    bundle.deployed()
    parameters = bundle.account.cloudformation.stacks["example-eks"].parameters
    assert [parameters[name] for name in DRIVERS] == ["yes", "yes"]
    # They are there now, and they are of the stack.
    bundle.account.eks.addon = True
    bundle.deployed()
    parameters = bundle.account.cloudformation.stacks["example-eks"].parameters
    assert [parameters[name] for name in DRIVERS] == ["yes", "yes"]


def test_a_rolled_back_creation_has_no_drivers(bundle: Bundle) -> None:
    """Its parameters say yes. Others have installed the drivers since."""
    bundle.render(EKS.files(STORED))
    bundle.account.eks.addon = False
    bundle.account.broken["NodeGroupH200"] = "the role does not exist"
    assert bundle.deploy().returncode == 2
    stack = bundle.account.cloudformation.stacks["example-eks"]
    assert (stack.status, stack.parameters[DRIVERS[0]]) == ("ROLLBACK_COMPLETE", "yes")
    bundle.account.broken.clear()
    bundle.account.eks.addon = True
    bundle.deployed()
    parameters = bundle.account.cloudformation.stacks["example-eks"].parameters
    assert [parameters[name] for name in DRIVERS] == ["no", "no"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("version", "status"), [("v1.18.4", 2), ("v1.9.30", 2), ("v1.18.5-eksbuild.1", 0), ("", 0)]
)
def test_efa_only_interfaces_need_a_new_vpc_cni(bundle: Bundle, version: str, status: int) -> None:
    bundle.account.cni = version and f"example.com/eks/amazon-k8s-cni:{version}"
    done = bundle.deploy()
    assert done.returncode == status, done.stderr
    assert ("need v1.18.5 or newer" in done.stderr) == (status == 2)
    assert ("example-eks" in bundle.account.cloudformation.stacks) == (status == 0)


def test_drivers_of_others_are_used(bundle: Bundle) -> None:
    bundle.render(EKS.files(STORED))
    assert "aws-fsx-csi-driver is already installed in platform" in bundle.deployed().stderr
    parameters = bundle.account.cloudformation.stacks["example-eks"].parameters
    assert [parameters[name] for name in DRIVERS] == ["no", "no"]
    template = template_of(STORED)
    driver = template["Resources"]["AddonAwsFsxCsiDriver"]
    assert driver["Condition"] == "AddonAwsFsxCsiDriverIsOurs"


def test_drivers_stay_when_the_stack_is_deleted(bundle: Bundle) -> None:
    bundle.render(EKS.files(STORED))
    bundle.account.eks.addon = False
    bundle.deployed()
    bundle.deployed("--destroy")
    stayed = {kind for kind, _ in bundle.account.cloudformation.orphans}
    assert {"AWS::EKS::Addon", "AWS::IAM::Role"} <= stayed
    assert "AWS::EKS::Nodegroup" not in stayed
    [line] = [each for each in _readme(STORED).splitlines() if "--destroy` leaves" in each]
    assert "eks-pod-identity-agent and aws-fsx-csi-driver" in line


def test_nodes_can_assign_addresses_where_the_vpc_cni_has_no_role() -> None:
    policies = "iam: {policies: ['arn:aws:iam::aws:policy/ReadOnlyAccess']}"
    for spec in (SPEC, SPEC.replace("count: 2", f"count: 2, {policies}")):
        roles = resources(template_of(spec), "AWS::IAM::Role").values()
        assert all("AmazonEKS_CNI_Policy" in json.dumps(role) for role in roles)
    alone = template_of(NODES)["Resources"]["NodeRole"]
    assert "AmazonEKS_CNI_Policy" not in json.dumps(alone)


def _readme(spec: str) -> str:
    return EKS.files(spec)["README.md"]


def test_nothing_changes_where_others_have_a_group_of_the_name(bundle: Bundle) -> None:
    bundle.account.eks.groups["h200"] = Group("h200", 1, 4, 2, 0)
    bundle.stops("platform has a node group h200")
    assert bundle.account.cloudformation.stacks == {}


def test_the_change_is_reviewed_before_the_foundation_changes(bundle: Bundle) -> None:
    """Its parameters need facts of the cluster."""
    bundle.deployed()
    changed = SPEC.replace("count: 2", "count: 2, image: ami-0a1b2c3d4e5f67899")
    bundle.render(EKS.files(f"{changed}storage: [{{mount: /data, type: efs}}]\n"))
    for more in ((), ("--plan",)):
        bundle.stops("would replace NodeGroupH200", *more)
        assert bundle.account.calling("execute-change-set") == []


def test_a_pause_leaves_a_group_of_others_with_the_same_name(bundle: Bundle) -> None:
    bundle.account.broken["NodeGroupH200"] = "the role does not exist"
    assert bundle.deploy().returncode == 2
    bundle.account.eks.groups["h200"] = Group("h200", 1, 4, 2, 0)
    for action in ("--pause", "--resume"):
        assert "not in the stack example-eks" in bundle.deployed(action).stderr
        assert sizes(bundle) == {"theirs": (3, 3), "h200": (1, 2)}


def test_groups_stay_behind_a_cluster_that_was_upgraded(bundle: Bundle) -> None:
    bundle.deployed()
    bundle.account.eks.existing["platform"] = {**CLUSTER, "version": "1.36"}
    bundle.deployed()
    assert sizes(bundle) == {"theirs": (3, 3), "h200": (2, 2)}


def test_addresses_are_counted_with_the_defaults_of_the_vpc_cni() -> None:
    assert plan_of(SPEC).network.needed_addresses == 2 * 100
    small = SPEC.replace("use1-az6}]", "use1-az6, cidr: 10.20.0.0/25}]")
    (found,) = (f for f in check(EXAMPLE_BASE, small, target="eks").findings if f.code == "NET010")
    assert found.severity is Severity.WARNING


def test_logs_are_those_of_the_owner() -> None:
    lines = cost.bill(plan_of(SPEC), load("eks").fees).lines
    assert "logs" not in {line.name for line in lines}
    assert "logs" in {line.name for line in cost.bill(plan_of(NODES), load("eks").fees).lines}


def test_every_command_of_the_readme_names_the_region() -> None:
    commands = re.findall("`(aws (?:ec2|eks|fsx) [^`]+)`", _readme(STORED))
    calls = [each for each in commands if " --" in each]
    assert calls
    assert all("--region us-east-1" in each for each in calls)


QUEUED = SPEC + "queues: [{name: train, node_groups: [h200]}]\n"
README: list[tuple[str, list[str], list[str]]] = [
    # Words, the specs whose README has them, and those whose README does not have them.
    ("AmazonEKSClusterAdminPolicy", [SPEC], [NODES]),
    ("Cluster Autoscaler", [SPEC], [NODES]),
    ("`security_groups`", [SPEC], [NODES]),
    # The owner's Kueue may hold every job that names no queue.
    ("manageJobsWithoutQueueName", [SPEC], [QUEUED]),
    ("kubectl label job", [STORED], [SPEC]),
    # Node repair depends on an add-on of the owner.
    ("platform has the add-on `eks-node-monitoring-agent`", [SPEC], []),
    ("without it, repair sees only", [], [NODES]),
    # Nodes assign addresses where the VPC CNI has no role, with its defaults.
    ("AmazonEKS_CNI_Policy", [SPEC], []),
    ("(`nvidia.com/gpu`, `team`)", [SPEC.replace("count", "taints: [{key: team}], count")], []),
    ("AWSServiceRoleForAmazonEKS,", [], [SPEC]),
    ("up to 100 addresses", [SPEC], []),
    # Logs are those of the owner, and so are the network and the data.
    ("/aws/eks/platform", [], [SPEC]),
    ("Storage and network", [], [SPEC]),
    ("After `./deploy.sh --destroy`, the foundation remains", [STORED], []),
]


@pytest.mark.parametrize(("words", "present", "absent"), README)
def test_the_readme_says_what_the_owner_decides(
    words: str, present: list[str], absent: list[str]
) -> None:
    assert all(words in _readme(spec) for spec in present)
    assert not any(words in _readme(spec) for spec in absent)


def test_nodes_with_an_image_of_their_own_join_a_newer_cluster(tmp_path: Path) -> None:
    own = SPEC.replace("count: 2", "count: 2, image: ami-0a1b2c3d4e5f67890")
    with reaching(tmp_path, EKS.files(own)) as bundle:
        bundle.account.eks.existing["platform"] = {**CLUSTER, "version": "1.36"}
        bundle.deployed()
        assert sizes(bundle) == {"h200": (2, 2)}


def test_nodes_of_others_are_neither_shown_nor_ended(bundle: Bundle) -> None:
    bundle.deployed()
    system = json.loads(bundle.folder.joinpath("bundle.json").read_text())["service"][
        "system_group"
    ]
    bundle.account.eks.groups[system] = Group(system, 2, 2, 2, 0)
    shown = bundle.deployed("--status").stdout
    assert "i-h200-0" in shown
    assert "theirs" not in shown
    assert system not in shown
    bundle.stops("no node", "--replace", "--yes", "--node", f"i-{system}-0")
