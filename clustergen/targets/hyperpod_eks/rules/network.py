"""The VPC and security groups of nodes and the EKS cluster."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, unwanted
from clustergen.plan.model import Plan
from clustergen.rules.services.existing import unchanged
from clustergen.targets.hyperpod_eks import limits
from clustergen.targets.hyperpod_eks.options import Options
from clustergen.targets.hyperpod_eks.rules import CLUSTER, EXISTING, warning

_SECURITY_GROUPS = "https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html"
_VPC = """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6, cidr: 10.42.0.0/17}]"""
_GROUPS = "\n  security_groups: [sg-0a1b2c3d4e5f67890]"


def _with_security_group(id: str) -> str:
    return f"targets:\n  hyperpod-eks: {{eks_cluster: '{CLUSTER}', eks_security_group: {id}}}"


@warning(
    "NET400",
    "New VPC beside an existing EKS cluster",
    why="HyperPod's nodes and the EKS cluster's control plane have to be in one VPC.",
    source=limits.EKS_PREREQUISITES,
    bad=EXISTING,
    good=f"{EXISTING}{_VPC}{_GROUPS}",
)
def other_vpc(plan: Plan) -> Iterator[Problem]:
    # NET043 is an error about a HyperPod cluster that exists.
    if plan.creates_cluster and not plan.options.creates_eks and plan.network.new:
        yield Problem(
            ("network",),
            "the nodes would be in a new VPC, but the EKS cluster is in another",
            help="write vpc, private_subnets and security_groups of the EKS cluster; or deploy the "
            "foundation first and create the EKS cluster in its VPC",
        )


@warning(
    "NET404",
    "Security group of an EKS cluster that does not exist yet",
    why="EKS creates the security group with the cluster, and the bundle assigns it to the nodes.",
    source=_SECURITY_GROUPS,
    bad="targets: {hyperpod-eks: {eks_cluster: new, eks_security_group: sg-0a1b2c3d4e5f67890}}",
)
def group_of_a_new_cluster(plan: Plan) -> Iterator[Problem]:
    if plan.options.creates_eks and plan.options_as(Options).eks_security_group:
        yield unwanted(
            ("targets", "hyperpod-eks", "eks_security_group"),
            "EKS creates the security group of a new EKS cluster",
            help="remove it, or write the ARN of an existing cluster as eks_cluster",
        )


@warning(
    "NET401",
    "Nodes that the control plane cannot reach",
    why="The security group of the foundation lets nodes talk to each other. Webhooks and logs "
    "also need traffic between the nodes and the control plane: the security groups of both have "
    "to allow each other. The foundation adds these rules when "
    "the spec names the group of the EKS cluster.",
    source=_SECURITY_GROUPS,
    bad=f"{EXISTING}{_VPC}",
    good=f"{_with_security_group('sg-0a1b2c3d4e5f67890')}{_VPC}",
)
def security_group(plan: Plan) -> Iterator[Problem]:
    if plan.options.creates_eks or plan.network.new or not plan.network.new_security_groups:
        return
    if plan.options_as(Options).eks_security_group is None and not plan.existing.memberships:
        yield Problem(
            ("network",),
            "the new security group does not allow traffic with the EKS cluster",
            help="write targets.hyperpod-eks.eks_security_group: sg-..., that of the EKS "
            "cluster: the foundation lets the two groups reach each "
            "other. aws eks describe-cluster shows it as "
            "clusterSecurityGroupId",
        )


@warning(
    "NET402",
    "Existing security groups are not changed",
    why="clustergen adds rules between the group of the EKS cluster and the one that it creates "
    "for the nodes. It does not change the groups in network.security_groups.",
    source=_SECURITY_GROUPS,
    bad=f"{_with_security_group('sg-0a1b2c3d4e5f67891')}{_VPC}{_GROUPS}",
    good=f"{EXISTING}{_VPC}{_GROUPS}",
)
def unchanged_groups(plan: Plan) -> Iterator[Problem]:
    network, theirs = plan.network, plan.options_as(Options).eks_security_group
    if plan.options.creates_eks or network.new_security_groups or not theirs:
        return
    if theirs not in plan.existing.memberships and theirs not in network.node_security_groups:
        yield unchanged(("targets", "hyperpod-eks", "eks_security_group"), theirs)
