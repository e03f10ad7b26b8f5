"""What deploy.sh asks about before it replaces or deletes it, and the stack policy."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import clustergen
from clustergen.deployment import policies, resource_types
from tests.support.checking import Fragments, check, files_of
from tests.support.cloud.commands import Bundle, reaching

pytestmark = [pytest.mark.scenarios(3), pytest.mark.sampled(3)]

PACKAGE = Path(clustergen.__file__).parent
READ = ("deployment", "importing", "schemas", "preflight", "rules", "effects", "diff")
"""Packages that know types of others."""
CPU = """\
version: 1
name: example
region: us-east-1
network: {zone: use1-az6}
node_groups: [{name: cpu, instance_type: m7i.4xlarge, count: %s}]
"""
TABLE = {"Type": "AWS::DynamoDB::Table", "Properties": {"TableName": "runs"}}
KEPT = {**TABLE, "DeletionPolicy": "Retain"}
DATABASE = {"Type": "AWS::RDS::DBInstance", "Properties": {"DBInstanceIdentifier": "a"}}
OTHER = {"Type": "AWS::RDS::DBInstance", "Properties": {"DBInstanceIdentifier": "b"}}
UNKNOWN = {"Type": "Custom::Registration", "Properties": {}}
ALARM = {"Type": "AWS::CloudWatch::Alarm", "Properties": {"Threshold": 1}}
ROLE = {"Type": "AWS::IAM::Role", "Properties": {"AssumeRolePolicyDocument": {}}}
POLICY = resource_types.policy_file().text


def rendered_types() -> set[str]:
    """The types of resources that the package writes."""
    paths = (p for p in PACKAGE.rglob("*.py") if not {*p.parts} & {*READ})
    texts = (path.read_text(encoding="utf-8") for path in paths)
    return {found for text in texts for found in re.findall(r'"(AWS::\w+::\w+)"', text)}


def test_every_type_that_is_rendered_is_decided() -> None:
    decided = (
        resource_types.HARMLESS,
        resource_types.WORK,
        resource_types.STORES,
        resource_types.CLUSTERS,
        resource_types.OTHER_DATA,
    )
    known = [type for part in decided for type in part]
    assert rendered_types() - set(known) == set()
    assert len(known) == len(set(known))
    assert all(reason for part in decided for reason in part.values())
    assert len(rendered_types()) > 40


def extended(resource: Any) -> dict[str, str]:
    """A small cluster, with a resource of an overlay."""
    own = json.dumps({"Resources": {"Extra": resource} if resource else {}})
    text = f"{CPU % '{min: 0, max: 4}'}targets: {{batch: {{overlay: {own}}}}}\n"
    return dict(files_of(check(text, target="batch"), "batch"))


def policy_of(bundle: Bundle, stack: str = "example-batch") -> str:
    return str(bundle.account.cloudformation.stacks[stack].policy)


def executed(bundle: Bundle, stack: str = "example-batch") -> bool:
    return bool(bundle.account.calling("execute-change-set", stack))


CHANGES = [
    (TABLE, None, "would delete Extra."),
    (KEPT, None, ""),
    (DATABASE, OTHER, "would replace Extra."),
    (UNKNOWN, None, "would delete Extra."),
    (ALARM, None, ""),
    (ROLE, None, ""),
]


@pytest.mark.parametrize(("before", "after", "stop"), CHANGES)
def test_what_an_overlay_adds_is_not_lost_without_consent(
    before: Any, after: Any, stop: str, tmp_path: Path
) -> None:
    with reaching(tmp_path, extended(before)) as bundle:
        bundle.deployed()
        bundle.render(extended(after))
        done = bundle.deploy()
        assert (done.returncode, stop in done.stderr) == (2 if stop else 0, True), done.stderr
        assert executed(bundle) is not bool(stop)
        if stop:
            done = bundle.deployed("--allow-replacement")
            said = done.stderr.index(f"--allow-replacement: this {stop.replace('would', 'will')}")
            assert said < done.stderr.index("+ aws --region us-east-1 cloudformation execute-")
        assert policy_of(bundle) == POLICY


def test_the_policy_is_there_again_after_a_failed_replacement(tmp_path: Path) -> None:
    """CloudFormation enforces it: without lifting it, the change would be denied."""
    with reaching(tmp_path, extended(DATABASE)) as bundle:
        bundle.deployed()
        bundle.render(extended(OTHER))
        bundle.account.broken["Extra"] = "no capacity for this database"
        bundle.stops("no capacity for this", "--allow-replacement")
        assert len(bundle.account.calling("set-stack-policy")) == 2
        assert policy_of(bundle) == POLICY
        bundle.account.broken.clear()
        # A killed run leaves the stack open; the next one closes it.
        opened = json.dumps(policies.OPEN)
        bundle.account.cloudformation.stacks["example-batch"].policy = opened
        bundle.deployed("--allow-replacement")
        assert policy_of(bundle) == POLICY


FEWER = json.dumps(
    {**resource_types.policy(), "Statement": [{**resource_types.policy()["Statement"][0]}]}
)  # one statement: not ours
EARLIER = POLICY.replace('          "AWS::RDS::DBInstance",\n', "")
OWN = '{"Statement":[{"Effect":"Allow","Principal":"*","Action":"Update:*","Resource":"*"},{}]}'


@pytest.mark.parametrize(
    ("policy", "after"), [("", POLICY), (EARLIER, POLICY), (OWN, OWN), (FEWER, FEWER)]
)
def test_a_stack_gets_the_policy_unless_it_has_one(policy: str, after: str, tmp_path: Path) -> None:
    """Also where nothing else changes: stacks of earlier versions have none."""
    with reaching(tmp_path, extended(TABLE)) as bundle:
        bundle.deployed()
        bundle.account.cloudformation.stacks["example-batch"].policy = policy
        done = bundle.deployed()
        assert not executed(bundle)
        assert policy_of(bundle) == after
        assert ("is not of this bundle, and keeps it" in done.stderr) == (after != POLICY)
        bundle.deployed()
        assert not bundle.account.calling("set-stack-policy")


@pytest.mark.parametrize("call", ["get-stack-policy", "set-stack-policy"])
def test_a_deployer_without_the_permission_goes_on(call: str, tmp_path: Path) -> None:
    denied = ("AccessDenied", f"not authorized to perform {call}")
    with reaching(tmp_path, extended(None)) as bundle:
        bundle.account.fail(call, denied, times=99)
        done = bundle.deployed()
        assert denied[1] in done.stderr
        assert not policy_of(bundle)


def test_a_policy_that_cannot_be_lifted_changes_nothing(tmp_path: Path) -> None:
    with reaching(tmp_path, extended(KEPT)) as bundle:
        bundle.deployed()
        bundle.render(extended(None))
        bundle.account.fail("set-stack-policy", ("AccessDenied", "no"), times=2)
        done = bundle.stops("cannot be lifted for this change")
        assert "is without its policy" not in done.stderr
        assert len(bundle.account.calling("set-stack-policy")) == 1
        assert not executed(bundle)
        assert policy_of(bundle) == POLICY


def sized(target: str, count: str, more: str = "") -> dict[str, str]:
    return dict(files_of(check(f"{CPU % count}{more}", target=target), target))


TAG = "tags: {team: research}\n"


@pytest.fixture(params=["pcs", "eks", "batch"])
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def running(target: str, tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, sized(target, "{min: 2, max: 4}")) as bundle:
        bundle.deployed()
        yield bundle


def test_nodes_that_run_are_not_replaced_without_consent(target: str, running: Bundle) -> None:
    """A tag is part of the launch template; other sizes touch no node."""
    running.render(sized(target, "{min: 2, max: 6}"))
    running.deployed()
    running.render(sized(target, "{min: 2, max: 6}", TAG))
    done = running.deploy()
    assert done.returncode == 2
    nodes = {"batch": "the 32 vCPUs of nodes of ComputeEnvironment"}.get(target, "the 2 nodes of ")
    assert f"would replace {nodes}" in done.stderr, done.stderr
    assert not running.account.calling("execute-change-set")
    running.deployed("--allow-replacement")


@pytest.mark.parametrize("target", ["eks", "pcs"])
def test_a_lower_maximum_ends_no_nodes_without_consent(target: str, running: Bundle) -> None:
    running.render(sized(target, "{min: 1, max: 3}"))
    running.deployed()
    running.render(sized(target, "{min: 0, max: 1}"))
    done = running.stops("would end 1 of the 2 nodes of NodeGroup")
    assert "replace" not in done.stderr.partition("would end")[2].partition("If this is")[0]
    assert not running.account.calling("execute-change-set")
    running.deployed("--allow-replacement")


@pytest.mark.parametrize("target", ["eks", "pcs"])
def test_a_launch_template_alone_replaces_nodes(target: str, running: Bundle) -> None:
    """The group stays as it is: only the template's newest version, which it has, is another."""
    before, after = (
        sized(target, f"{{min: 2, max: 4}}{more}") for more in ("", ", root_volume: {size: 700GiB}")
    )
    path = "cluster.template.json"
    old, new = (json.loads(files[path])["Resources"] for files in (before, after))
    changed = {new[name]["Type"] for name in new if new[name] != old.get(name)}
    assert changed == {"AWS::EC2::LaunchTemplate"}
    running.render(after)
    running.stops("would replace the 2 nodes of ")
    assert not running.account.calling("execute-change-set")


def test_groups_without_nodes_change(target: str, tmp_path: Path) -> None:
    with reaching(tmp_path, sized(target, "{min: 0, max: 4}")) as bundle:
        bundle.deployed()
        bundle.render(sized(target, "{min: 0, max: 4}", TAG))
        bundle.deployed()
        assert executed(bundle, f"example-{target}")


@pytest.mark.parametrize("target", ["pcs"])
def test_a_new_image_is_consent_to_new_nodes(target: str, running: Bundle) -> None:
    running.account.newest_image = "ami-0a1b2c3d4e5f60002"
    running.deployed("--new-image")
    assert executed(running, f"example-{target}")


@pytest.mark.parametrize("target", ["eks", "pcs"])
def test_a_group_cannot_be_replaced_under_its_name(target: str, running: Bundle) -> None:
    """The new one is made first; a group of an overlay may leave its name to CloudFormation."""
    files = sized(target, "{min: 2, max: 4}")
    template = json.loads(files["cluster.template.json"])
    deployed = running.account.cloudformation.stacks[f"example-{target}"].template
    [id] = [name for name in template["Resources"] if re.fullmatch("NodeGroup[A-Z][a-z]+", name)]
    group = template["Resources"][id]["Properties"]
    group |= {"InstanceTypes": ["m7i.large"], "InstanceConfigs": [{"InstanceType": "m7i.large"}]}
    running.render({**files, "cluster.template.json": json.dumps(template)})
    running.stops("two node groups cannot share a name", "--plan", "--allow-replacement")
    for each in (group, deployed["Resources"][id]["Properties"]):
        each.pop("Name", each.pop("NodegroupName", None))
    running.render({**files, "cluster.template.json": json.dumps(template)})
    running.stops(f"would replace {id}", "--plan")
    running.deployed("--plan", "--allow-replacement")


BLOCK = "node_groups: [{name: h200, count: 32, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]\n"


def test_nodes_of_a_capacity_block_are_scaled_down_first(tmp_path: Path) -> None:
    """EKS cannot replace them, with or without consent."""
    with reaching(tmp_path, dict(Fragments("eks").files(BLOCK))) as bundle:
        bundle.deployed()
        group = bundle.account.eks.groups["h200"]
        group.desired = 16
        bundle.render(Fragments("eks").files(BLOCK + TAG))
        for option in ((), ("--allow-replacement",)):
            done = bundle.stops(
                "needs NodeGroupH200 scaled to 0 nodes first, and it has 16", *option
            )
            scale = "--nodegroup-name h200 --scaling-config"
            assert f"{scale} minSize=0,desiredSize=0\n" in done.stderr
            assert f"{scale} desiredSize=16\n" in done.stderr
            assert not bundle.account.calling("execute-change-set")
        group = bundle.account.eks.groups["h200"]
        group.desired = 0
        bundle.deployed()


def test_an_instance_profile_does_not_go_while_karpenters_nodes_have_it(tmp_path: Path) -> None:
    """Without a way to the internet, the profile is in the stack of the cluster."""
    own = ", iam: {policies: ['arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess']}"

    def closed(iam: str) -> dict[str, str]:
        return dict(
            Fragments("eks").files(
                "targets: {eks: {}}\nnetwork: {zone: use1-az6, internet: none}\n"
                "kubernetes: {autoscaler: karpenter}\n"
                "software: {registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror}\n"
                "node_groups: [{name: h200, count: 2}, {name: prep, instance_type: m7i.4xlarge, "
                f"count: {{max: 4}}{iam}}}]\n"
            )
        )

    with reaching(tmp_path, closed(own)) as bundle:
        bundle.deployed()
        bundle.render(closed(""))
        bundle.stops("would delete Karpenter")
        assert not bundle.account.calling("execute-change-set")
        bundle.deployed("--allow-replacement")


LINK = "data_repositories: [{path: /%s, s3: 's3://%s'}]"
ONE, OTHER_PATH, OTHER_PLACE = (LINK % of for of in (("a", "one"), ("b", "one"), ("a", "two")))
TWO = f"{ONE[:-1]}, {{path: /b, s3: 's3://two'}}]"
LOST, REFUSED = "Data and jobs in what goes are lost", "which FSx refuses"
LINKS = [
    (TWO, ONE, (), "Repository2OfStorageFsx"),
    (TWO, LINK % ("b", "two"), (REFUSED,), "Repository1OfStorageFsx"),
    (ONE, OTHER_PLACE, (REFUSED,), "Repository1OfStorageFsx"),
    (ONE, f"{OTHER_PATH}, deployment: scratch-2", (LOST,), "Repository1OfStorageFsx"),
    (f"{ONE}, on_delete: delete", "on_delete: delete", ("would delete Repository1Of",), ""),
]


@pytest.mark.parametrize(("before", "after", "stop", "stays"), LINKS)
def test_links_to_s3_that_go_are_named(
    before: str, after: str, stop: tuple[str, ...], stays: str, tmp_path: Path
) -> None:
    """They hold no data, and go on outside the stack. One is of another file system."""

    def rendered(more: str) -> dict[str, str]:
        storage = f"storage: [{{mount: /fsx, type: fsx-lustre, size: 1200GiB, {more}}}]\n"
        return dict(files_of(check(CPU % 1 + storage, target="batch"), "batch"))

    with reaching(tmp_path, rendered(before)) as bundle:
        bundle.deployed()
        bundle.render(rendered(after))
        for words in stop:
            said = bundle.stops(words).stderr
            assert {word for word in (LOST, REFUSED) if word in said} == {*stop} & {LOST, REFUSED}
        said = bundle.deployed("--allow-replacement").stderr
        command = "delete-data-repository-association --no-delete-data-in-file-system"
        assert (f"{stays} stays at FSx" in said and command in said) is bool(stays)
        assert (f"--association-id {stays.lower()}-0a1b" in said) is bool(stays)
