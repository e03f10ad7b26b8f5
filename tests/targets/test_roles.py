"""What each role of a bundle may do, compared with the table of SECURITY.md.

The table and its questions are in `tools/docs/permissions.py`. The templates of one spec for each
target have every kind of role: of nodes, pods, services and schedules.
"""

import functools
import json
import re
from collections.abc import Mapping
from typing import Any

import pytest
import yaml

from tests.support.checking import Fragments, example_files
from tests.validators.cloudformation.intrinsics import outputs, resolve
from tests.validators.iam import Request, Role, allowed, iam_violations, roles
from tools.docs import permissions

DATED = """node_groups:
- name: h200
  count: 2
  capacity:
    capacity_block: cr-0a1b2c3d4e5f67890
    starts: '2026-12-10T11:30:00+00:00'
    ends: '2026-12-17T11:30:00+00:00'
"""
SCALED = "- {name: cpu, instance_type: m7i.4xlarge, count: {min: 0, max: 4}}\n"
STORAGE = "storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}, {mount: /efs, type: efs}"
BUCKET = "{mount: /data, type: s3, bucket: s3://corp-data}"
SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"
DATABASE = f"slurm: {{accounting: {{endpoint: db.example.com, secret: '{SECRET}'}}}}\n"
WATCHED = "monitoring: {metrics: managed-prometheus, dashboards: managed-grafana}\n"
KARPENTER = "kubernetes: {autoscaler: karpenter}\n"
SPECS = {
    "parallelcluster": f"login: {{count: 1}}\n{STORAGE}]\n{WATCHED}",
    "pcs": DATED + WATCHED,
    "hyperpod-slurm": f"login: {{count: 1}}\n{DATABASE}{WATCHED}",
    "hyperpod-eks": f"{KARPENTER}{WATCHED}node_groups:\n{SCALED}".replace("cpu", "h200"),
    "eks": f"{DATED}{SCALED}{KARPENTER}{STORAGE}, {BUCKET}]\n{WATCHED}",
    "batch": DATED,
}
ALERTED = "monitoring: {metrics: self-hosted, alerts: {email: [on-call@example.com]}}"
MORE = {"eks": (ALERTED, "monitoring: {metrics: cloudwatch}")}
"""For roles that the first spec of a target does not have."""
EXISTING = "eks-existing-cluster"


@functools.cache
def templates(target: str) -> tuple[Any, ...]:
    if target == EXISTING:
        return _templates(example_files(EXISTING, "eks"))
    named = f"targets: {{{target}: {{}}}}\n"
    texts = (SPECS[target], *MORE.get(target, ()))
    return tuple(t for text in texts for t in _templates(Fragments(target).files(named + text)))


def _templates(files: Mapping[str, str]) -> tuple[Any, ...]:
    return tuple(json.loads(t) for path, t in files.items() if path.endswith(".template.json"))


def found(target: str) -> dict[str, Role]:
    """The roles of a bundle, and policies for roles that others create."""
    made: dict[str, Role] = {}
    for template in templates(target):
        own = [one for one in resolve(template) if one.type == "AWS::IAM::ManagedPolicy"]
        said = {o.logical_id: tuple(o.properties["PolicyDocument"]["Statement"]) for o in own}
        policies = {id: Role(id, (), statements) for id, statements in said.items()}
        made = {**roles(template), **policies, **made}
    return made


def places(target: str) -> Mapping[str, str]:
    """What stands for the VPC and the bucket of scripts in the questions."""
    wanted = ((permissions.VPC, "VpcId"), (permissions.SCRIPTS, "ScriptsBucketName"))
    given = [outputs(template) for template in templates(target)]
    return {name: each[id] for each in reversed(given) for name, id in wanted if id in each}


def answers(target: str, role: Role) -> set[str]:
    """What a role may do of the questions."""
    known = places(target)

    def request(action: str, resource: str, keys: Mapping[str, str]) -> Request:
        def filled(text: str) -> str:
            return functools.reduce(lambda t, name: t.replace(name, known[name]), known, text)

        return Request(action, filled(resource), {k: filled(v) for k, v in keys.items()})

    asked = permissions.QUESTIONS.items()
    return {q for q, calls in asked if any(allowed(role, request(*call)) for call in calls)}


@pytest.mark.parametrize("target", [*SPECS, EXISTING])
def test_roles_may_do_what_the_table_says(target: str) -> None:
    expected = {role: set(row.can) for row in permissions.ROWS for role in row.roles}
    actual = {f"{target} {id}": answers(target, role) for id, role in found(target).items()}
    assert actual == {id: can for id, can in expected.items() if id.partition(" ")[0] == target}


@pytest.mark.parametrize("target", [t for t, text in SPECS.items() if DATED in text])
def test_roles_of_schedules_serve_schedules_of_their_group(target: str) -> None:
    [template] = [t for t in templates(target) if "ScheduleRole" in t["Resources"]]
    assert iam_violations(template) == []
    made = template["Resources"]
    [trust] = made["ScheduleRole"]["Properties"]["AssumeRolePolicyDocument"]["Statement"]
    group = {"Fn::GetAtt": ["ScheduleGroup", "Arn"]}
    ours = {"aws:SourceAccount": {"Ref": "AWS::AccountId"}, "aws:SourceArn": group}
    assert trust["Condition"]["StringEquals"] == ours
    schedules = [each for each in made.values() if each["Type"] == "AWS::Scheduler::Schedule"]
    groups = {json.dumps(each["Properties"]["GroupName"]) for each in schedules}
    assert groups == {'{"Ref": "ScheduleGroup"}'}


def test_the_schedules_of_pcs_pass_the_roles_of_dated_nodes_alone() -> None:
    def passed(text: str) -> Any:
        template = Fragments("pcs").document("schedule.template.json", text)
        [policy] = template["Resources"]["ScheduleRole"]["Properties"]["Policies"]
        statements = {each["Sid"]: each for each in policy["PolicyDocument"]["Statement"]}
        return statements["Roles"]["Resource"]

    assert passed(DATED) == [{"Ref": "NodeRoleArn"}]
    own = "  iam: {policies: ['arn:aws:iam::111122223333:policy/data']}\n"
    assert passed(DATED + own) == [{"Ref": "NodeRoleH200Arn"}]
    profile = "arn:aws:iam::111122223333:instance-profile/AWSPCS-nodes"
    # The role of a profile that exists is not known; PCS takes only roles of these names.
    given = passed(f"{DATED}  iam: {{instance_profile: '{profile}'}}\n")
    names = [each["Fn::Sub"].partition(":role/")[2] for each in given]
    assert names == ["AWSPCS*", "*/AWSPCS*", "aws-pcs/*", "*/aws-pcs/*"]


@pytest.mark.parametrize("target", SPECS)
def test_services_write_for_this_account_alone(target: str) -> None:
    """AWS services act for any account: the policy of a queue or topic names this one."""
    made = [each for template in templates(target) for each in template["Resources"].values()]
    statements = [
        statement
        for each in made
        if "PolicyDocument" in each.get("Properties", {})
        for statement in each["Properties"]["PolicyDocument"]["Statement"]
        if "Service" in (statement.get("Principal") or ()) and statement["Effect"] == "Allow"
    ]
    assert statements or target != "eks"
    for statement in statements:
        keys = {key for keys in statement.get("Condition", {}).values() for key in keys}
        assert keys & {"aws:SourceAccount", "aws:SourceArn"}, statement


@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
def test_pods_do_not_reach_the_role_of_their_node(target: str) -> None:
    hops = {
        one.properties["LaunchTemplateData"]["MetadataOptions"]["HttpPutResponseHopLimit"]
        for template in templates(target)
        for one in resolve(template)
        if one.type == "AWS::EC2::LaunchTemplate"
    }
    assert hops == {1}


@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
def test_roles_of_nodes_and_pods_have_no_rights_in_kubernetes(target: str) -> None:
    """Besides those of a kubelet; and no service account of the bundle is an administrator."""
    made = [each for template in templates(target) for each in template["Resources"].values()]
    entries = [e["Properties"] for e in made if e["Type"] == "AWS::EKS::AccessEntry"]
    kinds = {json.dumps([e.get(key) for key in ("Type", *RIGHTS)]) for e in entries}
    assert kinds <= {'["EC2_LINUX", null, null]'}
    named = f"targets: {{{target}: {{}}}}\n{SPECS[target]}"
    files = Fragments(target).files(named)
    written = [text for path, text in files.items() if re.fullmatch(r"manifests/.*\.yaml", path)]
    objects = [one for text in written for one in yaml.safe_load_all(text) if one]
    rules = [rule for one in objects for rule in one.get("rules") or ()]
    assert [r for r in rules if "*" in (*r.get("apiGroups", ()), *r.get("resources", ()))] == []
    assert "cluster-admin" not in {one.get("roleRef", {}).get("name") for one in objects}


RIGHTS = ("AccessPolicies", "KubernetesGroups")


def test_parallelcluster_writes_to_no_bucket() -> None:
    text = f"targets: {{parallelcluster: {{}}}}\n{SPECS['parallelcluster']}"
    assert "EnableWriteAccess: true" not in Fragments("parallelcluster").files(text)["cluster.yaml"]
