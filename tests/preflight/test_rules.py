"""Each rule finds its problem in the account, and nothing else is found."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
import yaml

from clustergen import discovery
from clustergen.findings import EXAMPLE_BASE, Rule
from clustergen.plan.model import Plan
from tests.checking import Fragments
from tests.preflight.account import Account
from tests.preflight.test_accounts import look

RULES = {rule.code: rule for rule in discovery.rules("clustergen.preflight.rules") if rule.check}

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


PC = Spec(EXISTING, "parallelcluster")
PRIVATE = Spec(
    EXISTING.replace("  public_subnets: [subnet-0a1b2c3d4e5f60008]\n", ""), "parallelcluster"
)
CLOSED = Spec(
    PRIVATE.text.replace("network:\n", "network:\n  internet: none\n", 1), "parallelcluster"
)
BASE = Spec(EXAMPLE_BASE, "pcs")
NEW_CLOSED = Spec(
    EXAMPLE_BASE.replace("az6}", "az6, internet: none}") + "targets: {pcs: {}}\n", "pcs"
)
EKS = Spec(EXAMPLE_BASE, "eks")
JOINED = Spec(
    EXAMPLE_BASE
    + "targets: {hyperpod-eks: "
    + "{eks_cluster: 'arn:aws:eks:us-east-1:111122223333:cluster/platform'}}\n",
    "hyperpod-eks",
)
JOINED_PCS = Spec(
    EXAMPLE_BASE.replace(
        "{zone: use1-az6}",
        "{vpc: vpc-0a1b2c3d4e5f60001, zone: use1-az6, private_subnets: [subnet-0a1b2c3d4e5f60002]}",
    )
    + "slurm: {version: '25.11'}\ntargets: {pcs: {cluster: pcs_0a1b2c3d4e}}\n",
    "pcs",
)
JOINED_EKS = Spec(
    JOINED_PCS.text.partition("slurm:")[0]
    + "kubernetes: {version: '1.35'}\ntargets: {eks: {cluster: platform, "
    + "cluster_security_group: sg-0a1b2c3d4e5f60009}}\n",
    "eks",
)
JOINED_HYPERPOD = Spec(
    EXAMPLE_BASE.replace(
        "{zone: use1-az6}",
        "{vpc: vpc-0a1b2c3d4e5f60001, zone: use1-az6, private_subnets: [subnet-0a1b2c3d4e5f60002]}",
    )
    + "targets: {hyperpod-slurm: {cluster: platform}}\n",
    "hyperpod-slurm",
)
OF_PCS = Spec(
    EXAMPLE_BASE.replace(
        "name: h200,",
        "name: h200, iam: {instance_profile: 'arn:aws:iam::111122223333:instance-profile/nodes'},",
    ),
    "pcs",
)
HYPERPOD = Spec(EXAMPLE_BASE, "hyperpod-slurm")
KEYED = Spec(
    EXAMPLE_BASE
    + "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, kms_key: "
    + "'arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789'}]\n",
    "pcs",
)
DATED = Spec(
    EXAMPLE_BASE.replace(
        "count: 2}",
        "count: 2, capacity: {capacity_block: cr-0a1b2c3d4e5f60004, starts: 2020-01-01T00:00:00Z, "
        "ends: 2099-01-01T11:30:00Z}}",
    ),
    "pcs",
)
LISTED = Spec(
    EXAMPLE_BASE + "login: {instance_type: m7i.large, ssh_from: pl-0a1b2c3d4e5f67890}\n",
    "parallelcluster",
)
SPECS = {
    **dict.fromkeys(("PRE020", "PRE022", "PRE023", "PRE074", "PRE081"), BASE),
    "PRE021": HYPERPOD,
    "PRE072": KEYED,
    "PRE076": LISTED,
    "PRE078": OF_PCS,
    **dict.fromkeys(("PRE085", "PRE086"), EKS),
    "PRE036": DATED,
    "PRE087": JOINED,
    "PRE088": JOINED_PCS,
    "PRE090": JOINED_HYPERPOD,
    "PRE043": PRIVATE,
    "PRE045": NEW_CLOSED,
}
"""The specs of rules that :data:`PC` has nothing for."""
_ZONE = {"PRE011", "PRE033", "PRE064", "PRE067"}
ALSO = {
    "PRE020": {"PRE022", "PRE023"},
    "PRE022": {"PRE020", "PRE023"},
    "PRE023": {"PRE020", "PRE022"},
    "PRE042": _ZONE,
    "PRE051": {"PRE052"},
    "PRE052": {"PRE051"},
}
"""What else is wrong with the same answer, which may be about several things."""


def planned(spec: Spec) -> Plan:
    checked = Fragments(spec.target, spec.text).checked()
    assert not checked.blocking(spec.target), [f.message for f in checked.blocking(spec.target)]
    return checked.plans[spec.target]


def codes(spec: Spec, wrong: dict[str, Any]) -> set[str]:
    plan = planned(spec)
    return {finding.code for finding in look(plan, Account(plan, wrong))}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_the_bad_answer_is_found(rule: Rule) -> None:
    found = codes(SPECS.get(rule.code, PC), yaml.safe_load(rule.bad))
    assert rule.code in found
    assert found - {rule.code} <= ALSO.get(rule.code, set())


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES.keys())
def test_the_good_answer_is_not(rule: Rule) -> None:
    assert codes(SPECS.get(rule.code, PC), yaml.safe_load(rule.good)) == set()


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({}, set()),
        ({"eks:DescribeCluster": {"cluster": {"status": "CREATING"}}}, {"PRE087"}),
        ({"eks:DescribeCluster": {"cluster": {"version": "1.34"}}}, {"PRE087"}),
        ({"eks:DescribeCluster": {"cluster": {"version": "1.36"}}}, {"PRE087"}),
        (
            {
                "eks:DescribeCluster": {
                    "cluster": {"resourcesVpcConfig": {"clusterSecurityGroupId": "sg-0other"}}
                }
            },
            {"PRE087"},
        ),
    ],
)
def test_an_existing_eks_cluster(answers: dict[str, Any], expected: set[str]) -> None:
    assert codes(JOINED_EKS, answers) == expected


def test_a_node_group_of_an_existing_eks_cluster_has_the_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Account, "eks_ListNodegroups", lambda *_: {"nodegroups": ["h200"]})
    assert codes(JOINED_EKS, {}) == {"PRE081"}
