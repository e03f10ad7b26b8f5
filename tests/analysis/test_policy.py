"""The policies: enough for what a bundle consists of, and nothing of others."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from clustergen import targets
from clustergen.analysis import policy
from clustergen.analysis.policy import calls, facts
from clustergen.base.artifacts import Artifact, Bundle
from clustergen.base.digests import sha256
from clustergen.base.findings import EXAMPLE_BASE
from clustergen.cli import main
from clustergen.plan.model import Plan
from clustergen.services.aws import iam
from tests.support.checking import Fragments
from tests.validators.iam import Identity, document_violations, knows, roles
from tools.policy import build

BOUNDARY = "arn:aws:iam::111122223333:policy/ml-boundary"
SPEC = f"""
permissions_boundary: {BOUNDARY}
storage:
  - mount: /fsx
    type: fsx-lustre
    size: 9600GiB
    throughput: 500
    data_repositories: [{{path: /data, s3: s3://corpus/train, import: [new]}}]
  - {{mount: /home, type: efs}}
monitoring: {{dashboards: cloudwatch}}
"""
BASES = {
    "hyperpod-eks": f"{EXAMPLE_BASE}targets: {{hyperpod-eks: {{eks_cluster: new}}}}\n",
    "batch": EXAMPLE_BASE.replace("count: 2", "count: 2, efa: false"),
}
HERE = "us-east-1:111122223333"
REGION = {"aws:RequestedRegion": "us-east-1"}


@functools.cache
def rendered(target: str, text: str = SPEC) -> tuple[Plan, Bundle]:
    made = Fragments(target, BASES.get(target, EXAMPLE_BASE))
    files = made.files(text).items()
    return made.plan(text), tuple(Artifact(path, text) for path, text in files)


@functools.cache
def identity(target: str, text: str = SPEC) -> Identity:
    found = policy.documents(*rendered(target, text), account="111122223333")
    return Identity(tuple(found.values()))


@pytest.fixture(params=targets.NAMES)
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_the_data_is_what_its_sources_say() -> None:
    """If not, run python -m tools.policy.build."""
    assert build.main(["--check"]) == 0


def test_documents_fit_and_name_what_iam_has(target: str) -> None:
    found = policy.documents(*rendered(target), account="111122223333")
    assert len(found) <= 10
    for document in found.values():
        assert policy.size(document) <= iam.MANAGED
        sids = [statement["Sid"] for statement in document["Statement"]]
        assert len(set(sids)) == len(sids)
        # Reads of IAM find out what the account has; the checks before a deployment as well.
        reads = re.compile(r"(IamHere|Route53Here|Preflight)\w*: .* on \*, though|LinkedBuckets: ")
        assert [v for v in document_violations(document) if not reads.match(v)] == []


def test_every_type_of_a_template_can_be_made(target: str) -> None:
    """Where IAM has an action named like the type, it is allowed."""
    _, bundle = rendered(target)
    found = identity(target)
    types = {r["Type"] for t in _templates(bundle) for r in t["Resources"].values()}
    assert [type for type in types if not facts.of_type(type)] == []
    for type in types:
        service, noun = type.split("::")[1:]
        action = f"{_SERVICES.get(service, service.lower())}:Create{noun}"
        if knows(action) and type != "AWS::IAM::Policy":
            statements = (s for d in found.documents for s in d["Statement"])
            granted = {each.lower() for s in statements for each in s["Action"]}
            assert action.lower() in granted


_SERVICES = {"EFS": "elasticfilesystem", "APS": "aps"}


def test_every_command_has_actions_that_iam_has(target: str) -> None:
    commands = calls.calls(rendered(target)[1])
    wanted = {"cloudformation execute-change-set", "cloudformation continue-update-rollback"}
    assert wanted <= commands
    assert [a for a in calls.actions(commands) if not knows(a)] == []


STRANGERS: list[tuple[str, str, dict[str, str]]] = [
    ("cloudformation:DeleteStack", f"arn:aws:cloudformation:{HERE}:stack/other/1a2b", {}),
    ("cloudformation:CreateChangeSet", f"arn:aws:cloudformation:{HERE}:stack/examples/1a", {}),
    ("iam:PassRole", "arn:aws:iam::111122223333:role/admin", {}),
    ("iam:PassRole", "arn:aws:iam::111122223333:role/other-foundation-NodeRole-1A", {}),
    ("iam:CreateRole", "arn:aws:iam::111122223333:role/admin", {}),
    ("iam:PutUserPolicy", "arn:aws:iam::111122223333:user/me", {}),
    ("iam:AttachUserPolicy", "arn:aws:iam::111122223333:user/me", {}),
    ("iam:CreatePolicyVersion", "arn:aws:iam::111122223333:policy/other", {}),
    ("s3:DeleteObject", "arn:aws:s3:::other-bucket/key", {}),
    ("s3:DeleteBucket", "arn:aws:s3:::corpus", {}),
    ("s3:GetObject", "arn:aws:s3:::other-bucket/key", {}),
    ("secretsmanager:GetSecretValue", f"arn:aws:secretsmanager:{HERE}:secret:x", {}),
    ("ssm:GetParameter", f"arn:aws:ssm:{HERE}:parameter/password", {}),
    ("eks:DeleteCluster", f"arn:aws:eks:{HERE}:cluster/other", {}),
    ("logs:DeleteLogGroup", f"arn:aws:logs:{HERE}:log-group:/aws/lambda/other:*", {}),
    ("ec2:DeleteSubnet", f"arn:aws:ec2:{HERE}:subnet/s", {"aws:ResourceTag/Name": "other-private"}),
    ("ec2:DeleteSubnet", f"arn:aws:ec2:{HERE}:subnet/subnet-0a1b", {}),
    ("ec2:CreateVpc", "*", {"aws:RequestedRegion": "eu-west-1"}),
    ("sts:AssumeRole", "arn:aws:iam::111122223333:role/admin", {}),
]


def test_nothing_of_others_can_be_changed(target: str) -> None:
    passed = {"iam:PassedToService": "ec2.amazonaws.com", "iam:PermissionsBoundary": BOUNDARY}
    allows, given = identity(target).allows, {**REGION, **passed}
    assert [each for each in STRANGERS if allows(*each[:2], {**given, **each[2]})] == []


@pytest.mark.parametrize("target", ["pcs", "eks", "hyperpod-slurm", "batch"])
def test_file_systems_and_nodes_of_others_stay(target: str) -> None:
    mine, others = (
        {**REGION, "aws:ResourceTag/Name": name} for name in ("example-fsx", "others-fsx")
    )
    allows = identity(target).allows
    system = f"arn:aws:fsx:{HERE}:file-system/fs-0a1b"
    assert allows("fsx:DeleteFileSystem", system, mine)
    assert not allows("fsx:DeleteFileSystem", system, others)
    assert not allows("ec2:TerminateInstances", f"arn:aws:ec2:{HERE}:instance/i-0a", others)
    assert not allows("ec2:CreateTags", f"arn:aws:ec2:{HERE}:instance/i-0a", others)


@pytest.mark.parametrize("target", ["pcs", "parallelcluster"])
def test_commands_run_on_nodes_of_the_cluster_only(target: str) -> None:
    allows, node = identity(target).allows, f"arn:aws:ec2:{HERE}:instance/i-0a"
    tag = {"pcs": "Name", "parallelcluster": "parallelcluster:cluster-name"}[target]
    mine = {"pcs": "example-h200", "parallelcluster": "example"}[target]
    for name, allowed in ((mine, True), ("others", False)):
        assert (
            allows("ssm:SendCommand", node, {**REGION, f"ssm:resourceTag/{tag}": name}) is allowed
        )
    assert allows("ssm:SendCommand", "arn:aws:ssm:us-east-1::document/AWS-RunShellScript", REGION)
    assert not allows("ssm:SendCommand", f"arn:aws:ssm:{HERE}:document/mine", REGION)


WITH_KEY = "login: {}\nusers: [{name: alice, uid: 2001, ssh_key: ssh-ed25519 AAAA alice}]\n"


@pytest.mark.parametrize("target", ["pcs", "hyperpod-slurm"])
def test_ssh_through_sessions_is_allowed_where_the_readme_says_how(target: str) -> None:
    document = "arn:aws:ssm:us-east-1::document/AWS-StartSSHSession"
    assert identity(target, WITH_KEY).allows("ssm:StartSession", document, REGION)
    assert not identity(target).allows("ssm:StartSession", document, REGION)


ROLE = "arn:aws:iam::111122223333:role{}example-foundation-NodeRole-1A2B3C"


def test_roles_are_made_with_the_boundary_only(target: str) -> None:
    path = "/parallelcluster/example/" if target == "parallelcluster" else "/"
    role, allows = ROLE.format(path), identity(target).allows
    bound = {"iam:PermissionsBoundary": BOUNDARY}
    for action in ("iam:CreateRole", "iam:PutRolePolicy", "iam:AttachRolePolicy"):
        assert allows(action, role, bound)
        assert not allows(action, role, {"iam:PermissionsBoundary": BOUNDARY + "s"})
        assert not allows(action, role)
    assert not allows("iam:DeleteRolePermissionsBoundary", role, bound)
    assert not allows("iam:CreatePolicyVersion", BOUNDARY)


def test_without_a_boundary_roles_need_none(target: str) -> None:
    path = "/parallelcluster/example/" if target == "parallelcluster" else "/"
    assert identity(target, "{}").allows("iam:CreateRole", ROLE.format(path))


def test_every_role_has_the_boundary(target: str) -> None:
    """Those in templates, and those that ParallelCluster creates."""
    _, bundle = rendered(target)
    made = [r for t in _templates(bundle) for r in t["Resources"].values()]
    of_roles = [r["Properties"] for r in made if r["Type"] == "AWS::IAM::Role"]
    assert {role.get("PermissionsBoundary") for role in of_roles} == {BOUNDARY}
    if target == "parallelcluster":
        configuration = next(f.text for f in bundle if f.path == "cluster.yaml")
        assert f'PermissionsBoundary: "{BOUNDARY}"' in configuration


def test_the_boundary_allows_what_each_role_may_do(target: str) -> None:
    document, unknown = policy.boundary(*rendered(target), account="111122223333")
    assert policy.size(document) <= iam.MANAGED
    assert unknown == []
    allowed = Identity((document,))
    for template in _templates(rendered(target)[1]):
        for role in roles(template).values():
            actions = {a for s in role.statements for a in _listed(s) if s["Effect"] == "Allow"}
            denied = [a for a in actions - {"iam:PassRole"} if not allowed.allows(a)]
            assert denied == [], role.logical_id
    assert not allowed.allows("iam:CreateRole")
    assert not allowed.allows("iam:AttachRolePolicy")
    assert not allowed.allows("iam:PassRole", "arn:aws:iam::111122223333:role/admin")
    own = {"parallelcluster": "/parallelcluster/example/", "eks": "/example-eks-Karpenter"}
    assert allowed.allows("iam:PassRole", ROLE.format(own.get(target, "/")))


def test_a_policy_of_the_user_is_named_as_unknown() -> None:
    text = "login: {count: 1, iam: {policies: ['arn:aws:iam::111122223333:policy/mine']}}\n"
    _, unknown = policy.boundary(*rendered("pcs", text))
    assert unknown == ["arn:aws:iam::111122223333:policy/mine"]


def test_the_cdk_has_a_policy_of_its_own() -> None:
    plan, bundle = rendered("pcs")
    found = policy.documents(plan, bundle, account="111122223333", cdk=True)
    person = Identity((found["cdk"],))
    role = "arn:aws:iam::111122223333:role/cdk-hnb659fds-{}-role-111122223333-us-east-1"
    assert person.allows("sts:AssumeRole", role.format("deploy"))
    assert not person.allows("sts:AssumeRole", role.format("cfn-exec"))
    stacks = Identity(tuple(d for name, d in found.items() if name.startswith("stacks")))
    function = f"arn:aws:lambda:{HERE}:function:example-pcs-CustomCDK-1A2B"
    assert stacks.allows("lambda:CreateFunction", function)


def test_a_bucket_whose_name_is_generated_otherwise() -> None:
    """What is named sagemaker has no bucket with that word."""
    allows = identity("pcs", "name: sagemaker-research\n").allows
    assert allows("s3:PutObject", "arn:aws:s3:::clustergen-0a1b2c-111122223333/key") is False
    digest = sha256("sagemaker-research/us-east-1")[:6]
    assert allows("s3:PutObject", f"arn:aws:s3:::clustergen-{digest}-111122223333/key")


USERS = """
kubernetes:
  admins: ['arn:aws:iam::111122223333:role/admin']
  access: [{principal: 'arn:aws:iam::111122223333:role/reader', queues: [train], level: view}]
queues: [{name: train, node_groups: [h200]}]
node_groups: [{name: h200, iam: {role: 'arn:aws:iam::111122223333:role/nodes'}}]
"""


def test_users_of_a_cluster_are_not_passed_to_services() -> None:
    allows = identity("eks", USERS).allows
    passed = {"iam:PassedToService": "ec2.amazonaws.com"}
    found = {
        name: allows("iam:PassRole", f"arn:aws:iam::111122223333:role/{name}", passed)
        for name in ("admin", "reader", "nodes")
    }
    assert found == {"admin": False, "reader": False, "nodes": True}


def test_a_registry_may_be_in_another_region() -> None:
    registry = "111122223333.dkr.ecr.eu-west-1.amazonaws.com"
    allows = identity("eks", f"software: {{registry: {registry}}}\n").allows
    assert allows("ecr:GetAuthorizationToken", "*", {"aws:RequestedRegion": "eu-west-1"})
    assert not allows("ec2:CreateVpc", "*", {"aws:RequestedRegion": "eu-west-1"})


def test_messages_are_no_commands() -> None:
    """Suggestions in messages are for the user: deploy.sh does not run them."""
    script = Artifact(
        "deploy.sh",
        'note "run: aws eks create-access-entry --cluster-name x" \\\n'
        '  "or aws logs delete-log-group"\n'
        '  found=$(run aws --region "$region" ec2 describe-vpcs --query x)\n'
        '  if ! ask aws --region "$region" \\\n    sagemaker list-clusters; then :; fi\n',
    )
    inner = Artifact("smoke/run.sh", "aws s3 cp a s3://b\n")
    readme = Artifact("README.md", "Reboot it: `aws ec2 reboot-instances --region x`.\n")
    assert calls.calls((script, inner, readme)) == {
        "ec2 describe-vpcs",
        "ec2 reboot-instances",
        "sagemaker list-clusters",
    }


def test_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("spec.yaml").write_text(EXAMPLE_BASE + f"permissions_boundary: {BOUNDARY}\n")
    command = ["policy", "spec.yaml", "--target", "pcs", "--account", "111122223333"]
    assert main([*command, "--boundary", "--minified"]) == 0
    printed = capsys.readouterr().out
    assert "\n" not in printed.strip()
    found = json.loads(printed)
    assert {"scripts", "boundary"} < set(found)
    assert "arn:aws:iam::111122223333:role/" in printed
    assert main([*command, "-o", "policies"]) == 0
    names = capsys.readouterr().out.split()
    assert sorted(map(Path, names)) == sorted(Path("policies").iterdir())
    assert json.loads(Path("policies/scripts.json").read_text()) == found["scripts"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ([], "policy is for one target: add --target NAME"),
        (["--target", "pcs,eks"], "policy is for one target: add --target NAME"),
        (["--target", "pcs", "--boundary"], "--boundary needs permissions_boundary in the spec"),
        (["--target", "pcs", "--account", "me"], "--account me: an account has 12 digits"),
        (["--target", "pcs", "--set", "region=x"], "error[NET001]"),
    ],
)
def test_arguments_that_are_not_valid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(EXAMPLE_BASE)
    assert main(["policy", str(spec), *arguments]) != 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert complaint in printed.err


def _templates(bundle: Bundle) -> list[Any]:
    texts = (file.text for file in bundle if file.path.endswith(".template.json"))
    return [found for text in texts if "Resources" in (found := json.loads(text))]


def _listed(statement: Any) -> list[str]:
    actions = statement.get("Action", [])
    return [actions] if isinstance(actions, str) else actions


def test_nodes_may_join_an_existing_eks_cluster() -> None:
    """No template of the bundle names it."""
    arn = f"arn:aws:eks:{HERE}:cluster/training"
    found = identity("hyperpod-eks", f"targets: {{hyperpod-eks: {{eks_cluster: '{arn}'}}}}\n")
    addon = f"arn:aws:eks:{HERE}:addon/training/a/b"
    given = {"CreateAccessEntry": arn, "ListAccessEntries": arn, "DescribeAddon": addon}
    assert [each for each in given if not found.allows(f"eks:{each}", given[each], REGION)] == []
