"""Nodes that join an existing cluster: the same rules for every target that has one."""

import pytest

from tests.support.checking import check_fragment

CLUSTERS = {
    "pcs": "cluster: pcs_0a1b2c3d4e",
    "eks": "cluster: platform",
    "hyperpod-slurm": "cluster: platform",
    "hyperpod-eks": "cluster: platform, "
    "eks_cluster: 'arn:aws:eks:us-east-1:111122223333:cluster/platform'",
}
OWN_GROUP = frozenset({"eks"})
"""Whose nodes get the security group of the cluster, so that it is no matter of the foundation."""
THEIRS, OURS = "sg-0a1b2c3d4e5f67891", "sg-0a1b2c3d4e5f67890"
CODES = {"NET043", "NET044", "NET045", "NET046"}


def vpc(groups: str = "") -> str:
    return f"""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}}]
  {f"security_groups: [{groups}]" if groups else ""}
"""


def found(target: str, network: str, cluster: str) -> dict[str, str]:
    """The help of each finding about the cluster, by code."""
    text = f"{network}targets: {{{target}: {{{cluster}}}}}\n"
    findings = check_fragment(text, target).findings
    return {f.code: str(f.help) for f in findings if f.code in CODES}


@pytest.mark.parametrize("target", CLUSTERS)
def test_a_new_vpc_does_not_have_the_cluster(target: str) -> None:
    named = CLUSTERS[target]
    id = named.split(",")[0].split()[-1]
    answers = found(target, "", named)
    assert set(answers) == {"NET043"}
    assert answers["NET043"].startswith(f"write vpc and private_subnets of {id}: aws ")
    assert answers["NET043"].endswith(f" {id}")


@pytest.mark.parametrize("target", CLUSTERS)
def test_nodes_and_cluster_need_a_way_to_each_other(target: str) -> None:
    named = CLUSTERS[target]
    group = f"{named}, cluster_security_group: {THEIRS}"
    asked = set() if target in OWN_GROUP else {"NET044"}
    unchanged = {"NET046"} if target == "pcs" else set()
    assert set(found(target, vpc(), named)) == asked
    assert set(found(target, vpc(), group)) == set()
    assert set(found(target, vpc(OURS), group)) == unchanged
    assert set(found(target, vpc(THEIRS), group)) == set()


def test_controllers_of_an_existing_cluster_are_not_counted() -> None:
    options = f"{CLUSTERS['hyperpod-slurm']}, controllers: 2"
    text = f"{vpc()}targets: {{hyperpod-slurm: {{{options}}}}}\n"
    findings = check_fragment(text, "hyperpod-slurm").findings
    assert not {"SLM358", "SLM359"} & {f.code for f in findings}
    ineffective = [f.path[-1] for f in findings if f.code == "LIM304"]
    assert ineffective == ["controllers"]


def test_a_setting_without_effect_is_one_finding() -> None:
    text = f"{vpc()}targets: {{hyperpod-slurm: {{{CLUSTERS['hyperpod-slurm']}}}}}\n"
    setting = "slurm: {settings: {ReturnToService: 1}}\n"
    findings = check_fragment(text + setting, "hyperpod-slurm").findings
    mine = [f.code for f in findings if f.path[:2] == ("slurm", "settings")]
    assert mine == ["LIM304"]


@pytest.mark.parametrize("target", CLUSTERS)
def test_a_new_cluster_has_no_group_yet(target: str) -> None:
    group = f"cluster_security_group: {THEIRS}"
    assert set(found(target, "", group)) == {"NET045"}
    assert set(found(target, "", "cluster: new")) == set()
