"""The EKS cluster that the nodes join, and what only its owner can change."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Path, Rule, Severity
from clustergen.plan.model import Plan
from clustergen.targets.hyperpod_eks import eks_cluster, governance, limits

_TARGET = "hyperpod-eks"
CLUSTER = "arn:aws:eks:us-east-1:111122223333:cluster/training"
EXAMPLE = f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}'}}}}"
"""What the examples of this target's rules need besides what they are about."""
_PATH: Path = ("targets", _TARGET, "eks_cluster")

ARN = Rule(
    code="K8S401",
    title="Not the ARN of an EKS cluster",
    why="The request names the EKS cluster by its ARN.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/"
    "API_ClusterOrchestratorEksConfig.html",
    target=_TARGET,
    bad="targets: {hyperpod-eks: {eks_cluster: 'arn:aws:eks:us-east-1:111122223333:train'}}",
    good=EXAMPLE,
)
REGION = Rule(
    code="K8S402",
    title="EKS cluster of another region",
    why="Nodes and control plane share a VPC, which is in one region.",
    source=limits.EKS_PREREQUISITES,
    target=_TARGET,
    bad=EXAMPLE.replace("us-east-1", "us-west-2"),
    good=EXAMPLE,
)
VERSION = Rule(
    code="K8S403",
    title="Kubernetes version that HyperPod does not list",
    why="HyperPod has images of nodes for some versions of Kubernetes; the EKS cluster has to be "
    "of one of them.",
    source=limits.EKS_PREREQUISITES,
    severity=Severity.WARNING,
    target=_TARGET,
    bad=f"{EXAMPLE}\nkubernetes: {{version: '1.29'}}",
    good=f"{EXAMPLE}\nkubernetes: {{version: '1.34'}}",
)
EXISTING = Rule(
    code="K8S404",
    title="Setting of an EKS cluster that exists",
    why="The bundle adds nodes to the EKS cluster and leaves the cluster itself alone.",
    source=limits.EKS_PREREQUISITES,
    severity=Severity.WARNING,
    target=_TARGET,
    bad=f"{EXAMPLE}\nkubernetes: {{scheduler: volcano}}",
    good=f"{EXAMPLE}\nkubernetes: {{scheduler: default}}",
)
OTHER_VPC = Rule(
    code="NET400",
    title="New VPC beside an EKS cluster that exists",
    why="HyperPod's nodes and the EKS cluster's control plane have to be in one VPC.",
    source=limits.EKS_PREREQUISITES,
    severity=Severity.WARNING,
    target=_TARGET,
    bad=EXAMPLE,
    good=f"""{EXAMPLE}
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}}]
  security_groups: [sg-0a1b2c3d4e5f67890]""",
)
SECURITY_GROUP = Rule(
    code="NET401",
    title="Nodes that the control plane may not reach",
    why="The security group of the foundation lets nodes talk to each other. The EKS cluster's own "
    "group has to let them in, and they it: webhooks and logs come from the control plane. The "
    "foundation adds the rules when it knows that group.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html",
    severity=Severity.WARNING,
    target=_TARGET,
    bad=f"""{EXAMPLE}
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}}]""",
    good=f"""targets:
  hyperpod-eks: {{eks_cluster: '{CLUSTER}', eks_security_group: sg-0a1b2c3d4e5f67890}}
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}}]""",
)
UNOPENED = Rule(
    code="NET402",
    title="Security groups that nothing is added to",
    why="The rules of a security group that exists are its owner's: only a new group of nodes is "
    "opened to that of the EKS cluster.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html",
    severity=Severity.WARNING,
    target=_TARGET,
    bad=f"""targets:
  hyperpod-eks: {{eks_cluster: '{CLUSTER}', eks_security_group: sg-0a1b2c3d4e5f67891}}
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}}]
  security_groups: [sg-0a1b2c3d4e5f67890]""",
    good=OTHER_VPC.good,
)
RULES = (ARN, REGION, VERSION, EXISTING, OTHER_VPC, SECURITY_GROUP, UNOPENED)


def check(plan: Plan) -> Iterator[Finding]:
    """All findings of this module, which is about a cluster that exists."""
    if eks_cluster.is_new(plan):
        return
    yield from _cluster(plan)
    yield from _version(plan)
    yield from _left(plan)
    yield from _network(plan)


def _cluster(plan: Plan) -> Iterator[Finding]:
    arn = plan.options.eks_cluster
    if (match := limits.EKS_CLUSTER.fullmatch(arn)) is None:
        yield ARN.at(
            _PATH,
            f"{arn} is not the ARN of an EKS cluster",
            help=f"arn:{plan.partition}:eks:{plan.region}:ACCOUNT:cluster/NAME; "
            "aws eks describe-cluster shows it",
        )
    elif (match["region"], match["partition"]) != (plan.region, plan.partition):
        yield REGION.at(
            _PATH,
            f"{match['name']} is in {match['region']} ({match['partition']}), "
            f"the nodes in {plan.region}",
            help=f"take a cluster of {plan.region}, or write region: {match['region']}",
        )


def _version(plan: Plan) -> Iterator[Finding]:
    known = limits.KUBERNETES_VERSIONS
    if plan.kubernetes.version not in known and plan.wrote("kubernetes", "version"):
        yield VERSION.at(
            ("kubernetes", "version"),
            f"HyperPod is documented for Kubernetes {known[0]} to {known[-1]}, not "
            f"{plan.kubernetes.version}",
            help=f"take an EKS cluster of version {_nearest(plan.kubernetes.version)}",
        )


def _nearest(version: str) -> str:
    known = limits.KUBERNETES_VERSIONS
    minor = int(version.partition(".")[2].partition(".")[0] or 0)
    return known[0] if minor < int(known[0].partition(".")[2]) else known[-1]


_OF_THE_CONTROL_PLANE = {
    "admins": "who may do everything in the API",
    "support": "the support policy",
    "system_nodes": "what runs the controllers",
}


def _left(plan: Plan) -> Iterator[Finding]:
    """What the spec wants of the control plane or of what runs in it."""
    kubernetes = plan.kubernetes
    if kubernetes.scheduler != "default":
        yield EXISTING.at(
            ("kubernetes", "scheduler"),
            f"{kubernetes.scheduler} is not installed by this bundle",
            help="install it in the EKS cluster, with the tool that you made the cluster with",
        )
    if kubernetes.public_endpoint_from:
        yield EXISTING.at(
            ("kubernetes", "public_endpoint_from"),
            "who reaches the API of the EKS cluster is left as it is",
            help="aws eks update-cluster-config --resources-vpc-config publicAccessCidrs=... "
            "changes it",
        )
    for field, what in _OF_THE_CONTROL_PLANE.items():
        if plan.wrote("kubernetes", field):
            yield EXISTING.at(
                ("kubernetes", field),
                f"{what} of the EKS cluster is left as it is",
                help="change it with the tool that you made the cluster with",
            )
    if plan.wrote("queues") and not governance.wanted(plan):
        yield EXISTING.at(
            ("queues",),
            "queues are objects of Kueue in the EKS cluster, which this bundle does not make",
            help="write kubernetes: {admission: kueue}: quotas of HyperPod task governance",
        )


def _network(plan: Plan) -> Iterator[Finding]:
    theirs = plan.options.eks_security_group
    if theirs and theirs not in plan.network.node_security_groups and not _made(plan):
        yield UNOPENED.at(
            ("targets", _TARGET, "eks_security_group"),
            f"no rules are made between {theirs} and the security groups of the nodes",
            help="leave network.security_groups out, for a new group of nodes with those rules; or "
            f"write {theirs} among them",
        )
    if plan.network.new:
        yield OTHER_VPC.at(
            ("network",),
            "the nodes would be in a VPC of their own, the EKS cluster is in another",
            help="write vpc, private_subnets and security_groups of the EKS cluster; or deploy the "
            "foundation first and make the EKS cluster in its VPC",
        )
    elif _made(plan) and theirs is None:
        yield SECURITY_GROUP.at(
            ("network",),
            "the new security group does not know that of the EKS cluster",
            help=f"write targets.{_TARGET}.eks_security_group: sg-..., the EKS cluster's own: the "
            "foundation opens the two to each other. aws eks describe-cluster shows it as "
            "clusterSecurityGroupId",
        )


def _made(plan: Plan) -> bool:
    """Whether the foundation makes the security group of the nodes."""
    return plan.network.new_security_groups
