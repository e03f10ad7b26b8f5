"""Files that cannot be imported."""

from clustergen.base.findings import Rule, own_rule

UNKNOWN = own_rule(
    code="IMP020",
    title="Not a configuration that can be imported",
    why="The format is recognized by the keys of the file.",
    could_not=True,
)
NO_ANSWER = Rule(
    code="IMP023",
    title="AWS does not answer",
    why="With --live, import reads a running cluster by calls that change nothing.",
    source="https://docs.aws.amazon.com/sdkref/latest/guide/access.html",
    could_not=True,
)
UNSUPPORTED = Rule(
    code="IMP021",
    title="A cluster that no target can run",
    why="No target has the scheduler of the original.",
    source="https://docs.aws.amazon.com/parallelcluster/latest/ug/Scheduling-v3.html",
)
INCOMPLETE = own_rule(
    code="IMP022",
    title="Only a part of a cluster",
    why="A spec is a whole cluster: node groups, queues and launch templates belong to one.",
)
