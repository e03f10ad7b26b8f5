"""Existing security groups: of nodes, and of file systems."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

from clustergen.base.account import Answer
from clustergen.base.findings import Path, Problem, Severity, rule
from clustergen.checking.preflight import existing, files, names, network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about
from clustergen.facts.catalog import fsx
from clustergen.plan.model import Efs, FileCache, Lustre, OpenZfs, Ref, Storage

GUIDE: Final = "https://docs.aws.amazon.com/vpc/latest/userguide/"
EFA: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-start.html"
LUSTRE: Final = (
    "https://docs.aws.amazon.com/fsx/latest/LustreGuide/limit-access-security-groups.html"
)

NODES: Final = "ClusterSecurityGroupId"
"""The foundation's output with the security group of the nodes."""


@rule(
    "PRE050",
    "The security group does not exist, or is in another VPC",
    why="A security group can be used only in its VPC.",
    source=f"{GUIDE}vpc-security-groups.html",
    calls=(network.GROUPS,),
    by_hand=about(network.security_groups, "{names}: in the VPC of the cluster"),
    bad="ec2:DescribeSecurityGroups: {VpcId: vpc-0fffffffffffffff0}",
    good="ec2:DescribeSecurityGroups: {}",
)
def group(case: Case) -> Iterator[Problem]:
    wanted, vpc = network.security_groups(case.plan), network.vpc_of(case.plan)
    filters = network.filtered("group-id", wanted)
    found = case.every(network.GROUPS, "SecurityGroups", Filters=filters)
    known = {each["GroupId"]: each for each in found}
    for id, path in wanted.items():
        if id not in known:
            help = f"aws ec2 describe-security-groups --region {case.region}"
            yield Problem(path, f"the account has no {id} in {case.region}", help)
        elif vpc and known[id].get("VpcId") != vpc:
            message = f"{id} is in {known[id].get('VpcId')}, not {vpc}"
            yield Problem(path, message, "use a security group of the VPC")


def _covers(rule: Answer, protocol: str, first: int, last: int) -> bool:
    """Whether a rule is about all these ports."""
    if rule.get("IpProtocol") == "-1":
        return True
    ports = rule.get("FromPort", -1) <= first and rule.get("ToPort", -1) >= last
    return rule.get("IpProtocol") == protocol and ports


@rule(
    "PRE051",
    "The security group does not admit its members",
    why="EFA passes only if a rule for all traffic names the group itself, in both directions; one "
    "for 0.0.0.0/0 is not enough. Slurm and MPI need all ports between nodes.",
    source=EFA,
    calls=(network.GROUP_RULES,),
    by_hand=existing.of_security_groups,
    bad="ec2:DescribeSecurityGroupRules: {IpProtocol: tcp, FromPort: 22, ToPort: 22}",
    good="ec2:DescribeSecurityGroupRules: {}",
)
def members(case: Case) -> Iterator[Problem]:
    plan = case.plan
    ids = [id for id in plan.network.node_security_groups if isinstance(id, str)]
    if ids:
        efa = any(group.efa for group in plan.node_groups)
        yield from _closed_to_members(case, ids, ("network", "security_groups"), efa=efa)
    for id in plan.existing.memberships:
        # EFA is open by the group of the nodes.
        yield from _closed_to_members(case, [id], network.place_of_membership(plan, id), efa=False)


def _closed_to_members(
    case: Case, ids: Sequence[str], path: Path, *, efa: bool
) -> Iterator[Problem]:
    rules = network.group_rules(case, ids)
    admits = _names_itself if efa else _admits_nodes
    for is_egress, word, verb in ((False, "in from", "ingress"), (True, "out to", "egress")):
        directed = [each for each in rules if each.get("IsEgress", False) is is_egress]
        if any(admits(each, ids) for each in directed):
            continue
        permission = f"IpProtocol=-1,UserIdGroupPairs=[{{GroupId={ids[0]}}}]"
        yield Problem(
            path,
            f"{', '.join(ids)} has no rule for all traffic {word} the group itself",
            f"aws ec2 authorize-security-group-{verb} --region {case.region} --group-id {ids[0]} "
            f"--ip-permissions '{permission}'",
            severity=Severity.ERROR if efa else Severity.WARNING,
        )


def _names_itself(rule: Answer, ids: Sequence[str]) -> bool:  # noqa: ARG001 as _admits_nodes
    """Whether a rule is about all traffic of its group with itself, by its id."""
    peer = rule.get("ReferencedGroupInfo", {}).get("GroupId")
    return rule.get("IpProtocol") == "-1" and peer == rule.get("GroupId")


def _admits_nodes(rule: Answer, ids: Sequence[str]) -> bool:
    """Whether nodes reach each other: by a rule for one of their groups, or for addresses."""
    peer = rule.get("ReferencedGroupInfo", {}).get("GroupId")
    addresses = rule.get("CidrIpv4") or rule.get("PrefixListId")
    return _covers(rule, "tcp", 1024, 65535) and bool(peer in ids or addresses)


Ports = tuple[Literal["tcp", "udp"], int, int]

_LUSTRE: Final[tuple[Ports, ...]] = tuple(("tcp", *ports) for ports in fsx.LUSTRE_TCP_PORTS)
PORTS: Final[Mapping[type[Storage], tuple[Ports, ...]]] = {
    Lustre: _LUSTRE,
    FileCache: _LUSTRE,
    OpenZfs: (("tcp", 2049, 2049),),
    Efs: (("tcp", fsx.EFS_PORT, fsx.EFS_PORT),),
}
"""The ports without which a mount fails; the README has those that are good to have too."""


@rule(
    "PRE052",
    "The security group of a file system keeps nodes out",
    why="A mount without an open port hangs until it times out.",
    source=LUSTRE,
    calls=(*files.CALLS, network.GROUP_RULES, names.STACKS),
    by_hand=existing.of_storage,
    bad="ec2:DescribeSecurityGroupRules: {IpProtocol: tcp, FromPort: 22, ToPort: 22}",
    good="ec2:DescribeSecurityGroupRules: {}",
)
def ports(case: Case) -> Iterator[Problem]:
    nodes = _groups_of_nodes(case)
    for item in case.plan.storage:
        wanted = PORTS.get(type(item), ()) if item.existing else ()
        groups = files.security_groups(case, item) if wanted else set()
        if not groups:
            continue  # It has none that are known, so nothing follows.
        inside = [r for r in network.group_rules(case, groups) if not r.get("IsEgress", False)]
        closed = [
            port for port in wanted if not all(_is_open(inside, port, own, groups) for own in nodes)
        ]
        if closed:
            titles = ", ".join(_named(port) for port in closed)
            group = sorted(groups)[0]
            message = f"{item.id}: {', '.join(sorted(groups))} does not admit the nodes at {titles}"
            help = _opening(case, group, closed)
            yield Problem(item.at("existing"), message, help)


_Groups = frozenset[str] | None
"""Security groups of a node; None if the service adds one that is not known."""


def _groups_of_nodes(case: Case) -> set[_Groups]:
    """The security groups of each node; that of the foundation is not there before it."""
    plan = case.plan
    adds = plan.limits.own_groups or plan.options.creates_eks
    if adds and plan.network.new_security_groups:
        return {None}
    ours = _foundation_group(case)
    found = (plan.security_groups_of(node) for node in network.owners(plan))
    return {
        frozenset(
            (*(ours if isinstance(id, Ref) else id for id in ids), *plan.existing.memberships)
        )
        for ids in found
    }


def _foundation_group(case: Case) -> str:
    """The security group of nodes that the foundation has made; empty before that."""
    if not case.plan.network.new_security_groups:
        return ""
    stack = names.stack(case, case.plan.stack("foundation")) or {}
    outputs = {each["OutputKey"]: each["OutputValue"] for each in stack.get("Outputs", ())}
    return str(outputs.get(NODES, ""))


def _is_open(rules: Iterable[Answer], port: Ports, nodes: _Groups, groups: set[str]) -> bool:
    """Whether a rule may admit the nodes. Those that name addresses are believed."""
    for each in rules:
        peer = each.get("ReferencedGroupInfo", {}).get("GroupId")
        admitted = peer is None or (peer not in groups if nodes is None else peer in nodes)
        if _covers(each, *port) and admitted:
            return True
    return False


def _named(port: Ports) -> str:
    protocol, first, last = port
    return f"{protocol.upper()} {first}" + (f"-{last}" if last != first else "")


def _opening(case: Case, group: str, closed: Sequence[Ports]) -> str:
    given = [id for id in case.plan.network.node_security_groups if isinstance(id, str)]
    peer = next(iter([*given, *case.plan.existing.memberships]), "") or _foundation_group(case)
    first = "" if peer else f"run ./deploy.sh --foundation, and put its output {NODES} in: "
    peer = peer or NODES
    permissions = " ".join(
        f"'IpProtocol={protocol},FromPort={first},ToPort={last},UserIdGroupPairs=[{{GroupId={peer}}}]'"
        for protocol, first, last in closed
    )
    return (
        f"{first}aws ec2 authorize-security-group-ingress --region {case.region} "
        f"--group-id {group} --ip-permissions {permissions}"
    )
