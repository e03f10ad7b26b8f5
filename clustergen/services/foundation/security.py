"""Security groups of nodes, login nodes and file systems.

Rules are separate resources, because a group cannot refer to itself in its own definition.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clustergen.base.artifacts import Json
from clustergen.facts.catalog import fsx
from clustergen.plan import storage_kinds
from clustergen.plan.model import Efs, Lustre, OpenZfs, Plan
from clustergen.plan.network import is_prefix_list
from clustergen.services.aws import cfn
from clustergen.services.aws.members import present
from clustergen.services.foundation.parts import (
    Output,
    Part,
    here,
    keeps_data,
    lasting,
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
class Peer:
    """The other side of a rule: its name in a logical id, its title, its security group."""

    name: str
    title: str
    id: Any


_PORTS: Mapping[type[FileSystem], tuple[str, Sequence[str], Sequence[tuple[int, int]]]] = {
    Lustre: ("Lustre", ["tcp"], fsx.LUSTRE_TCP_PORTS),
    OpenZfs: ("OpenZfs", ["tcp", "udp"], fsx.OPENZFS_PORTS),
    Efs: ("Efs", ["tcp"], [(fsx.EFS_PORT, fsx.EFS_PORT)]),
}
"""The name of a kind, its protocols, and the first and last port of each range."""


def part(plan: Plan) -> Part:
    """The security groups that the spec does not provide, and one for new file systems."""
    if "security-groups" in plan.shared.unused:
        return Part()
    parts = [Part(_files(plan))]
    if plan.network.new_security_groups:
        nodes = Output("Security group of every node", _id(NODES))
        network = plan.network
        resources = {
            **_nodes(plan),
            **_both_ways(
                "ControlPlane", "the control plane of EKS", network.control_plane_security_group
            ),
            **_both_ways("Scheduler", "the scheduler of PCS", network.scheduler_security_group),
        }
        parts.insert(0, Part(resources, {"ClusterSecurityGroupId": nodes}))
    if plan.network.new_security_groups and _has_login(plan):
        description = "Security group of login and head nodes, beside that of every node"
        login = Output(description, _id(LOGIN))
        parts.insert(1, Part(_login(plan), {"LoginSecurityGroupId": login}))
    return Part.of(parts)


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
    return [_id(FILES)]


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
        _id(NODES),
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
            _id(NODES),
            {"IpProtocol": "-1"},
            "All traffic between members, as EFA and Slurm need",
            _id(NODES),
        )
        for direction in _DIRECTIONS
    }


def _both_ways(name: str, title: str, theirs: str | None) -> Json:
    """Rules between nodes and the security group of an existing cluster, in both directions.

    That group allows traffic between its members; the nodes are not members.
    https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
    https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_sg.html
    """
    if theirs is None:
        return {}
    sides = ((f"{NODES}{name}", _id(NODES), theirs), (f"{name}Nodes", theirs, _id(NODES)))
    why = f"All traffic between nodes and {title}"
    return {
        f"{side}{direction}": _rule(direction, group, {"IpProtocol": "-1"}, why, peer)
        for side, group, peer in sides
        for direction in _DIRECTIONS
    }


def _login(plan: Plan) -> Json:
    ssh = {
        f"{LOGIN}Ssh{number}": _rule(
            "Ingress",
            _id(LOGIN),
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
    servers = Peer("Files", "file servers", _id(FILES))
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
    title, protocols, ranges = _PORTS[kind]
    way = "from" if direction == "Ingress" else "to"
    return {
        f"{group}{peer.name}{direction}{title}{protocol.capitalize()}{first}": _rule(
            direction,
            _id(group),
            {"IpProtocol": protocol, "FromPort": first, "ToPort": last},
            f"{title} {way} {peer.title}",
            peer.id,
        )
        for protocol in protocols
        for first, last in ranges
    }


def _id(group: str) -> Json:
    return cfn.get_att(group, "GroupId")


def _rule(
    direction: Direction, group: Any, traffic: Json, description: str, peer: Any = None
) -> Json:
    """A rule of a group for another group, or for addresses that ``traffic`` names."""
    side = "SourceSecurityGroupId" if direction == "Ingress" else "DestinationSecurityGroupId"
    other = present(**{side: peer})
    properties = {"GroupId": group, **traffic, **other, "Description": description}
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
