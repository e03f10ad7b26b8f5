"""FSX009: EFA clients and the file system share a /16."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Lustre, Plan
from clustergen.rules.storage.entries import new

RULE = Rule(
    code="FSX009",
    title="EFA clients outside the /16 of the file system",
    why="Clients reach an EFA-enabled file system over EFA only from the same /16 block of the "
    "VPC. The file system is made in the first private subnet.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html",
    bad="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets:
    - {id: subnet-0a1b2c3d4e5f67890, cidr: 10.42.0.0/20}
    - {id: subnet-0a1b2c3d4e5f67891, cidr: 10.43.0.0/20}
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 1000, efa: true}]""",
    good="""network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets:
    - {id: subnet-0a1b2c3d4e5f67890, cidr: 10.42.0.0/20}
    - {id: subnet-0a1b2c3d4e5f67891, cidr: 10.42.16.0/20}
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 1000, efa: true}]""",
)


def check(plan: Plan) -> Iterator[Finding]:
    served = next((item for item in new(plan, Lustre) if item.efa), None)
    first = plan.network.private[0].cidr
    if served is None or first is None:
        return
    for index, subnet in enumerate(plan.network.private):
        if subnet.cidr and _block(subnet.cidr) != _block(first):
            yield RULE.at(
                ("network", "private_subnets", index),
                f"{subnet.cidr} is not in the /16 of {served.mount}",
                help=f"take a subnet inside {_block(first)}",
            )


def _block(cidr: str) -> object:
    network = ipaddress.ip_network(cidr)
    return network.supernet(new_prefix=16) if network.prefixlen > 16 else network
