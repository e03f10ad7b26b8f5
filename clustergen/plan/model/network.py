"""The network of a plan."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Ref:
    """A reference to the output of this name of the foundation stack."""

    name: str


Id = str | Ref
"""A literal id, or a reference to a foundation output."""


@dataclass(frozen=True, slots=True)
class Subnet:
    """A subnet; ``zone`` is a zone id or name, ``cidr`` None for an existing subnet without one."""

    id: Id
    zone: str | None
    cidr: str | None


@dataclass(frozen=True, slots=True)
class Network:
    """The VPC, and the parts of it that the cluster uses."""

    vpc: Id
    new: bool
    zone: str | None
    cidr: str | None
    private: tuple[Subnet, ...]
    """Subnets of nodes, head node and file systems, by preference; never empty."""
    public: tuple[Subnet, ...]
    """Subnets of NAT and public login nodes; empty if an existing VPC names none, or nothing
    reaches the internet."""
    control_plane: tuple[Subnet, ...]
    """Subnets for the interfaces of EKS's control plane, in two zones if the VPC has them."""
    zonal: tuple[Subnet, ...]
    """Subnets of a new VPC for node groups in zones of their own."""
    system: tuple[Subnet, ...]
    """Subnets for what runs an EKS cluster: in zones of the region, because Local Zones have few
    instance types and services, and in two of them if the VPC is new."""
    node_security_groups: tuple[Id, ...]
    login_security_groups: tuple[Id, ...]
    """Security groups of login and head nodes, besides those of node groups."""
    new_security_groups: bool
    ssh_from: tuple[str, ...]
    needed_addresses: int
    """IPv4 addresses of all nodes at their maximum, head, login and file systems, and of the
    system nodes of EKS, unless they have subnets of their own."""
    needed_system_addresses: int = 0
    """IPv4 addresses of those system nodes."""
    control_plane_security_group: str | None = None
    """Security group of an existing EKS cluster; it and the new group of nodes allow each other."""
    scheduler_security_group: str | None = None
    """The same of an existing PCS cluster."""
    internet: Literal["nat", "none"] = "nat"

    @property
    def closed(self) -> bool:
        """Whether nodes reach AWS through endpoints only."""
        return self.internet == "none"
