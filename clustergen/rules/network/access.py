"""Access to nodes."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, unwanted, warning
from clustergen.plan import network, ssh_keys
from clustergen.plan.model import Plan

_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExamples"


@warning(
    "NET013",
    "SSH from everywhere",
    why="Attackers find an open port 22 within minutes; SSM needs no open port at all.",
    source="https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager.html",
    bad="network: {ssh_from: [0.0.0.0/0]}",
    good="network: {ssh_from: [203.0.113.0/24]}",
)
def open_to_everyone(plan: Plan) -> Iterator[Problem]:
    for path, cidr in network.ssh_sources(plan):
        if cidr in ("0.0.0.0/0", "::/0"):
            yield unwanted(
                path,
                f"SSH is open to {cidr}",
                help="name your own addresses, or remove ssh_from and use SSM",
            )


@warning(
    "NET014",
    "SSH from outside, but no public subnet",
    why="Login nodes in a private subnet have no public address: the addresses in ssh_from can "
    "reach them only through a VPN or peering.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/configure-subnets.html",
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  ssh_from: [203.0.113.0/24]""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [subnet-0a1b2c3d4e5f67890]
  public_subnets: [subnet-0a1b2c3d4e5f67891]
  ssh_from: [203.0.113.0/24]""",
)
def no_public_subnet(plan: Plan) -> Iterator[Problem]:
    if plan.network.ssh_from and not plan.network.public and not plan.network.closed:
        yield unwanted(
            ("network", "ssh_from"),
            "ssh_from needs public_subnets: nodes in private subnets have no public address",
            help="name public_subnets, or remove ssh_from and use SSM",
        )


@warning(
    "NET029",
    "Public key that SSH cannot read",
    why="A public key holds its type and its length. sshd silently skips a key that is cut short "
    "or damaged, and the user cannot log in.",
    source="https://datatracker.ietf.org/doc/html/rfc4253#section-6.6",
    bad=f"users: [{{name: alice, uid: 2001, ssh_key: {_KEY[:-9]}}}]",
    good=f"users: [{{name: alice, uid: 2001, ssh_key: {_KEY}}}]",
)
def unreadable_key(plan: Plan) -> Iterator[Problem]:
    for user in plan.users:
        flaw = ssh_keys.find_flaw(user.ssh_key) if user.ssh_key else ""
        if flaw:
            yield Problem(
                (*user.path, "ssh_key"),
                f"this public key {flaw}",
                help="copy the whole line of the .pub file; `ssh-keygen -l -f FILE` reads it",
            )
