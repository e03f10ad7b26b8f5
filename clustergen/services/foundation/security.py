"""Security groups of nodes, login nodes and file systems.

Rules are separate resources, because a group cannot refer to itself in its own definition.
"""

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from clustergen.base.artifacts import Json
from clustergen.facts.catalog import fsx
from clustergen.plan import storage_kinds
from clustergen.plan.model import Efs, Lustre, OpenZfs, Plan
from clustergen.plan.network import is_prefix_list
from clustergen.services.aws import cfn
from clustergen.services.foundation.parts import (
    NOTHING,
    Output,
    Part,
    here,
    keeps_data,
    lasting,
    merged,
    named,
    serves,
)

NODES = "ClusterSecurityGroup"
LOGIN = "LoginSecurityGroup"
FILES = "StorageSecurityGroup"

FileSystem = Lustre | OpenZfs | Efs
Direction = Literal["Ingress", "Egress"]
_DIRECTIONS: tuple[Direction, ...] = ("Ingress", "Egress")


@dataclass(frozen=True, slots=True)
class Ports:
    """A port range of a protocol."""

    protocol: Literal["tcp", "udp"]
    first: int
    last: int

    @property
    def traffic(self) -> Json:
        """The range as the properties of a rule."""
        return {"IpProtocol": self.protocol, "FromPort": self.first, "ToPort": self.last}


@dataclass(frozen=True, slots=True)
class Peer:
    """The other side of a rule: its name in a logical id, its title, its security group."""

    name: str
    title: str
    id: Any


_PORTS: Mapping[type[FileSystem], tuple[str, tuple[Ports, ...]]] = {
    Lustre: ("Lustre", tuple(Ports("tcp", *ports) for ports in fsx.LUSTRE_TCP_PORTS)),
    OpenZfs: (
        "OpenZfs",
        tuple(
            Ports(protocol, *ports) for protocol in ("tcp", "udp") for ports in fsx.OPENZFS_PORTS
        ),
    ),
    Efs: ("Efs", (Ports("tcp", fsx.EFS_PORT, fsx.EFS_PORT),)),
}


def part(plan: Plan) -> Part:
    """The security groups that the spec does not provide, and one for new file systems."""
    if "security-groups" in plan.shared.unused:
        return NOTHING
    parts = [Part(_files(plan), {})]
    if plan.network.new_security_groups:
        nodes = Output("Security group of every node", cfn.get_att(NODES, "GroupId"))
        resources = {**_nodes(plan), **_existing_clusters(plan)}
        parts.insert(0, Part(resources, {"ClusterSecurityGroupId": nodes}))
    if plan.network.new_security_groups and _has_login(plan):
        description = "Security group of login and head nodes, beside that of every node"
        login = Output(description, cfn.get_att(LOGIN, "GroupId"))
        parts.insert(1, Part(_login(plan), {"LoginSecurityGroupId": login}))
    return merged(parts)


def _has_login(plan: Plan) -> bool:
    """Whether users of a target log in with SSH; on HyperPod, only to login nodes.

    The plan of another target has no login nodes of HyperPod, but knows those of the spec.
    """
    login = any(name == "login" for name, _ in plan.shared.slurm_machines)
    of_hyperpod = serves(plan, "hyperpod-machines") and login and bool(plan.network.ssh_from)
    return serves(plan, "login-group") or of_hyperpod


def groups_of(plan: Plan, storage: FileSystem) -> list[Any]:
    """The security groups of a file system.

    An EFA file system needs all traffic to and from its clients, like the clients among themselves,
    so it is a member of their group.
    https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html#efa-security-groups
    """
    if isinstance(storage, Lustre) and storage.efa:
        return [here(group) for group in plan.network.node_security_groups]
    return [cfn.get_att(FILES, "GroupId")]


def rules_for(plan: Plan, storage: FileSystem) -> list[str]:
    """The rules that must exist before a Lustre file system: FSx rejects its group without them.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/cannot-create-fs.html
    """
    if not isinstance(storage, Lustre):
        return []
    if not storage.efa:
        return list(_lustre_rules(plan))
    return list(_all_traffic_within()) if plan.network.new_security_groups else []


def _nodes(plan: Plan) -> Json:
    anywhere = _rule(
        "Egress",
        NODES,
        {"IpProtocol": "-1", "CidrIp": "0.0.0.0/0"},
        "Out through endpoints: AWS APIs"
        if plan.network.closed
        else "Out through NAT: AWS APIs, packages, containers, licences, databases",
    )
    lasts = keeps_data(
        tuple(s for s in storage_kinds.created(plan) if isinstance(s, Lustre) and s.efa)
    )
    group = _group(plan, "nodes", "Every node of the cluster")
    return {
        NODES: lasting(group, lasts),
        # For EFA, both rules must name the group itself: a rule for 0.0.0.0/0 is not enough.
        # https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html#efa-start-security
        **_all_traffic_within(),
        # The ports that user software needs outside are unknown. Nodes have no public address, so
        # open egress does not let anyone in.
        f"{NODES}Egress": anywhere,
    }


def _all_traffic_within() -> Json:
    return {
        f"{NODES}Self{direction}": _rule(
            direction,
            NODES,
            {"IpProtocol": "-1", **_peer(direction, cfn.get_att(NODES, "GroupId"))},
            "All traffic between members, as EFA and Slurm need",
        )
        for direction in _DIRECTIONS
    }


def _existing_clusters(plan: Plan) -> Json:
    network = plan.network
    return {
        **_both_ways(
            "ControlPlane", "the control plane of EKS", network.control_plane_security_group
        ),
        **_both_ways("Scheduler", "the scheduler of PCS", network.scheduler_security_group),
    }


def _both_ways(name: str, title: str, theirs: str | None) -> Json:
    """Rules between nodes and the security group of an existing cluster, in both directions.

    That group allows traffic between its members; the nodes are not members.
    https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
    https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_sg.html
    """
    if theirs is None:
        return {}
    ours = cfn.get_att(NODES, "GroupId")
    sides = ((f"{NODES}{name}", ours, theirs), (f"{name}Nodes", theirs, ours))
    return {
        f"{side}{direction}": _rule_of(
            direction,
            group,
            {"IpProtocol": "-1", **_peer(direction, peer)},
            f"All traffic between nodes and {title}",
        )
        for side, group, peer in sides
        for direction in _DIRECTIONS
    }


def _login(plan: Plan) -> Json:
    ssh = {
        f"{LOGIN}Ssh{number}": _rule(
            "Ingress",
            LOGIN,
            {"IpProtocol": "tcp", "FromPort": 22, "ToPort": 22, _source_key(source): source},
            f"SSH from {source}",
        )
        for number, source in enumerate(plan.network.ssh_from, 1)
    }
    return {LOGIN: _closed(_group(plan, "login", "SSH to login and head nodes")), **ssh}


def _source_key(source: str) -> str:
    if is_prefix_list(source):
        return "SourcePrefixListId"
    return "CidrIp" if ipaddress.ip_network(source).version == 4 else "CidrIpv6"


def _files(plan: Plan) -> Json:
    """The group of file systems with known ports, open to nodes only."""
    storage = tuple(s for s in storage_kinds.created(plan) if not (isinstance(s, Lustre) and s.efa))
    if not storage:
        return {}
    group = _closed(_group(plan, "file-systems", "File systems of the cluster"))
    rules: Json = {}
    for kind in dict.fromkeys(type(s) for s in storage):
        rules |= _lustre_rules(plan) if kind is Lustre else _from_nodes(plan, kind)
    return {FILES: lasting(group, keeps_data(storage)), **rules}


def _from_nodes(plan: Plan, kind: type[FileSystem]) -> Json:
    flows = (_flow("Ingress", FILES, node, kind) for node in _node_peers(plan))
    return {name: rule for flow in flows for name, rule in flow.items()}


def _lustre_rules(plan: Plan) -> Json:
    """Rules for Lustre: it connects in both directions, and its servers connect to each other."""
    rules = _from_nodes(plan, Lustre)
    for node in _node_peers(plan):
        rules |= _flow("Egress", FILES, node, Lustre)
    servers = Peer("Files", "file servers", cfn.get_att(FILES, "GroupId"))
    rules |= _flow("Ingress", FILES, servers, Lustre)
    rules |= _flow("Egress", FILES, servers, Lustre)
    # Existing groups of nodes are never changed.
    if plan.network.new_security_groups:
        rules |= _flow("Ingress", NODES, servers, Lustre)
    return rules


def _node_peers(plan: Plan) -> list[Peer]:
    groups = plan.network.node_security_groups
    return [Peer(f"Nodes{number}", "nodes", here(id)) for number, id in enumerate(groups, 1)]


def _flow(direction: Direction, group: str, peer: Peer, kind: type[FileSystem]) -> Json:
    """The rules of ``group`` that allow ``kind`` from or to a peer, one per port range."""
    title, ranges = _PORTS[kind]
    way = "from" if direction == "Ingress" else "to"
    return {
        f"{group}{peer.name}{direction}{title}{ports.protocol.capitalize()}{ports.first}": _rule(
            direction,
            group,
            {**ports.traffic, **_peer(direction, peer.id)},
            f"{title} {way} {peer.title}",
        )
        for ports in ranges
    }


def _peer(direction: Direction, group: Any) -> Json:
    side = "Source" if direction == "Ingress" else "Destination"
    return {f"{side}SecurityGroupId": group}


def _rule(direction: Direction, group: str, traffic: Json, description: str) -> Json:
    """A rule of a group in this template, by logical id."""
    return _rule_of(direction, cfn.get_att(group, "GroupId"), traffic, description)


def _rule_of(direction: Direction, group: Any, traffic: Json, description: str) -> Json:
    properties = {"GroupId": group, **traffic, "Description": description}
    return cfn.resource(f"AWS::EC2::SecurityGroup{direction}", properties)


def _group(plan: Plan, name: str, description: str) -> Json:
    properties = {
        "GroupDescription": description,
        "VpcId": here(plan.network.vpc),
        "Tags": named(plan, name),
    }
    return cfn.resource("AWS::EC2::SecurityGroup", properties)


def _closed(group: Json) -> Json:
    """``group`` without the default egress rule to everywhere."""
    nowhere = {"IpProtocol": "-1", "CidrIp": "127.0.0.1/32", "Description": "Nothing out by itself"}
    return {**group, "Properties": {**group["Properties"], "SecurityGroupEgress": [nowhere]}}
