"""SSH and subnets."""

import ipaddress
from collections.abc import Iterator

from clustergen.base.findings import Problem, put, unsafe, unwanted
from clustergen.plan.model import Lustre, Plan
from clustergen.plan.network import is_prefix_list
from clustergen.services.aws import references
from clustergen.targets.parallelcluster import limits, nodes
from clustergen.targets.parallelcluster.options import Options
from clustergen.targets.parallelcluster.queues import queue_owners, subnets
from clustergen.targets.parallelcluster.rules import note, rule, warning


@rule(
    "NET102",
    "ParallelCluster allows SSH from one block only",
    why="Ssh.AllowedIps is one IPv4 block or prefix list. The foundation's login security group "
    "allows several, but is not created when the spec gives existing security groups.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#HeadNode-v3-Ssh",
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  security_groups: [sg-0a1b2c3d4e5f67890]
  ssh_from: [10.1.0.0/16, 10.2.0.0/16]""",
)
def ssh_blocks(plan: Plan) -> Iterator[Problem]:
    blocks = plan.network.ssh_from
    ipv4 = [b for b in blocks if is_prefix_list(b) or ipaddress.ip_network(b).version == 4]
    if not plan.network.login_security_groups and (len(blocks) > 1 or len(ipv4) < len(blocks)):
        yield Problem(
            ("network", "ssh_from"),
            f"only one IPv4 block or prefix list of {', '.join(blocks)} can be allowed",
            help="keep one, and allow the others in a security group of your own",
            fix=unsafe(put(("network", "ssh_from"), ipv4[:1])) if ipv4 else None,
        )


@note(
    "NET103",
    "Private subnets that no node uses",
    why="ParallelCluster spreads a group over zones only without EFA, placement group and "
    "reservation. It uses one subnet in each zone, so each subnet needs its zone.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-Networking-SubnetIds",
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890, {id: subnet-0a1b2c3d4e5f67891, zone: use1-az2}]""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890, {id: subnet-0a1b2c3d4e5f67891, zone: use1-az2}]
node_groups: [{name: h200, instance_type: m7i.4xlarge}]""",
)
def unused_subnets(plan: Plan) -> Iterator[Problem]:
    used = {id for queue in queue_owners(plan).queues for id in subnets(plan, queue)}
    for index, subnet in enumerate(plan.network.private):
        if index and used and references.text(subnet.id) not in used:
            yield unwanted(
                ("network", "private_subnets", index),
                f"no node is placed in {references.text(subnet.id)}",
                help="remove it, or list several instance types in a group without EFA",
            )


@note(
    "IMG105",
    "The key pair must not be an RSA one",
    why="Ubuntu's SSH server rejects the RSA keys that EC2 creates. ParallelCluster checks the "
    "type of the key pair.",
    source="pcluster.validators.ec2_validators: KeyPairValidator",
    bad="targets: {parallelcluster: {key_name: admin}}",
    good="software: {os: alinux2023}\ntargets: {parallelcluster: {key_name: admin}}",
)
def rsa_key(plan: Plan) -> Iterator[Problem]:
    key_name = plan.options_as(Options).key_name
    if key_name and plan.software.os in limits.OSES_WITHOUT_RSA_KEYS:
        yield Problem(
            ("targets", "parallelcluster", "key_name"),
            f"{key_name!r} must be an ED25519 key pair for {plan.software.os}",
            help="aws ec2 create-key-pair --key-type ed25519",
        )


_CLOSED = (
    "https://docs.aws.amazon.com/parallelcluster/latest/ug/"
    "aws-parallelcluster-in-a-single-public-subnet-no-internet-v3.html"
)


@rule(
    "NET105",
    "Records in Route 53 without a way to the internet",
    why="ParallelCluster keeps the names of nodes in Route 53. For a network without a way to the "
    "internet, it documents host names of EC2 only, which clustergen sets there by default.",
    source=_CLOSED,
    bad="network: {internet: none}\nsoftware: {containers: none}\n"
    "targets: {parallelcluster: {dns: {managed: true}}}",
)
def managed_names(plan: Plan) -> Iterator[Problem]:
    dns = plan.options_as(Options).dns
    if plan.network.closed and dns and (dns.managed or not dns.ec2_hostnames):
        path = ("targets", "parallelcluster", "dns")
        yield unwanted(
            path,
            "nodes need the host names of EC2 where network.internet is none",
            help="remove dns, or write dns: {managed: false, ec2_hostnames: true}",
        )


@rule(
    "NET106",
    "Desktops without a way to the internet",
    why="Users reach Amazon DCV at the public address of its node, and there is none.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/dcv-v3.html",
    bad="network: {internet: none}\nsoftware: {containers: none}\n"
    "targets: {parallelcluster: {dcv: {}}}",
)
def desktops(plan: Plan) -> Iterator[Problem]:
    for path, *_ in nodes.desktops(plan) if plan.network.closed else ():
        yield unwanted(
            path,
            "nothing leads to the desktops where network.internet is none",
            help="remove dcv, or remove internet: none",
        )


@warning(
    "NET111",
    "Desktops open to everyone",
    why="ParallelCluster opens the port of Amazon DCV to 0.0.0.0/0 where allowed_from is missing; "
    "only the token of a session then keeps strangers out.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#HeadNode-v3-Dcv",
    bad="targets: {parallelcluster: {dcv: {}}}",
    good="targets: {parallelcluster: {dcv: {allowed_from: 203.0.113.0/24}}}",
)
def open_desktops(plan: Plan) -> Iterator[Problem]:
    for path, given, _ in () if plan.network.closed else nodes.desktops(plan):
        if given.allowed_from in (None, "0.0.0.0/0"):
            yield Problem(
                path,
                f"port {given.port} is open to 0.0.0.0/0",
                help="add allowed_from: the block or prefix list of those who connect",
            )


@rule(
    "NET107",
    "Docker from the internet",
    why="ParallelCluster's images have no Docker. Nodes install it at boot: on Amazon Linux from "
    "repositories in S3, elsewhere from those of the distribution, which no endpoint leads to.",
    source=_CLOSED,
    bad="network: {internet: none}\nsoftware: {os: ubuntu2404, containers: docker}",
)
def docker(plan: Plan) -> Iterator[Problem]:
    software = plan.software
    if not plan.network.closed or software.containers != "docker" or software.os == "alinux2023":
        return
    images = [machine.image for machine in (plan.head, *plan.all_login) if machine]
    if not all((*images, *(group.image for group in plan.node_groups))):
        path = ("software", "containers")
        yield Problem(
            path,
            f"nodes with {software.os} cannot install Docker where network.internet is none",
            help="use images with Docker for all nodes, os: alinux2023, or containers: none",
            fix=unsafe(put(path, "none")),
        )


_SUBNETS = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890, subnet-0a1b2c3d4e5f67891]
node_groups:
  - name: cpu
    instance_type: m7i.4xlarge
    count: 2
    placement: {}
    subnets: [subnet-0a1b2c3d4e5f67890, subnet-0a1b2c3d4e5f67891]"""


@rule(
    "NET114",
    "Several subnets for nodes that have to be in one zone",
    why="ParallelCluster takes one subnet of each zone for a queue. A cluster placement group, "
    "and a file system that ParallelCluster creates on FSx, are in one zone.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html"
    "#yaml-Scheduling-SlurmQueues-Networking-SubnetIds",
    bad=_SUBNETS.format("cluster"),
    good=_SUBNETS.format("none"),
)
def one_zone(plan: Plan) -> Iterator[Problem]:
    used = {id for queue in queue_owners(plan).queues for id in subnets(plan, queue)}
    for item in plan.storage:
        if isinstance(item, Lustre) and item.new_in_cluster and len(used) > 1:
            yield Problem(
                item.at("created_by"),
                f"nodes are in {len(used)} subnets; ParallelCluster creates {item.mount} for one",
                help="write created_by: foundation",
                fix=unsafe(put(item.at("created_by"), "foundation")),
            )
    zones = {
        subnet.id: subnet.zone
        for index, subnet in enumerate(plan.network.private)
        if plan.wrote("network", "private_subnets", index, "zone")
    }
    for group in plan.node_groups:
        known = [zones[id] for id in group.subnets if id in zones]
        reasons = {
            "a cluster placement group": group.placement.kind != "none",
            "two of them in one zone": len(known) > len(set(known)),
        }
        reason = next((text for text, holds in reasons.items() if holds), "")
        if reason and not group.efa and len(group.subnets) > 1:
            yield Problem(
                group.at("subnets"),
                f"{group.name} has {len(group.subnets)} subnets, and {reason}",
                help=f"write subnets: [{group.subnets[0]}]",
                fix=unsafe(put(group.at("subnets"), [group.subnets[0]])),
            )
