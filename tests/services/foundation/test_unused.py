"""A foundation for a ParallelCluster cluster that does without clustergen's additions."""

import pytest

from clustergen.base.text_lists import word_set
from tests.support.checking import Fragments

PARALLELCLUSTER = Fragments("parallelcluster")
VPC = """network:
  zone: use1-az6
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]
"""
ADDITIONS = "hook, script-access, security-groups, session-manager"
OURS = VPC + f"targets: {{parallelcluster: {{leave_out: [{ADDITIONS}]}}}}\n"


def _resources(text: str) -> set[str]:
    template = PARALLELCLUSTER.files(text).get("foundation.template.json", "")
    names = ("ClusterSecurityGroup", "LoginSecurityGroup", "ScriptsBucket", "ScriptsPolicy")
    return {name for name in (*names, "SessionPolicy") if f'"{name}": {{' in template}


def test_a_cluster_without_additions_has_no_foundation() -> None:
    assert "foundation.template.json" not in PARALLELCLUSTER.files(OURS)


GROUPS = "ClusterSecurityGroup LoginSecurityGroup"
NEEDED = [
    (OURS.replace("security-groups, ", ""), GROUPS),
    (OURS.replace(", session-manager", ""), "SessionPolicy"),
    (OURS.replace("hook, ", ""), "ScriptsBucket ScriptsPolicy"),
    # File systems admit the security groups of nodes.
    (OURS + "storage: [{mount: /data, type: efs}]", GROUPS),
    # Another target of the spec needs them.
    (OURS.replace("]}}", "]}, pcs: {}}"), f"{GROUPS} ScriptsBucket ScriptsPolicy SessionPolicy"),
]


@pytest.mark.parametrize(("text", "needed"), NEEDED)
def test_what_something_needs_is_there(text: str, needed: str) -> None:
    assert _resources(text) == word_set(needed)
