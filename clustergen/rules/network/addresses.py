"""NET010: the subnet has an address for every interface."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan import network
from clustergen.plan.model import NodeGroup, Plan

RULE = Rule(
    code="NET010",
    title="Too few addresses in the subnet",
    why="Each interface with an address takes one; nodes for which none is left do not start.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/subnet-sizing.html",
    bad="network: {cidr: 10.42.0.0/25}\nnode_groups: [{name: h200, count: 64}]",
    good="network: {cidr: 10.42.0.0/16}\nnode_groups: [{name: h200, count: 64}]",
)


def check(plan: Plan) -> Iterator[Finding]:
    known = [network.capacity(s.cidr) for s in plan.network.private if s.cidr]
    if len(known) < len(plan.network.private):
        return  # a subnet whose block nobody gave cannot be counted offline
    # EFA nodes share one zone, thus one subnet; counting the first is the honest bound.
    room = known[0] if any(group.efa for group in plan.node_groups) else sum(known)
    if plan.network.needed_addresses > room:
        path = ("network", "cidr") if plan.network.new else ("network", "private_subnets")
        yield RULE.at(
            path,
            f"the cluster takes {plan.network.needed_addresses:,} addresses at its largest, "
            f"the subnet has {room:,}",
            help=_help(plan),
        )


def _help(plan: Plan) -> str:
    most = max(plan.node_groups, key=lambda group: group.max * group.addresses)
    ways = ["widen the block (up to /16)" if plan.network.new else "name a larger subnet"]
    ways.append("lower a maximum")
    if _saves(most):
        ways.insert(
            0,
            f"write efa_layout: efa-only in {most.name!r}: 1 address a node, not {most.addresses}",
        )
    return "; or ".join(ways)


def _saves(group: NodeGroup) -> bool:
    return group.efa and group.efa_layout == "efa" and group.addresses > 1
