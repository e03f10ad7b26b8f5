"""Instance types and their network cards: problems found while planning node groups."""

from clustergen.base.findings import Rule

UNKNOWN_TYPE = Rule(
    code="CAP001",
    title="Unknown instance type",
    fixes="safe or unsafe",
    why="clustergen plans nodes from the facts of their instance type.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html",
    bad="node_groups: [{name: h200, instance_type: p5en.48xlage}]",
    fatal=True,
)
NO_EFA = Rule(
    code="NIC001",
    title="The instance type has no EFA",
    why="`efa: true` is explicit; without EFA, jobs would silently fall back to TCP.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa.html#efa-instance-types",
    bad="node_groups: [{name: h200, instance_type: g6e.4xlarge, efa: true}]",
    good="node_groups: [{name: h200, instance_type: g6e.8xlarge, efa: true}]",
)
UNLIKE_EFA = Rule(
    code="NIC004",
    title="Types of one group with different network cards",
    why="A group has one list of interfaces: cards that only one of its types has cannot be in it, "
    "and a list without them leaves most of the bandwidth unused. ParallelCluster makes such a "
    "list, so it is a warning there.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-acc-inst-types.html",
    bad="""node_groups:
  - {name: h200, instance_type: null, instance_types: [p5en.48xlarge, p5e.48xlarge], count: 2}""",
    good="node_groups: [{name: h200}, {name: h200-too, instance_type: p5e.48xlarge, count: 2}]",
)
