"""Networks without a way to the internet: what is rejected there, and what is not."""

import pytest

from tests.support.checking import codes

CODES = {*(f"NET03{digit}" for digit in range(2, 7)), "NET014", "NET105", "NET106", "NET107"}
VPC = "vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890], internet: none"
NONE = "network: {internet: none}\nsoftware: {containers: none}\n"
SCRIPT = "network: {internet: none}\nsoftware: {scripts: [{run: '%s', on: [compute]}]}"
METRICS = """monitoring: {metrics: cloudwatch}
node_groups: [{name: h200, instance_type: m7i.4xlarge}]"""
DNS = "targets: {parallelcluster: {dns: {%s}}}"
CASES = [
    (NONE, "", set()),
    (NONE, "pcs", set()),
    # From outside: addresses of peered networks reach an existing VPC.
    (f"network: {{{VPC}, ssh_from: [10.0.0.0/8]}}", "", set()),
    (f"network: {{{VPC}, ssh_from: [203.0.113.0/24]}}", "", {"NET032"}),
    (f"network: {{{VPC}, public_subnets: [subnet-0a1b2c3d4e5f67891]}}", "", {"NET032"}),
    (f"{NONE}head_node: {{ssh_from: 203.0.113.0/24}}", "parallelcluster", {"NET032"}),
    (f"{NONE}head_node: {{ssh_from: pl-0a1b2c3d4e5f67890}}", "parallelcluster", set()),
    # URLs of S3 in the region go through the gateway endpoint.
    (SCRIPT % "https://b.s3.us-east-1.amazonaws.com/a.sh", "", set()),
    (SCRIPT % "https://b.s3.dualstack.us-east-1.amazonaws.com/a.sh", "", set()),
    (SCRIPT % "https://b.s3.us-west-2.amazonaws.com/a.sh", "", {"NET033"}),
    (SCRIPT % "https://evil-s3.us-east-1.amazonaws.com.example/a.sh", "", {"NET033"}),
    # Batch has a rule of its own.
    ("network: {internet: none}\nsoftware: {containers: docker}", "batch", set()),
    # Nodes that run metrics, with and without GPUs.
    (f"{NONE}{METRICS}", "pcs", set()),
    (NONE + DNS % "managed: false", "parallelcluster", {"NET105"}),
    (NONE + DNS % "managed: false, ec2_hostnames: true", "parallelcluster", set()),
]


@pytest.mark.parametrize(("text", "target", "expected"), CASES)
def test_findings(text: str, target: str, expected: set[str]) -> None:
    assert set(codes(text, target)) & CODES == expected


@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
def test_clusters_of_kubernetes_need_a_registry_there(target: str) -> None:
    assert "NET037" in codes(NONE, target)
    mirrored = NONE.replace(
        "containers: none", "registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror"
    )
    assert not {"NET037", "SUP001"} & set(codes(mirrored, target))
