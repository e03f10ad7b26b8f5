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
ONE_ZONE = Rule(
    code="NET403",
    title="Control plane in one zone",
    why="EKS puts the interfaces of a control plane into subnets of two zones or more; nodes may "
    "stay in one.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/network-reqs.html",
    target=_TARGET,
    bad=f"""{_NEW}
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}}]""",
    good=f"""{_NEW}
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}}]
  control_plane_subnets:
    - {{id: subnet-0a1b2c3d4e5f67891, zone: use1-az6, cidr: 10.42.255.224/28}}
    - {{id: subnet-0a1b2c3d4e5f67892, zone: use1-az2, cidr: 10.42.255.240/28}}""",
)
LEFT = Rule(
    code="K8S433",
    title="Software that HyperPod's bundle does not install",
    why="The bundle installs HyperPod's own chart and add-ons: Kueue by task governance, MPI and "
    "PyTorch jobs by their operators.",
    source=limits.INSTALL,
    severity=Severity.WARNING,
    target=_TARGET,
    bad=f"{_NEW}\nkubernetes: {{scheduler: volcano}}",
    good=f"{_NEW}\nkubernetes: {{scheduler: default}}",
)
_ROLE = "arn:aws:iam::111122223333:role/platform"
ADMIN = Rule(
    code="IAM400",
    title="Administrator that EKS would refuse",
    why="A cluster has one access entry for each role or user, and knows those of its own "
    "partition.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/creating-access-entries.html",
    target=_TARGET,
    bad=f"{_NEW}\nkubernetes: {{admins: ['{_ROLE}', '{_ROLE}']}}",
    good=f"{_NEW}\nkubernetes: {{admins: ['{_ROLE}']}}",
)
RULES = (VERSION, PRIVATE, DEVICES, LEFT, ONE_ZONE, ADMIN)


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
    zones = {subnet.zone for subnet in plan.network.control_plane}
    if not plan.network.new and len(zones) < 2:
        named = plan.wrote("network", "control_plane_subnets")
        yield ONE_ZONE.at(
            ("network", "control_plane_subnets" if named else "private_subnets"),
            "the subnets for the control plane are not known to be in two zones",
            help="write network.control_plane_subnets: two subnets with the zone of each",
        )
    yield from _left(plan)
    yield from _admins(plan)
    if not plan.kubernetes.public_endpoint_from:
        yield PRIVATE.at(
            ("targets", _TARGET, "eks_cluster"),
            "only machines inside the VPC reach the API of the new EKS cluster",
            help="run deploy.sh inside the VPC, or write kubernetes: {public_endpoint_from: [...]} "
            "with the addresses that you come from",
        )


def _left(plan: Plan) -> Iterator[Finding]:
    kubernetes = plan.kubernetes
    if kubernetes.scheduler != "default":
        yield LEFT.at(
            ("kubernetes", "scheduler"),
            f"{kubernetes.scheduler} is not installed by this bundle",
            help="install it with helm once the cluster is there, or take the eks target",
        )
    if kubernetes.jobs == "kubeflow-trainer":
        yield LEFT.at(
            ("kubernetes", "jobs"),
            "HyperPod's chart brings the operators of PyTorchJob and MPIJob, not Kubeflow Trainer",
            help="install it with helm once the cluster is there, or take the eks target",
        )


def _admins(plan: Plan) -> Iterator[Finding]:
    admins = plan.kubernetes.admins
    for index, arn in enumerate(admins):
        partition = arn.split(":")[1]
        if arn in admins[:index]:
            yield ADMIN.at(
                ("kubernetes", "admins", index), f"{arn} stands here twice", help="leave one out"
            )
        elif partition != plan.partition:
            yield ADMIN.at(
                ("kubernetes", "admins", index),
                f"{arn} is of {partition}, the cluster of {plan.partition}",
                help=f"name a role of {plan.partition}",
            )
