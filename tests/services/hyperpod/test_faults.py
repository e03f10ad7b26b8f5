"""Single faults in rendered bundles of HyperPod: the validator catches them.

`tests/validators/test_hyperpod.py` has faults for every branch of the validator.
"""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from tests.support.checking import example_files
from tests.validators.hyperpod import cluster_violations
from tests.validators.seeding import GONE, changed

PLAIN, KARPENTER = "hyperpod-slurm-bootstrap", "hyperpod-eks-karpenter"
TARGET = {PLAIN: "hyperpod-slurm", KARPENTER: "hyperpod-eks"}


def rendered(spec: str) -> Mapping[str, str]:
    """The files of a good spec's bundle."""
    return example_files(spec, TARGET[spec])


def validated(spec: str, files: Mapping[str, str]) -> list[str]:
    return cluster_violations({**rendered(spec), **files}, "us-east-1")


FOUNDATION, TEMPLATE = "foundation.template.json", "cluster.template.json"

# Spec, file, path, value, words of a violation.
FAULTS: list[tuple[str, str, str, Any, str]] = [
    (PLAIN, FOUNDATION, "Resources.ClusterSecurityGroupSelfEgress.Properties.IpProtocol", "tcp",
     "(Egress)"),
    (PLAIN, FOUNDATION, "Resources.ClusterSecurityGroupSelfIngress", GONE, "(Ingress)"),
    (PLAIN, TEMPLATE, "Resources", {}, "0 clusters"),
    (KARPENTER, "create-cluster.json", "NodeProvisioningMode", GONE, "only with continuous"),
    (KARPENTER, FOUNDATION, "Resources.HyperPodClusterRole.Properties.Policies", [],
     "sagemaker:BatchAddClusterNodes"),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "file", "path", "value", "words"), FAULTS)
def test_a_fault_in_a_file_is_a_violation(
    spec: str, file: str, path: str, value: Any, words: str
) -> None:
    good = json.loads(rendered(spec)[file])
    text = json.dumps(changed(good, path, value), indent=2)
    violations = validated(spec, {file: text})
    assert any(words in violation for violation in violations), violations
