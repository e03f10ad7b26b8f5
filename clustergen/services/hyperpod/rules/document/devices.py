"""Partitions of GPUs (MIG)."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document
from clustergen.services.hyperpod.rules.document import EKS, groups, in_group, in_request, rule
from clustergen.services.kubernetes.labels_and_taints import MIG_LABEL

_PARTITIONED = f"KubernetesConfig: {{Labels: {{{MIG_LABEL}: all-1g.18gb}}}}"


@rule(
    "OVL340",
    "MIG without continuous provisioning",
    why="HyperPod partitions GPUs only with continuous provisioning.",
    source=f"{limits.GUIDE}sagemaker-hyperpod-eks-gpu-partitioning.html",
    target=EKS,
    bad=in_request(f"NodeProvisioningMode: null, {groups(_PARTITIONED)}", EKS),
    good=in_group(_PARTITIONED, EKS),
)
def mig(document: Document) -> Iterator[Problem]:
    for group in document.groups:
        if document.is_eks and MIG_LABEL in group.labels and not document.is_continuous:
            yield group.problem(
                "KubernetesConfig",
                f"{MIG_LABEL} without continuous provisioning",
                "add NodeProvisioningMode: Continuous",
            )
