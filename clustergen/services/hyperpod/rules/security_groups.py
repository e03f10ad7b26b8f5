"""Security groups of instances."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.plan.model import Machine, NodeGroup, Plan
from clustergen.services.hyperpod import limits, memberships
from clustergen.services.hyperpod.rules import rule
from clustergen.services.hyperpod.rules.existing import example

_FIVE = ", ".join(f"sg-0a1b2c3d4e5f6780{number}" for number in range(limits.MAX_SECURITY_GROUPS))


@rule(
    "LIM305",
    "Too many security groups of an instance group",
    why="A VpcConfig of HyperPod has at most five. Nodes get those of all nodes, their own, and "
    "those of an existing cluster that they join.",
    source="https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_VpcConfig.html",
    bad=example().replace("\ntargets", f"\n  security_groups: [{_FIVE}]\ntargets"),
    good=example(),
)
def security_groups(plan: Plan) -> Iterator[Problem]:
    most = limits.MAX_SECURITY_GROUPS
    nodes: list[Machine | NodeGroup] = [*plan.node_groups]
    if plan.scheduler == "slurm":
        nodes += plan.machines
    of_eks = 1 if plan.options.creates_eks else 0
    for node in nodes:
        count = len(memberships.of_node(plan, node, memberships.of_all(plan))) + of_eks
        if count > most:
            own = node.at("security_groups")
            yield Problem(
                own if node.security_groups else ("network", "security_groups"),
                f"the nodes would be in {count} security groups; the maximum is {most}",
                help="name fewer groups: move their rules into one",
            )
            return
