"""Labels of node groups, which become Slurm features."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.plan.model import Plan
from clustergen.targets.parallelcluster.rules import rule


@rule(
    "SLM111",
    "Features together with labels",
    why="clustergen writes labels as the nodes' Features, so the key cannot be given as well.",
    source="https://slurm.schedmd.com/slurm.conf.html#OPT_Features",
    bad="node_groups: [{name: h200, labels: {team: a}, slurm: {Features: fast}}]",
    good='node_groups: [{name: h200, labels: {team: a, fast: ""}}]',
)
def features_twice(plan: Plan) -> Iterator[Problem]:
    for group in plan.node_groups:
        features = [key for key in group.slurm if key.lower() in ("feature", "features")]
        for key in features if group.labels else ():
            yield Problem(
                group.at("slurm", key),
                f"{group.name} has labels, which are its features",
                help="write the features as labels: {name: ''}",
                on_key=True,
            )
