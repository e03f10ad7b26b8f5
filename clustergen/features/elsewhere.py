"""Features that clustergen has on some targets only: the answer of the others."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from clustergen.features.table import Support

_GUIDE: Final = "https://docs.aws.amazon.com/parallelcluster/latest/ug"
_HOW: Final = "clustergen sets it on ParallelCluster only; use the overlay"
SCRIPTS_THAT_FAIL: Final = (
    "a node whose script fails does not join; end the script with exit 0, and remove on_failure"
)
SCRIPTS_AT_BOOT: Final = (
    "scripts run at the first boot; have the script install a systemd unit, and remove every_boot"
)
_ROLES: Final = "clustergen sets it on ParallelCluster and HyperPod only; use the overlay"

ELSEWHERE: Mapping[str, Support] = MappingProxyType(
    {
        feature: Support("none", how, f"{_GUIDE}/{page}")
        for feature, how, page in (
            ("nodes.iam", _HOW, "HeadNode-v3.html#HeadNode-v3-Iam"),
            (
                "nodes.desired",
                "clustergen sets it on EKS only; remove desired, or write it as min",
                "Scheduling-v3.html",
            ),
            ("nodes.role", _ROLES, "HeadNode-v3.html#HeadNode-v3-Iam"),
            (
                "nodes.ssh-sources",
                "all login nodes have one security group; write network.ssh_from",
                "HeadNode-v3.html#HeadNode-v3-Ssh",
            ),
            ("nodes.allocation", _HOW, "Scheduling-v3.html"),
            (
                "nodes.service-name",
                "node groups of one cluster cannot share a name; remove service_name",
                "Scheduling-v3.html",
            ),
            ("software.scripts-failure", SCRIPTS_THAT_FAIL, "custom-bootstrap-actions-v3.html"),
            ("software.scripts-every-boot", SCRIPTS_AT_BOOT, "custom-bootstrap-actions-v3.html"),
            (
                "software.scripts-updated",
                "only ParallelCluster runs scripts when it updates a cluster; write when: "
                "configured, which runs on new nodes",
                "custom-bootstrap-actions-v3.html",
            ),
            (
                "storage.by-cluster",
                "the foundation creates file systems here; remove created_by",
                "SharedStorage-v3.html",
            ),
        )
    }
    | {
        "head.smt": Support(
            "partial",
            "ignored: clustergen sets it on ParallelCluster and HyperPod with Slurm only",
            f"{_GUIDE}/HeadNode-v3.html",
        ),
        "head.volume-kept": Support(
            "partial",
            "ignored: only ParallelCluster has a head node whose volume can stay",
            f"{_GUIDE}/HeadNode-v3.html",
        ),
        "login.smt": Support(
            "partial",
            "ignored: clustergen sets it on HyperPod with Slurm only",
            "https://docs.aws.amazon.com/sagemaker/latest/APIReference/"
            "API_ClusterInstanceGroupSpecification.html",
        ),
        "nodes.accelerator-taint": Support(
            "partial",
            "ignored: taints exist only in Kubernetes",
            "https://docs.aws.amazon.com/eks/latest/userguide/node-taints-managed-node-groups.html",
        ),
        "software.registry": Support(
            "partial",
            "not used on Slurm: Enroot and Docker on nodes do not log in to the registry, so tests "
            "and jobs name public images",
            "https://docs.aws.amazon.com/AmazonECR/latest/userguide/registry_auth.html",
        ),
        "storage.name": Support(
            "partial",
            "ignored: only ParallelCluster names what it mounts",
            f"{_GUIDE}/SharedStorage-v3.html",
        ),
    }
)
"""Rows by feature."""
