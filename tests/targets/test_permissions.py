"""What node groups may do in AWS: policies, places in S3, roles that exist."""

import json
from typing import Any

import pytest

from tests.support.checking import Fragments

pytestmark = pytest.mark.scenarios(3)

EKS, BATCH, PCS = Fragments("eks"), Fragments("batch"), Fragments("pcs")
HYPERPOD = {name: Fragments(name) for name in ("hyperpod-slurm", "hyperpod-eks")}
POLICY = "arn:aws:iam::111122223333:policy/data"
OTHER = "arn:aws:iam::111122223333:role/teams/nodes"


def group(iam: str, more: str = "count: 2") -> str:
    return f"node_groups: [{{name: gpu, instance_type: m7i.4xlarge, {more}, iam: {{{iam}}}}}]"


ADDED = group(
    f"policies: ['{POLICY}'], s3: [{{uri: 's3://corp/runs/*', write: true}}, 's3://data']"
)
SCALED = "{min: 0, max: 2}"


def granted(role: dict[str, Any]) -> list[tuple[Any, Any]]:
    """The actions in S3, and where."""
    [policy] = role["Policies"]
    said = policy["PolicyDocument"]["Statement"]
    own = [each for each in said if each["Sid"].startswith(("Lists", "Grants"))]
    return [(e["Action"], e["Resource"][0]["Fn::Sub"].rpartition(":")[2]) for e in own]


def role_of(target: str) -> dict[str, Any]:
    """The role of the group's nodes, which the target's document refers to."""
    if target == "eks":
        name, _ = EKS.properties(ADDED, "NodeGroupGpu")["NodeRole"]["Fn::GetAtt"]
        return dict(EKS.properties(ADDED, name))
    if target == "batch":
        compute = BATCH.properties(ADDED, "ComputeEnvironmentGpu")["ComputeResources"]
        profile, _ = compute["InstanceRole"]["Fn::GetAtt"]
        [role] = BATCH.properties(ADDED, profile)["Roles"]
        return dict(BATCH.properties(ADDED, role["Ref"]))
    if target == "pcs":
        profile = PCS.properties(ADDED, "NodeGroupGpu")["IamInstanceProfileArn"]["Ref"]
        made = PCS.document("foundation.template.json", ADDED)
        name, _ = made["Outputs"][profile]["Value"]["Fn::GetAtt"]
        [role] = made["Resources"][name]["Properties"]["Roles"]
        return dict(made["Resources"][role["Ref"]]["Properties"])
    fragments = HYPERPOD[target]
    groups = fragments.document("create-cluster.json", ADDED)["InstanceGroups"]
    [output] = [each["ExecutionRole"] for each in groups if each["InstanceGroupName"] == "gpu"]
    foundation = fragments.document("foundation.template.json", ADDED)
    role, _ = foundation["Outputs"][output.strip("${}")]["Value"]["Fn::GetAtt"]
    return dict(foundation["Resources"][role]["Properties"])


@pytest.mark.parametrize("target", ["eks", "batch", "pcs", *HYPERPOD])
def test_a_group_gets_its_policies_and_places_in_s3(target: str) -> None:
    role = role_of(target)
    assert POLICY in role["ManagedPolicyArns"]
    write = ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]
    listed = [(["s3:ListBucket"], bucket) for bucket in ("corp", "data")]
    [own, data] = [(write, "corp/runs/*"), (["s3:GetObject"], "data/*")]
    assert granted(role) == [listed[0], own, listed[1], data]


def test_other_groups_do_not_get_them() -> None:
    two = ADDED.replace("]}}]", "]}}, {name: cpu, instance_type: m7i.4xlarge, count: 1}]")
    assert EKS.properties(two, "NodeGroupCpu")["NodeRole"] == {"Fn::GetAtt": ["NodeRole", "Arn"]}
    assert POLICY not in json.dumps(EKS.properties(two, "NodeRole"))


def test_nodes_of_karpenter_join_with_the_role_of_their_group() -> None:
    text = "kubernetes: {autoscaler: karpenter}\n" + ADDED.replace("count: 2", f"count: {SCALED}")
    arn = {"Fn::GetAtt": ["KarpenterNodeRoleGpu", "Arn"]}
    assert EKS.properties(text, "KarpenterNodeAccessGpu")["PrincipalArn"] == arn
    assert arn in passed(text)
    assert '"${KarpenterNodeRoleGpuName}"' in EKS.files(text)["manifests/karpenter.yaml"]
    assert "KarpenterNodeRoleGpuName" in EKS.template(text)["Outputs"]


def passed(text: str) -> list[Any]:
    """The roles that Karpenter may give to instances."""
    [policy] = EKS.properties(text, "KarpenterRole")["Policies"]
    statements = policy["PolicyDocument"]["Statement"]
    return next(list(each["Resource"]) for each in statements if each["Sid"] == "PassNodeRole")


def test_a_role_that_exists_is_that_of_the_nodes() -> None:
    text = group(f"role: '{OTHER}'")
    assert EKS.properties(text, "NodeGroupGpu")["NodeRole"] == OTHER
    assert BATCH.properties(text, "NodeRoleGpuProfile")["Roles"] == ["nodes"]
    only = f"node_groups: [{{name: h200, iam: {{role: '{OTHER}'}}}}]"
    assert "NodeRole" not in BATCH.template(only)["Resources"]


def test_karpenter_gives_a_role_that_exists_to_its_nodes() -> None:
    text = "kubernetes: {autoscaler: karpenter}\n" + group(f"role: '{OTHER}'", f"count: {SCALED}")
    assert OTHER in passed(text)
    assert EKS.properties(text, "KarpenterNodeAccessGpu")["PrincipalArn"] == OTHER
    assert "role: nodes" in EKS.files(text)["manifests/karpenter.yaml"]


def test_one_access_entry_for_a_role_of_several_groups() -> None:
    """EKS makes the entry of a managed node group, and a second one for the role is an error."""
    scaled = f"{{name: gpu, instance_type: m7i.4xlarge, count: {SCALED}, iam: {{role: '{OTHER}'}}}}"
    managed = scaled.replace(SCALED, "1").replace("gpu", "cpu")
    karpenter = "kubernetes: {autoscaler: karpenter}\nnode_groups: "
    both = EKS.template(f"{karpenter}[{scaled}, {managed}]")["Resources"]
    assert "KarpenterNodeAccessGpu" not in both
    twice = EKS.template(f"{karpenter}[{scaled}, {scaled.replace('gpu', 'big')}]")["Resources"]
    assert {"KarpenterNodeAccessGpu"} == {id for id in twice if id[:20] == "KarpenterNodeAccessG"}
    assert "KarpenterNodeAccessBig" not in twice


def test_permissions_of_head_and_login_nodes_on_hyperpod() -> None:
    text = f"head_node: {{iam: {{policies: ['{POLICY}']}}}}\nlogin: {{count: 1}}"
    fragments = HYPERPOD["hyperpod-slurm"]
    groups = fragments.document("create-cluster.json", text)["InstanceGroups"]
    roles = {each["InstanceGroupName"]: each["ExecutionRole"] for each in groups}
    assert roles["controller"] == "${HyperPodHeadNodeRoleArn}"
    assert roles["login"] == "${HyperPodExecutionRoleArn}"


def test_login_nodes_of_pcs_have_permissions_of_their_own() -> None:
    text = f"login: {{iam: {{policies: ['{POLICY}']}}}}"
    foundation = PCS.document("foundation.template.json", text)["Resources"]
    assert POLICY in foundation["NodeRoleLogin"]["Properties"]["ManagedPolicyArns"]
    assert POLICY not in foundation["NodeRole"]["Properties"]["ManagedPolicyArns"]
    profile = {"Ref": "NodeInstanceProfileLoginArn"}
    assert PCS.properties(text, "NodeGroupLogin")["IamInstanceProfileArn"] == profile
    assert PCS.properties(text, "NodeGroupH200")["IamInstanceProfileArn"] != profile
