"""SSH and subnets."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from clustergen.aws import references
from clustergen.findings import Problem, Severity, drop, put, unsafe
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster import limits
from clustergen.targets.parallelcluster.options import Options
from clustergen.targets.parallelcluster.queue_owners import queue_owners
from clustergen.targets.parallelcluster.rules import rule
from clustergen.targets.parallelcluster.scheduling import subnets


@rule(
    "NET102",
    "ParallelCluster allows SSH from one block only",
    fixes="unsafe",
    why="Ssh.AllowedIps is one IPv4 block. The foundation's login security group allows several, "
    "but is not created when the spec gives existing security groups.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/HeadNode-v3.html#HeadNode-v3-Ssh",
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  security_groups: [sg-0a1b2c3d4e5f67890]
  ssh_from: [10.1.0.0/16, 10.2.0.0/16]""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  security_groups: [sg-0a1b2c3d4e5f67890]
  ssh_from: [10.1.0.0/16]""",
)
def ssh_blocks(plan: Plan) -> Iterator[Problem]:
    blocks = plan.network.ssh_from
    ipv4 = [block for block in blocks if ipaddress.ip_network(block).version == 4]
    if not plan.network.login_security_groups and (len(blocks) > 1 or len(ipv4) < len(blocks)):
        yield Problem(
            ("network", "ssh_from"),
            f"only one IPv4 block of {', '.join(blocks)} can be allowed",
            help="keep one, and allow the others in a security group of your own",
            fix=unsafe(put(("network", "ssh_from"), ipv4[:1])) if ipv4 else None,
        )


@rule(
    "NET103",
    "Private subnets that no node uses",
    fixes="unsafe",
    why="ParallelCluster spreads a group over zones only without EFA, placement group and "
    "reservation. It uses one subnet in each zone, so each subnet needs its zone.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html#yaml-Scheduling-SlurmQueues-Networking-SubnetIds",
    severity=Severity.NOTE,
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
            yield Problem(
                ("network", "private_subnets", index),
                f"no node is placed in {references.text(subnet.id)}",
                help="remove it, or list several instance types in a group without EFA",
                fix=unsafe(drop(("network", "private_subnets", index))),
            )


@rule(
    "IMG105",
    "The key pair must not be an RSA one",
    why="Ubuntu's SSH server rejects the RSA keys that EC2 creates. ParallelCluster checks the "
    "type of the key pair.",
    source="pcluster.validators.ec2_validators: KeyPairValidator",
    severity=Severity.NOTE,
    bad="targets: {parallelcluster: {key_name: admin}}",
    good="""software: {os: alinux2023}
targets: {parallelcluster: {key_name: admin}}""",
)
def rsa_key(plan: Plan) -> Iterator[Problem]:
    key_name = plan.options_as(Options).key_name
    if key_name and plan.software.os in limits.OSES_WITHOUT_RSA_KEYS:
        yield Problem(
            ("targets", "parallelcluster", "key_name"),
            f"{key_name!r} must be an ED25519 key pair for {plan.software.os}",
            help="aws ec2 create-key-pair --key-type ed25519",
        )
