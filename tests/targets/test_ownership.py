"""deploy.sh changes and deletes only what is its own, in an account that remembers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from clustergen.deployment.model import Mark
from clustergen.services.aws import marks
from tests.support.cloud.account import THROTTLED, Account
from tests.support.cloud.clusters import Group
from tests.support.cloud.commands import Bundle, reaching
from tests.support.cloud.moments import Exactly
from tests.support.cloud.stacks import Stack
from tests.targets.test_deployments import STORAGE, TAGGED, TARGETS, changed, deployed, files, last

pytestmark = [pytest.mark.scenarios(6), pytest.mark.sampled(3)]

LOSING = STORAGE.replace("500}", "500, efa: true}")
WATCHED = STORAGE + "monitoring: {metrics: managed-prometheus, alerts: {email: [me@example.com]}}\n"
ACTIONS = ("", "--foundation", "--pause", "--resume", "--destroy")
CHANGING = re.compile(
    r" (?:create|execute|update|delete|put|add|deregister)-|s3 (cp|rm)|kubectl|helm"
)
THEIRS = {"Description": "Databases", "Resources": {"Main": {"Type": "AWS::RDS::DBCluster"}}}


@pytest.fixture
def bundle(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files(request.param, watched(request.param))) as made:
        yield made


def watched(target: str) -> str:
    return STORAGE if target == "batch" else WATCHED


def on(*targets: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("bundle", targets, indirect=True)


def refused(bundle: Bundle, words: str, *arguments: str) -> None:
    """A run that stops before anything changes."""
    bundle.stops(words, *arguments, last=True)
    assert [call for call in bundle.account.calls if CHANGING.search(call)] == []


def put(bundle: Bundle, name: str, template: object, status: str = "CREATE_COMPLETE") -> None:
    stack = Stack(name, status, json.loads(json.dumps(template)))
    stack.ids = dict.fromkeys(stack.resources, "0a1b")
    bundle.account.cloudformation.stacks[name] = stack


@on("pcs")
@pytest.mark.parametrize("kind", ["foundation", "pcs", "pcs-monitoring", "pcs-schedule"])
def test_a_stack_of_others_stops_every_action(bundle: Bundle, kind: str) -> None:
    put(bundle, f"example-{kind}", THEIRS)
    for action in ACTIONS:
        refused(bundle, f"the stack example-{kind} is not this bundle's", *action.split())
    if kind == "foundation":
        refused(bundle, "describes itself as 'Databases'", "--destroy-foundation")


@on("eks")
def test_the_stack_of_another_target_or_a_failed_one_is_not_ours(bundle: Bundle) -> None:
    mark = marks.marked(THEIRS, Mark("example", "hyperpod-eks"))
    put(bundle, "example-eks", mark)
    refused(bundle, '"target":"hyperpod-eks"')
    put(bundle, "example-eks", THEIRS, "ROLLBACK_COMPLETE")
    refused(bundle, "the stack example-eks is not this bundle's")


@on(*TARGETS)
def test_stacks_of_earlier_versions_are_known_and_marked(bundle: Bundle) -> None:
    deployed(bundle)
    stacks = bundle.account.cloudformation.stacks
    for stack in stacks.values():
        assert stack.template.pop("Metadata")["clustergen"]["cluster"] == "example"
    target = _target(bundle)
    bundle.render(files(target, watched(target) + TAGGED.removeprefix(STORAGE)))
    said = changed(bundle, target)
    for name, stack in stacks.items():
        assert said.count(f"{name} is of an earlier version") == 1
        assert "clustergen" in stack.template["Metadata"]
    assert "earlier version" not in deployed(bundle)


def _target(bundle: Bundle) -> str:
    return str(json.loads((bundle.folder / "bundle.json").read_text())["target"])


ADOPTING = STORAGE + "targets: {pcs: {overlay: {Description: Research}}}\n"


def test_an_adopted_stack_is_known_by_its_cluster(tmp_path: Path) -> None:
    with reaching(tmp_path, files("pcs", ADOPTING)) as bundle:
        deployed(bundle)
        template = bundle.account.cloudformation.stacks["example-pcs"].template
        del template["Metadata"]
        template["Description"] = "PCS of the lab"
        deployed(bundle)
        template["Resources"]["Own"] = template["Resources"].pop("Cluster")
        ids = bundle.account.cloudformation.stacks["example-pcs"].ids
        ids["Own"] = ids.pop("Cluster")
        refused(bundle, "describes itself as 'PCS of the lab'")


@on("hyperpod-slurm")
def test_a_hyperpod_cluster_of_others_is_left_alone(bundle: Bundle) -> None:
    deployed(bundle)
    bundle.account.hyperpod.request["VpcConfig"] = {"SecurityGroupIds": ["sg-other"]}
    for group in bundle.account.hyperpod.sent.values():
        group["ExecutionRole"] = "arn:aws:iam::111122223333:role/other"
        group["LifeCycleConfig"] = {"SourceS3Uri": "s3://other/lifecycle/"}
    for action in ACTIONS:
        refused(bundle, "none of the roles and security groups of this bundle", *action.split())


@on("parallelcluster")
def test_a_parallelcluster_of_others_is_left_alone(bundle: Bundle) -> None:
    deployed(bundle)
    bundle.account.pcluster.configuration = "HeadNode: {Networking: {SubnetId: subnet-1}}"
    for action in ACTIONS:
        refused(bundle, "a cluster example with a head node in a network", *action.split())


@on("eks", "hyperpod-eks")
def test_an_eks_cluster_of_others_is_left_alone(bundle: Bundle) -> None:
    """Its creation failed, as the name is taken: --destroy would delete node pools in it."""
    bundle.account.eks.clusters.add("example")
    for action in ACTIONS:
        refused(bundle, "an EKS cluster example, and the stack example-eks", *action.split())


@on("pcs")
def test_another_account_stops_every_action(bundle: Bundle) -> None:
    assert "Account 111122223333, region us-east-1, as arn:" in deployed(bundle)
    bundle.account.number = "444455556666"
    for action in (*ACTIONS, "--destroy-foundation"):
        refused(bundle, "this bundle is deployed elsewhere", *action.split())
    (bundle.folder / "deployed.json").unlink()
    deployed(bundle)
    for action in ("--destroy", "--destroy-foundation"):
        deployed(bundle, action)
    assert not (bundle.folder / "deployed.json").exists()


def test_what_the_spec_names_has_to_be_in_the_account(tmp_path: Path) -> None:
    arn = "arn:aws:eks:us-east-1:444455556666:cluster/training"
    text = f"{STORAGE}targets: {{hyperpod-eks: {{eks_cluster: '{arn}'}}}}\n"
    with reaching(tmp_path, files("hyperpod-eks", text)) as bundle:
        refused(bundle, "the spec names what is in the account 444455556666")


@on("pcs")
def test_a_refusal_names_all_reasons_at_once(bundle: Bundle) -> None:
    deployed(bundle)
    deployed(bundle, "--destroy")
    account = bundle.account
    account.interfaces = [{"NetworkInterfaceId": "eni-1", "Attachment": {"InstanceId": "i-1"}}]
    account.clusters_of_others = {"other": {"ClusterArn": account.output("ScriptsBucketName")}}
    resources = account.cloudformation.stacks["example-foundation"].resources
    resources["StorageFsx"].pop("DeletionPolicy")
    for words in ("eni-1 (i-1), HyperPod cluster other", "does not keep StorageFsx"):
        refused(bundle, words, "--destroy-foundation")


@on("pcs", "eks", "batch")
def test_one_refusal_is_about_foundation_and_cluster(bundle: Bundle) -> None:
    deployed(bundle)
    target = _target(bundle)
    bundle.render(files(target, LOSING + "tags: {team: research}\n"))
    done = bundle.deploy()
    assert done.returncode == 2
    for words in (
        "would replace StorageFsx",
        "And the change would",
        f"changed in example-{target}.",
    ):
        assert words in last(done.stderr), done.stderr
    assert bundle.account.calling("execute-change-set") == []
    assert all(not each.change_sets for each in bundle.account.cloudformation.stacks.values())
    deployed(bundle, "--allow-replacement")


@on(*TARGETS)
def test_a_foundation_stays_while_something_refers_to_it(bundle: Bundle) -> None:
    """A Batch cluster at rest has neither instances nor interfaces, only a stack."""
    account = bundle.account
    deployed(bundle)
    deployed(bundle, "--destroy")
    put(bundle, "another", THEIRS)
    values = account.output("ScriptsBucketName"), account.output("ClusterSecurityGroupId")
    account.cloudformation.stacks["another"].parameters = {"Given": values[1]}
    refused(bundle, "these still use the foundation: the stack another", "--destroy-foundation")
    del account.cloudformation.stacks["another"]
    shown = {"NetworkInterfaceId": "eni-1", "Attachment": {"InstanceId": "i-1"}}
    account.interfaces = [shown]
    refused(bundle, "use the foundation: eni-1 (i-1)", "--destroy-foundation")
    account.interfaces = []
    account.clusters_of_others = {"other": {"ClusterArn": f"s3://{values[0]}/lifecycle"}}
    refused(bundle, "use the foundation: HyperPod cluster other", "--destroy-foundation")


@on("pcs", "parallelcluster")
def test_a_foundation_stays_while_rules_of_others_name_its_groups(bundle: Bundle) -> None:
    account, destroy = bundle.account, "--destroy-foundation"
    deployed(bundle)
    deployed(bundle, "--destroy")
    own = account.output("ClusterSecurityGroupId"), "storagesecuritygroup-0a1b"
    account.naming = [("", own[0]), ("egress.", own[1]), ("egress.", "sg-2"), ("", "sg-1")]
    refused(bundle, "rules of sg-1, sg-2 name security groups of the foundation", destroy)
    account.fail("describe-security-groups", ("UnauthorizedOperation", "not you"))
    refused(bundle, "cannot be known: ", destroy)
    # What is not known of one service says nothing about the answers of another.
    account.fail("sagemaker list-clusters", ("AccessDeniedException", "not you"))
    refused(bundle, "rules of sg-1, sg-2 name", destroy, "--allow-replacement")
    account.naming = [("", own[0]), ("egress.", own[1])]
    deployed(bundle, destroy)


@on("eks")
def test_a_failed_question_is_not_an_answer(bundle: Bundle) -> None:
    """A throttled list of clusters is not an empty one."""
    account, destroy = bundle.account, "--destroy-foundation"
    deployed(bundle)
    deployed(bundle, "--destroy")
    account.fail("sagemaker list-clusters", THROTTLED, times=10)
    refused(bundle, "this AWS command failed: ", destroy)
    every = "aws --region us-east-1 cloudformation describe-stacks"
    account.faults.append(Exactly(every, "AccessDenied", "not you", 1))
    refused(bundle, "cannot be known: ", destroy)
    every = "aws --region us-east-1 cloudformation describe-stacks"
    account.faults.append(Exactly(every, "AccessDenied", "not you", 1))
    deployed(bundle, destroy, "--allow-replacement")


@on("hyperpod-slurm", "parallelcluster", "eks")
def test_an_empty_answer_is_not_an_absent_cluster(bundle: Bundle) -> None:
    deployed(bundle)
    account = bundle.account
    if _target(bundle) == "parallelcluster":
        account.pcluster.silent = True
    elif _target(bundle) == "eks":
        account.answers["cloudformation describe-stacks"] = {"Stacks": [{}]}
    else:
        account.answers["sagemaker describe-cluster"] = {}
    for action in ("--destroy", "--destroy-foundation"):
        bundle.stops("answered this with nothing", action)
        assert account.calling("delete-") == []


def add(account: Account, target: str) -> None:
    """Let there be a node group of others."""
    if target in ("pcs", "eks"):
        getattr(account, target).groups["theirs"] = Group("theirs", 3, 8, 3)
    else:
        account.hyperpod.groups["theirs"] = account.hyperpod.current["theirs"] = 3


def theirs(account: Account) -> list[object]:
    groups = (account.pcs.groups, account.eks.groups)
    found = [(g.minimum, g.desired) for each in groups for g in each.values() if g.name == "theirs"]
    return [*found, account.hyperpod.groups.get("theirs")]


@on("pcs", "eks", "hyperpod-slurm", "hyperpod-eks")
def test_node_groups_of_others_keep_their_nodes(bundle: Bundle) -> None:
    """Another bundle joins the cluster of this one: its nodes stay, and so does the cluster."""
    deployed(bundle)
    target = _target(bundle)
    add(bundle.account, target)
    before = theirs(bundle.account)
    for action in ("--pause", "--resume"):
        deployed(bundle, action)
        assert theirs(bundle.account) == before
    refused(bundle, " group theirs. ", "--destroy")
    if target == "hyperpod-eks":
        del bundle.account.hyperpod.groups["theirs"]
        add(bundle.account, "eks")
        refused(bundle, "not this bundle's: the node group theirs. ", "--destroy")
    if "eks" in target:
        bundle.account.eks.profiles += ["batch", "web"]
        refused(bundle, "theirs, the Fargate profile batch, the Fargate profile web. ", "--destroy")
        bundle.account.eks.profiles.clear()
    account = bundle.account
    for groups in (account.hyperpod.groups, account.pcs.groups, account.eks.groups):
        groups.pop("theirs", None)
    deployed(bundle, "--destroy")


@on("pcs", "eks")
def test_a_failed_node_group_does_not_stop_a_pause(bundle: Bundle) -> None:
    deployed(bundle)
    target = _target(bundle)
    groups = getattr(bundle.account, target).groups
    failed = next(each for each in groups.values() if each.name != "system_nodes")
    failed.status = {"pcs": "DELETE_FAILED", "eks": "CREATE_FAILED"}[target]
    groups["other"] = other = type(failed)("other", 2, 2, 2)
    made = bundle.account.cloudformation.stacks[f"example-{target}"]
    made.resources["Other"] = {"Type": "AWS::PCS::ComputeNodeGroup"}
    made.ids["Other"] = "other"
    before = failed.minimum, failed.desired
    done = bundle.deploy("--pause")
    assert (done.returncode, f"keep running: {failed.name}" in done.stderr) == (2, False)
    assert f"these were not paused, and their nodes continue to cost money: {failed.name}" in (
        done.stderr
    )
    assert (failed.minimum, failed.desired) == before
    if target == "pcs":
        assert (other.minimum, other.maximum) == (0, 0)
        failed.status = "UPDATE_FAILED"
        assert bundle.deploy("--pause").returncode == 2
        assert failed.maximum == 0
    failed.status = "ACTIVE"
    deployed(bundle, "--pause")


@on(*TARGETS)
def test_every_stack_and_every_template_has_an_owner(bundle: Bundle) -> None:
    target = _target(bundle)
    found = sorted(bundle.folder.glob("*.template.json"))
    assert found
    for path in found:
        of = "foundation" if path.name.startswith("foundation") else target
        mark = {"cluster": "example", "target": of, "format": 1}
        assert json.loads(path.read_text())["Metadata"]["clustergen"] == mark, path.name


ZFS = "storage: [{mount: /home, type: fsx-openzfs, size: 1TiB, throughput: 160%s}]\n"
ENDS, STAYS = ZFS % ", on_delete: delete", ZFS % ""


@pytest.mark.parametrize("edited", [STAYS, STORAGE])
def test_what_goes_is_what_was_deployed(tmp_path: Path, edited: str) -> None:
    """The bundle says that /home stays, or nothing of it: CloudFormation would delete it."""
    with reaching(tmp_path, files("pcs", ENDS)) as bundle:
        deployed(bundle)
        deployed(bundle, "--destroy")
        bundle.render(files("pcs", edited))
        refused(bundle, "does not keep StorageHome: all data", "--destroy-foundation")
        if edited == STAYS:
            deployed(bundle, "--foundation")
            said = deployed(bundle, "--destroy-foundation")
        else:
            said = deployed(bundle, "--destroy-foundation", "--allow-replacement")
        assert ("Deleted with all data" in said) == (edited == STORAGE)
        orphans = bundle.account.cloudformation.orphans
        assert any("StorageHome" in id for _, id in orphans) == (edited == STAYS)


def test_what_stays_as_deployed_is_announced(tmp_path: Path) -> None:
    """The bundle deletes /home now, and is not deployed yet."""
    with reaching(tmp_path, files("pcs", STAYS)) as bundle:
        deployed(bundle)
        deployed(bundle, "--destroy")
        bundle.render(files("pcs", ENDS))
        said = deployed(bundle, "--destroy-foundation")
        assert "Stays, as example-foundation was deployed, and costs money: StorageHome. " in said


def test_what_the_bundle_deletes_needs_no_second_word(tmp_path: Path) -> None:
    with reaching(tmp_path, files("pcs", ENDS)) as bundle:
        deployed(bundle)
        deployed(bundle, "--destroy")
        assert "Deleted with all data" not in deployed(bundle, "--destroy-foundation")


@on("eks", "batch")
def test_logs_of_an_earlier_version_do_not_go_without_a_word(bundle: Bundle) -> None:
    deployed(bundle)
    stack = bundle.account.cloudformation.stacks[f"example-{_target(bundle)}"]
    logs = [each for each in stack.resources.values() if each["Type"] == "AWS::Logs::LogGroup"]
    assert logs
    for each in logs:
        del each["DeletionPolicy"]
    refused(bundle, "all data and logs in it would go", "--destroy")
    deployed(bundle)
    deployed(bundle, "--destroy")
    assert bundle.account.log_groups


def test_a_template_in_yaml_is_not_an_empty_one(tmp_path: Path) -> None:
    with reaching(tmp_path, files("pcs", STORAGE)) as bundle:
        deployed(bundle)
        text = "Resources:\n  Own: {Type: AWS::EC2::Volume}\n"
        bundle.account.answers["cloudformation get-template"] = {"TemplateBody": text}
        refused(bundle, "whose template is not one of clustergen's", "--destroy")


def _in(vpc: str, subnet: str) -> str:
    subnets = f"[{{id: {subnet}, zone: use1-az6, cidr: 10.20.0.0/20}}]"
    return f"network: {{vpc: {vpc}, private_subnets: {subnets}}}\n{STORAGE}"


OURS = _in("vpc-0a1b2c3d4e5f60001", "subnet-0a1b2c3d4e5f60001")
OTHERS = _in("vpc-0f1b2c3d4e5f60002", "subnet-0f1b2c3d4e5f60002")


@pytest.mark.parametrize("other", [OTHERS, "network: {cidr: 10.99.0.0/16}\n" + STORAGE])
def test_the_spec_of_another_team_with_our_name_is_not_ours(tmp_path: Path, other: str) -> None:
    with reaching(tmp_path, files("pcs", OURS)) as bundle:
        deployed(bundle)
        (bundle.folder / "deployed.json").unlink()
        bundle.render(files("pcs", other))
        for action in (*ACTIONS, "--destroy-foundation"):
            refused(bundle, "is in another network than this bundle's", *action.split())
        bundle.render(files("pcs", OURS))  # a new checkout, as in CI
        for action in ("--pause", "--resume", "--destroy", "--destroy-foundation"):
            deployed(bundle, action)


@on("pcs")
def test_instances_of_others_in_our_network_keep_its_routes(bundle: Bundle) -> None:
    deployed(bundle)
    deployed(bundle, "--destroy")
    nat = {"NetworkInterfaceId": "eni-1", "Attachment": {"AttachmentId": "ela-1"}}
    theirs = {"NetworkInterfaceId": "eni-2", "Attachment": {"InstanceId": "i-2"}}
    bundle.account.neighbours = [nat, theirs]
    refused(bundle, "these still use the foundation: eni-2 (i-2).", "--destroy-foundation")
    bundle.account.neighbours = [nat]
    deployed(bundle, "--destroy-foundation")


@on("pcs", "parallelcluster")
def test_the_alerts_of_a_spec_that_had_them_go(bundle: Bundle) -> None:
    target = _target(bundle)
    name, stacks = f"example-{target}-monitoring", bundle.account.cloudformation.stacks
    deployed(bundle)
    bundle.render(files(target, STORAGE))
    deployed(bundle, "--destroy")
    assert name not in stacks
    bundle.render(files(target, WATCHED))
    deployed(bundle)
    bundle.render(files(target, STORAGE))
    deployed(bundle, "--allow-replacement")
    assert name not in stacks
    deployed(bundle, "--destroy")
    deployed(bundle, "--destroy-foundation")


@on("pcs")
def test_a_bucket_that_stays_is_not_in_the_way_of_the_next(bundle: Bundle) -> None:
    for action in ("", "--destroy", "--destroy-foundation"):
        deployed(bundle, *action.split())
    kind = "AWS::S3::Bucket"
    assert kind in {type for type, _ in bundle.account.cloudformation.orphans}
    bundle.account.log_groups.clear()
    deployed(bundle)


def test_the_network_is_compared_where_the_account_is_not_known(tmp_path: Path) -> None:
    """Without STS, the file of a deployment says nothing of these credentials."""
    with reaching(tmp_path, files("pcs", OURS)) as bundle:
        deployed(bundle)
        bundle.render(files("pcs", OTHERS))
        bundle.account.fail("get-caller-identity", ("AccessDenied", "not allowed"), times=9)
        refused(bundle, "is in another network than this bundle's", "--destroy")
