"""FSx for Lustre over EFA: file system, clients, and network."""

import ipaddress
from collections.abc import Iterator

from clustergen.base.findings import Problem, put, rule, unsafe, warning
from clustergen.facts.catalog import InstanceType
from clustergen.facts.catalog.fsx import efa_client
from clustergen.plan.model import Lustre, Plan
from clustergen.plan.storage_kinds import every, new, spelled

_GUIDE = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/efa-file-systems.html"

# Rocky Linux 9 has the client and kernels of RHEL 9:
# https://docs.aws.amazon.com/fsx/latest/LustreGuide/lustre-client-matrix.html (2026-08)
_SYSTEMS_WITH_EFA = ("alinux2023", "rhel9", "rocky9", "ubuntu2204", "ubuntu2404")

_EFA = "storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 1000, efa: true}]"
_GROUP = "node_groups: [{{name: h200, instance_type: {}, count: 2}}]\n"
_SUBNETS = """network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets:
    - {{id: subnet-0a1b2c3d4e5f67890, cidr: 10.42.0.0/20}}
    - {{id: subnet-0a1b2c3d4e5f67891, cidr: {}}}
"""


def _enabled(plan: Plan) -> Lustre | None:
    """The first file system that clients use over EFA."""
    return next((item for item in every(plan, Lustre) if item.efa), None)


@rule(
    "FSX005",
    "EFA without persistent-2",
    why="FSx serves clients over EFA from persistent-2 file systems with a metadata configuration "
    "only, and a file system cannot be changed into one.",
    source=_GUIDE,
    bad="storage: [{mount: /fsx, type: fsx-lustre, deployment: scratch-2, efa: true}]",
    good=_EFA,
)
def deployment(plan: Plan) -> Iterator[Problem]:
    for item in new(plan, Lustre):
        if item.efa and item.deployment != "PERSISTENT_2":
            yield Problem(
                item.at("efa"),
                f"{spelled(item.deployment)} has no EFA",
                help="write deployment: persistent-2 with storage_class: ssd, or efa: false",
                fix=unsafe(put(item.at("efa"), False)),
            )


@warning(
    "FSX006",
    "The instance type cannot reach Lustre over EFA",
    why="Clients of an EFA-enabled file system are Nitro v4 and later types with EFA, except "
    "Trn2. Others mount it over TCP, with a fraction of the throughput paid for.",
    source=_GUIDE,
    bad=_GROUP.format("p4d.24xlarge") + _EFA,
    good=_EFA,
)
def clients(plan: Plan) -> Iterator[Problem]:
    served = _enabled(plan)
    for group in plan.node_groups if served else ():
        unserved = next((type for type in group.types if not efa_client(type)), None)
        if served and group.efa and unserved:
            yield Problem(
                group.at("instance_type"),
                f"{unserved.name} reaches {served.mount} over TCP, not over EFA{_why(unserved)}",
                help="types such as p5, p5en and p6-b200 are EFA clients",
            )


def _why(type: InstanceType) -> str:
    return f": it is Nitro v{type.nitro}" if type.nitro and type.nitro < 4 else ""


@warning(
    "FSX007",
    "EFA-enabled file system, but no node has EFA",
    why="Every client would use TCP, while the file system is limited to the large sizes of EFA.",
    source=_GUIDE,
    bad=_GROUP.format("m7i.4xlarge") + _EFA,
)
def unused(plan: Plan) -> Iterator[Problem]:
    if any(group.efa for group in plan.node_groups):
        return
    for item in every(plan, Lustre):
        if item.efa:
            yield Problem(
                item.at("efa"),
                f"no node group has EFA to reach {item.mount} with",
                help="write efa: false, or use a node group whose type has EFA",
                fix=unsafe(put(item.at("efa"), False)),
            )


@warning(
    "FSX008",
    "No EFA in the Lustre client of the operating system",
    why="The Lustre client supports EFA on Amazon Linux 2023, on RHEL 9.5 and later, and on Ubuntu "
    "22.04 and later with kernel 6.8; elsewhere it uses TCP.",
    source=_GUIDE,
    bad=f"software: {{os: rhel8}}\n{_EFA}",
    good=f"software: {{os: rhel9}}\n{_EFA}",
)
def operating_system(plan: Plan) -> Iterator[Problem]:
    served = _enabled(plan)
    if served and plan.software.os not in _SYSTEMS_WITH_EFA:
        yield Problem(
            ("software", "os"),
            f"nodes with {plan.software.os} reach {served.mount} over TCP, not over EFA",
            help=f"use one of {', '.join(_SYSTEMS_WITH_EFA)}",
        )


@rule(
    "FSX009",
    "EFA clients outside the /16 of the file system",
    why="Clients reach an EFA-enabled file system over EFA only from the same /16 block of the "
    "VPC. The file system is created in the first private subnet.",
    source=_GUIDE,
    bad=_SUBNETS.format("10.43.0.0/20") + _EFA,
    good=_SUBNETS.format("10.42.16.0/20") + _EFA,
)
def network(plan: Plan) -> Iterator[Problem]:
    served = next((item for item in new(plan, Lustre) if item.efa), None)
    first = plan.network.private[0].cidr
    if served is None or first is None:
        return
    for index, subnet in enumerate(plan.network.private):
        if subnet.cidr and _block(subnet.cidr) != _block(first):
            yield Problem(
                ("network", "private_subnets", index),
                f"{subnet.cidr} is not in the /16 of {served.mount}",
                help=f"use a subnet inside {_block(first)}",
            )


def _block(cidr: str) -> object:
    network = ipaddress.ip_network(cidr)
    return network.supernet(new_prefix=16) if network.prefixlen > 16 else network
