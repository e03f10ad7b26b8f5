"""Each rule finds its problem in the account, and nothing else is found."""

from typing import Any, NamedTuple

import pytest
import yaml

from clustergen.base import discovery
from clustergen.base.findings import EXAMPLE_BASE, Finding, Rule
from clustergen.plan.model import Plan
from tests.checking.preflight.account import Account
from tests.checking.preflight.test_accounts import look
from tests.support.checking import Fragments

RULES = {
    rule.code: rule for rule in discovery.rules("clustergen.checking.preflight.rules") if rule.check
}

EXISTING = """\
version: 1
name: example
region: us-east-1
network:
  vpc: vpc-0a1b2c3d4e5f60001
  zone: use1-az6
  cidr: 10.20.0.0/16
  private_subnets: [{id: subnet-0a1b2c3d4e5f60002, cidr: 10.20.64.0/18}]
  public_subnets: [subnet-0a1b2c3d4e5f60008]
  security_groups: [sg-0a1b2c3d4e5f60003]
  ssh_from: [10.0.0.0/8]
node_groups:
  - name: h200
    instance_type: p5en.48xlarge
    count: 4
    capacity: {capacity_block: cr-0a1b2c3d4e5f60004}
    image: ami-0a1b2c3d4e5f60005
    root_volume: {size: 500GiB}
    iam: {role: arn:aws:iam::111122223333:role/nodes}
  - {name: near, instance_type: hpc7a.96xlarge, count: 2, placement: {group: together}}
storage:
  - {mount: /fsx, type: fsx-lustre, existing: {id: fs-0a1b2c3d4e5f60006, mount_name: abcdefgh}}
  - {mount: /efs, type: efs, existing: {id: fs-0a1b2c3d4e5f60007}}
  - {mount: /apps, type: ebs, existing: {id: vol-0a1b2c3d4e5f60009}}
software:
  scripts: [{run: "s3://example-setup/nodes.sh"}]
slurm:
  accounting:
    endpoint: slurm.cluster-abcdefghijkl.us-east-1.rds.amazonaws.com
    port: 3306
    user: slurm
    secret: arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf
monitoring:
  metrics: managed-prometheus
  alerts: {topic: "arn:aws:sns:us-east-1:111122223333:pages"}
targets: {parallelcluster: {key_name: platform}}
"""


class Spec(NamedTuple):
    text: str
    target: str


def spec(target: str, more: str = "", text: str = EXAMPLE_BASE, **others: str) -> Spec:
    """The example spec for a target with more text, or another.

    ``others`` are texts in the place of these parts of it.
    """
    for part, other in others.items():
        assert PARTS[part] in text
        text = text.replace(PARTS[part], other, 1)
    return Spec(f"{text}{more}\n", target)


PARTS = {
    "network": "network: {zone: use1-az6}",
    "group": "{name: h200,",
    "count": "count: 2}",
    "public": "  public_subnets: [subnet-0a1b2c3d4e5f60008]\n",
    "networks": "network:\n",
}
"""Parts of the example spec, and of EXISTING."""
VPC_THERE = (
    "network: {vpc: vpc-0a1b2c3d4e5f60001, zone: use1-az6,"
    " private_subnets: [subnet-0a1b2c3d4e5f60002]}"
)
ARN = "arn:aws:%s:111122223333:%s"
PROFILE = ARN % ("iam:", "instance-profile/nodes")
TRAINING = ARN % ("sagemaker:us-east-1", "training-plan/large")
KEY = ARN % ("kms:us-east-1", "key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789")
CLUSTER = ARN % ("eks:us-east-1", "cluster/platform")
BLOCK = "{capacity_block: cr-0a1b2c3d4e5f60004, starts: 2020-01-01T00:00:00Z, ends: %s}"
LUSTRE = "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB%s}]"

PC = spec("parallelcluster", text=EXISTING)
PRIVATE = spec("parallelcluster", text=EXISTING, public="")
CLOSED = spec("parallelcluster", text=PRIVATE.text, networks="network:\n  internet: none\n")
BASE, EKS, HYPERPOD = spec("pcs"), spec("eks"), spec("hyperpod-slurm")
NEW_CLOSED = spec("pcs", "targets: {pcs: {}}", network="network: {zone: use1-az6, internet: none}")
JOINED = spec("hyperpod-eks", f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}'}}}}")
JOINED_PCS = spec(
    "pcs", "slurm: {version: '25.11'}\ntargets: {pcs: {cluster: pcs_0a1b2c3d4e}}", network=VPC_THERE
)
JOINED_EKS = spec(
    "eks",
    "kubernetes: {version: '1.35'}\n"
    "targets: {eks: {cluster: platform, cluster_security_group: sg-0a1b2c3d4e5f60009}}",
    network=VPC_THERE,
)
JOINED_HYPERPOD = spec(
    "hyperpod-slurm", "targets: {hyperpod-slurm: {cluster: platform}}", network=VPC_THERE
)
OF_PCS = spec("pcs", group=f"{{name: h200, iam: {{instance_profile: '{PROFILE}'}},")
IMAGED = spec(
    "pcs", "slurm: {version: '25.11'}", group="{name: h200, image: ami-0a1b2c3d4e5f60005,"
)
KEYED = spec("pcs", LUSTRE % f", kms_key: '{KEY}'")
DATED = spec("pcs", count=f"count: 2, capacity: {BLOCK % '2099-01-01T11:30:00Z'}}}")
PLANNED = spec("hyperpod-slurm", count=f"count: 2, capacity: {{training_plan: '{TRAINING}'}}}}")
LISTED = spec(
    "parallelcluster", "login: {instance_type: m7i.large, ssh_from: pl-0a1b2c3d4e5f67890}"
)
SPECS = {
    **dict.fromkeys(("PRE020", "PRE022", "PRE023", "PRE074", "PRE081"), BASE),
    "PRE021": HYPERPOD,
    **dict.fromkeys(("PRE024", "PRE072"), KEYED),
    "PRE076": LISTED,
    "PRE078": OF_PCS,
    **dict.fromkeys(("PRE085", "PRE086"), EKS),
    "PRE036": DATED,
    "PRE038": PLANNED,
    "PRE087": JOINED,
    "PRE088": JOINED_PCS,
    "PRE090": JOINED_HYPERPOD,
    "PRE091": IMAGED,
    "PRE043": PRIVATE,
    "PRE045": NEW_CLOSED,
}
"""The specs of rules that :data:`PC` has nothing for."""
_QUOTAS = {"PRE020", "PRE022", "PRE023", "PRE024"}
_ZONE = {"PRE011", "PRE033", "PRE064", "PRE067"}
ALSO = {
    **dict.fromkeys(_QUOTAS, _QUOTAS),
    "PRE042": _ZONE,
    "PRE051": {"PRE052"},
    "PRE052": {"PRE051"},
}
"""What else is wrong with the same answer, which may be about several things."""


def planned(spec: Spec) -> Plan:
    checked = Fragments(spec.target, spec.text).checked()
    assert not checked.blocking(spec.target), [f.message for f in checked.blocking(spec.target)]
    return checked.plans[spec.target]


def seen(spec: Spec, wrong: dict[str, Any]) -> list[Finding]:
    """What is found where something is wrong in the account."""
    plan = planned(spec)
    return look(plan, Account(plan, wrong))


def codes(spec: Spec, wrong: dict[str, Any]) -> set[str]:
    return {finding.code for finding in seen(spec, wrong)}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_the_bad_answer_is_found(rule: Rule) -> None:
    found = codes(SPECS.get(rule.code, PC), yaml.safe_load(rule.bad))
    assert rule.code in found
    assert found - {rule.code} <= ALSO.get(rule.code, set())


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_the_good_answer_is_not(rule: Rule) -> None:
    assert rule.calls
    assert rule.by_hand
    assert codes(SPECS.get(rule.code, PC), yaml.safe_load(rule.good)) == set()


OTHER_GROUP = {"clusterSecurityGroupId": "sg-0other"}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({}, set()),
        ({"eks:DescribeCluster": {"cluster": {"status": "CREATING"}}}, {"PRE087"}),
        ({"eks:DescribeCluster": {"cluster": {"version": "1.34"}}}, {"PRE087"}),
        ({"eks:DescribeCluster": {"cluster": {"version": "1.36"}}}, {"PRE087"}),
        ({"eks:DescribeCluster": {"cluster": {"resourcesVpcConfig": OTHER_GROUP}}}, {"PRE087"}),
    ],
)
def test_an_existing_eks_cluster(answers: dict[str, Any], expected: set[str]) -> None:
    assert codes(JOINED_EKS, answers) == expected


def test_a_node_group_of_an_existing_eks_cluster_has_the_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Account, "eks_ListNodegroups", lambda *_: {"nodegroups": ["h200"]})
    assert codes(JOINED_EKS, {}) == {"PRE081"}
