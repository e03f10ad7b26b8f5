"""A new EKS cluster, and what of ``kubernetes`` HyperPod's chart decides."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule, Severity
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import eks_cluster, limits

_TARGET = "hyperpod-eks"
_NEW = "targets: {hyperpod-eks: {eks_cluster: new}}"

VERSION = Rule(
    code="K8S430",
    title="New EKS cluster of a version that HyperPod has no images for",
    why="HyperPod has images of nodes for some versions of Kubernetes; nodes would not join a "
    "cluster of another one, and EKS does not go back to an older one.",
    source=limits.EKS_PREREQUISITES,
    target=_TARGET,
    bad=f"{_NEW}\nkubernetes: {{version: '1.36'}}",
    good=f"{_NEW}\nkubernetes: {{version: '1.35'}}",
)
PRIVATE = Rule(
    code="K8S431",
    title="API of the new EKS cluster that only the VPC reaches",
    why="deploy.sh installs HyperPod's chart before there are nodes, and has to reach the API.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html",
    severity=Severity.NOTE,
    target=_TARGET,
    bad=_NEW,
    good=f"{_NEW}\nkubernetes: {{public_endpoint_from: [203.0.113.0/24]}}",
)
DEVICES = Rule(
    code="K8S432",
    title="Dynamic resource allocation on HyperPod",
    why="HyperPod's chart brings device plugins; beside a driver of dynamic resource allocation "
    "both would give out the same devices.",
    source=limits.INSTALL,
    target=_TARGET,
    bad=f"{_NEW}\nkubernetes: {{devices: dra}}",
    good=f"{_NEW}\nkubernetes: {{devices: plugin}}",
)
RULES = (VERSION, PRIVATE, DEVICES)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module."""
    if plan.kubernetes.devices == "dra":
        yield DEVICES.at(
            ("kubernetes", "devices"),
            "HyperPod gives pods their devices by device plugins",
            help="write devices: plugin, or take the eks target",
        )
    if eks_cluster.is_new(plan):
        yield from _new(plan)


def _new(plan: Plan) -> Iterator[Finding]:
    known = limits.KUBERNETES_VERSIONS
    if plan.kubernetes.version not in known:
        yield VERSION.at(
            ("kubernetes", "version"),
            f"HyperPod is documented for Kubernetes {known[0]} to {known[-1]}, not "
            f"{plan.kubernetes.version}",
            help=f"write version: '{known[-1]}'",
        )
    if not plan.kubernetes.public_endpoint_from:
        yield PRIVATE.at(
            ("targets", _TARGET, "eks_cluster"),
            "only machines inside the VPC reach the API of the new EKS cluster",
            help="run deploy.sh inside the VPC, or write kubernetes: {public_endpoint_from: [...]} "
            "with the addresses that you come from",
        )
