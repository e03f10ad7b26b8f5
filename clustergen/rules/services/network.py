"""Regions of the service, and access to its nodes."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, unwanted
from clustergen.facts.catalog import services
from clustergen.facts.catalog.endpoints import MISSING
from clustergen.plan import endpoints
from clustergen.plan.model import Plan
from clustergen.rules.services import note, rule, warning

_SESSIONS = "https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager.html"
_VPC = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]"""


@rule(
    "NET020",
    "Region without the service",
    why="A service is not in every region, and a template for it fails there. The list has the "
    "date that the message names; ParallelCluster itself rejects other regions.",
    source="https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html",
    bad="region: us-west-1\nnetwork: {zone: usw1-az1}\n"
    "node_groups: [{name: h200, instance_type: m7i.4xlarge}]",
    good="region: us-west-2\nnetwork: {zone: usw2-az1}\n"
    "node_groups: [{name: h200, instance_type: m7i.4xlarge}]",
)
def region(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.region
    if limit is None or services.available(limit.service, plan.region) is not False:
        return
    service = services.SERVICES[limit.service]
    near = ", ".join(service.nearest(plan.region))
    yield Problem(
        ("region",),
        f"no {service.title} in {plan.region} as of {service.date}",
        help=f"regions that have it: {near}" if near else "choose another target",
        severity=limit.severity,
        source=limit.source,
    )


@warning(
    "NET021",
    "SSH to nodes without a public address",
    why="Session Manager opens a shell on every node. SSH reaches such nodes only through a VPN or "
    "a peered network.",
    source=_SESSIONS,
    target="eks",
    bad="network: {ssh_from: [203.0.113.0/24]}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
def ssh(plan: Plan) -> Iterator[Problem]:
    if plan.limits.no_ssh and plan.network.ssh_from:
        yield unwanted(
            ("network", "ssh_from"),
            "no node has a public address that SSH could reach",
            help="write the addresses of your VPN, or remove it and use Session Manager; "
            "kubernetes.public_endpoint_from lets kubectl in",
            source=plan.limits.no_ssh,
        )


@warning(
    "NET024",
    "SSH without a key",
    why="SSH works only for users whose public key is on the nodes. Session Manager needs "
    "neither a key nor an open port.",
    source=_SESSIONS,
    bad="network: {ssh_from: [203.0.113.0/24]}\nlogin: {instance_type: m7i.large}",
    good="""network: {ssh_from: [203.0.113.0/24]}
login: {instance_type: m7i.large}
users:
  - name: alice
    uid: 2001
    ssh_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExamples
""",
)
def no_key(plan: Plan) -> Iterator[Problem]:
    key_pair = getattr(plan.options, "key_name", None)
    # Without a target, its options are unknown, which may name a key pair.
    if not plan.target or plan.limits.no_ssh or key_pair:
        return
    if plan.network.ssh_from and not any(user.ssh_key for user in plan.users):
        yield unwanted(
            ("network", "ssh_from"),
            "port 22 is open, and no user has a key",
            help="give users with ssh_key, or remove ssh_from and use Session Manager",
        )


@note(
    "NET025",
    "Security group that has to allow its own members",
    why="EFA works only if a security group allows all traffic in from itself and out to itself. "
    "A rule for 0.0.0.0/0 does not open it. Nodes that lack the rules start, and hang in the first "
    "collective operation.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html",
    bad=f"{_VPC}\n  security_groups: [sg-0a1b2c3d4e5f67890]",
    good=_VPC,
)
def own_group(plan: Plan) -> Iterator[Problem]:
    own = [id for id in plan.network.node_security_groups if isinstance(id, str)]
    if own and any(group.efa for group in plan.node_groups):
        yield Problem(
            ("network", "security_groups"),
            f"EFA needs rules in {own[0]} for all traffic from itself and to itself",
            help="check both with: aws ec2 describe-security-group-rules --filters "
            f"Name=group-id,Values={own[0]}",
        )


@note(
    "NET023",
    "Existing subnets that nothing uses",
    why="Public subnets are for login and head nodes that SSH reaches from outside, "
    "control_plane_subnets for an EKS cluster that is created. Without these, they stay empty.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html",
    bad=f"{_VPC}\n  control_plane_subnets: [subnet-0a1b2c3d4e5f67891]",
)
def unused_subnets(plan: Plan) -> Iterator[Problem]:
    if plan.wrote("network", "control_plane_subnets") and plan.target and plan.system is None:
        yield unwanted(
            ("network", "control_plane_subnets"),
            "no EKS cluster is created, so nothing is placed in these subnets",
            help="keep them for targets that create one, or remove them",
            unused=True,
        )
    placed = {
        *(id for machine in plan.machines for id in machine.subnets),
        *(id for group in plan.node_groups for id in group.subnets),
    }
    used = _public_nodes(plan) or not placed.isdisjoint(subnet.id for subnet in plan.network.public)
    if plan.wrote("network", "public_subnets") and plan.target and not used:
        reachable = plan.limits.public_nodes
        yield unwanted(
            ("network", "public_subnets"),
            "no node is placed in these subnets",
            help="write network.ssh_from to reach nodes from outside, or remove them"
            if reachable
            else "keep them for targets that have public nodes, or remove them",
            unused=True,
        )


def _public_nodes(plan: Plan) -> bool:
    """Whether SSH from outside the network can reach nodes."""
    machines = {"head": plan.head, "login": plan.login}
    roles = (role for role in plan.limits.public_nodes if machines.get(role))
    return bool(plan.network.ssh_from) and any(roles)


@rule(
    "NET040",
    "Region without an endpoint that the cluster needs",
    why="AWS has endpoints of some services in some regions only. Karpenter and drivers of "
    "HyperPod ask EKS about the cluster.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/vpc-interface-endpoints.html",
    target="eks",
    bad="region: ap-southeast-5\nnetwork: {zone: apse5-az1, internet: none}\n"
    "software: {registry: 111122223333.dkr.ecr.ap-southeast-5.amazonaws.com/mirror}\n"
    "node_groups: [{name: h200, instance_type: g6.12xlarge, count: {max: 2}}]\n"
    "kubernetes: {autoscaler: karpenter}",
    good="kubernetes: {autoscaler: karpenter}",
)
def missing_endpoint(plan: Plan) -> Iterator[Problem]:
    for service in endpoints.needed(plan) if plan.network.closed else ():
        if plan.region in MISSING.get(service, ()):
            karpenter = service == "eks" and plan.kubernetes.autoscaler == "karpenter"
            instead = "write autoscaler: none, " if karpenter else ""
            yield Problem(
                ("kubernetes", "autoscaler") if karpenter else ("network", "internet"),
                f"AWS has no endpoint of {service} in {plan.region}",
                help=f"{instead}choose another region, or remove internet: none",
            )
